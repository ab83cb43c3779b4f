import Foundation

extension Phone {
    static let notificationsFile = "notifications.json"

    /// The part of the notifications inside the app that outlives the app.
    struct KeptNotifications: Codable, Equatable {
        struct Waiting: Codable, Equatable {
            var push: [String: JSON]
            var expiresAt: Date?
        }

        var waiting: [Waiting] = []
        var told: [String] = []

        init(_ queue: InAppNotificationQueue) {
            waiting = queue.waiting.map { Waiting(push: $0.push.userInfo, expiresAt: $0.expiresAt) }
            told = queue.told
        }

        /// Restores the queue.
        func queue(_ names: PayloadNames, now: Date) -> InAppNotificationQueue {
            let notificationQueue = waiting.compactMap { kept in
                PushMessage(members: kept.push, names).map {
                    InAppNotificationQueue.Entry(push: $0, expiresAt: kept.expiresAt)
                }
            }
            return InAppNotificationQueue(notificationQueue, told: told, now: now)
        }
    }

    /// Takes a push that arrived in front, to show it inside the app; returns false when the system is to show it.
    func isToldInside(_ push: PushMessage) async -> Bool {
        guard push.mayBeToldInside, engine.isActive, await listener.hasNotifier(push) else { return false }
        if notificationQueue.knows(push.campaign) { return true }
        guard notificationQueue.hasRoom else { return false }
        perform(notificationQueue.arrived(InAppNotificationQueue.Entry(push: push), now: now))
        return true
    }

    /// Notes that the system showed a campaign, or that the person has responded to it there.
    func wasTold(_ push: PushMessage) { perform(notificationQueue.wasTold(push.campaign, now: now)) }

    /// Queues the campaigns that a session offers to be shown, the oldest first.
    func tellOffered() {
        for entry in offered?.notifications ?? [] { perform(notificationQueue.arrived(entry, now: now)) }
    }

    /// Handles a tap on a notification, or on one of its buttons.
    func notificationActioned(_ push: PushMessage, button: String?) async {
        guard notificationQueue.current == push else { return }
        let response = button.map { PushResponse.action($0) } ?? .opened
        let link = response.consequences(of: push, categories: setting.options.categories).link
        if let link, setting.options.automation.contains(.links) { listener.open(link, from: push) }
        // Before the notification ends, so that its announcement is shown next and not another notification.
        if push.kind == .announcement || push.kind == .poll { await arrived(push) }
        notificationEnded(push, .actioned(button ?? TrackedEvent.plainAction))
        if push.kind == .notification { await open(push) }
    }

    func notificationEnded(_ push: PushMessage, _ end: InAppNotificationQueue.End) {
        perform(notificationQueue.surroundings(isFree: campaignQueue.current == nil, now: now))
        perform(notificationQueue.ended(push, end, now: now))
        pump()
    }

    func notificationDisappeared(_ push: PushMessage) {
        notificationQueue.disappeared(push, now: now)
        pump()
    }

    func notificationAppeared(_ push: PushMessage) {
        notificationQueue.appeared(push)
        pump()
    }

    func perform(_ effects: [InAppNotificationQueue.Effect]) {
        for effect in effects {
            switch effect {
            case .show(let push): launch { phone in await phone.tell(push) }
            case .hide(let push): listener.hide(push)
            case .track(let push, let end): track(push, end)
            }
        }
        keepNotifications()
    }

    private func tell(_ push: PushMessage) async {
        switch await listener.tell(push) {
        case .drawn: perform(notificationQueue.drawn(push))
        case .declined: notificationEnded(push, .dropped(reason: "Declined"))
        case .failed(let problem):
            listener.log("a notifier failed: \(problem)")
            notificationEnded(push, .dropped(reason: "NotifierFailed"))
        case .nobody:
            listener.log("no notifier for notifications of the category \(push.look ?? "(none)")")
            notificationEnded(push, .dropped(reason: "NoNotifier"))
        }
        pump()
    }

    private func track(_ push: PushMessage, _ end: InAppNotificationQueue.End) {
        switch end {
        case .displayed: note(.displayed, .inApp, of: push)
        case .actioned(let action): note(.actioned, .inApp, of: push, action: action)
        case .exited: note(.exited, .inApp, of: push)
        case .dropped(let reason): note(.dropped, .inApp, of: push, reason: reason)
        }
    }

    private func keepNotifications() {
        let kept = KeptNotifications(notificationQueue)
        guard kept != keptNotifications else { return }
        keptNotifications = kept
        do {
            try storage.write(kept, Self.notificationsFile)
        } catch {
            listener.log("notifications cannot be kept, and are shown from memory: \(error)")
        }
    }
}

/// The result of giving a notification to a notifier.
enum NotifierAnswer: Sendable, Equatable {
    case drawn
    case declined
    case failed(String)
    /// It has no notifier.
    case nobody
}
