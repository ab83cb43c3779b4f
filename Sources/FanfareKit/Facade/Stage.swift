import Foundation

/// Forwards the phone's calls to the main thread, where delegates and presenters live.
final class Stage: PhoneListener {
    private let references: References

    @MainActor private final class References {
        weak var fanfare: Fanfare?
        weak var delegate: (any FanfareDelegate)?

        init(_ delegate: (any FanfareDelegate)?) {
            self.delegate = delegate
        }
    }

    @MainActor init(_ delegate: (any FanfareDelegate)?) {
        references = References(delegate)
    }

    @MainActor var fanfare: Fanfare? {
        get { references.fanfare }
        set { references.fanfare = newValue }
    }

    private func tell(_ body: @escaping @MainActor @Sendable (Fanfare, any FanfareDelegate) -> Void) {
        let references = references
        Task { @MainActor in
            guard let fanfare = references.fanfare, let delegate = references.delegate else { return }
            body(fanfare, delegate)
        }
    }

    private func draw<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (Fanfare, Presenters) -> Value
    ) async -> Value? {
        let references = references
        return await Task { @MainActor in references.fanfare.map { body($0, $0.presenters) } }.value
    }

    func registered(_ result: RegistrationResult) { tell { $1.fanfare($0, didRegister: result) } }

    func log(_ text: String) { tell { $1.fanfare($0, log: text) } }

    func open(_ link: String, from push: PushMessage?) {
        let references = references
        Task { @MainActor in
            guard let fanfare = references.fanfare else { return }
            guard references.delegate?.fanfare(fanfare, shouldOpen: link, from: push) ?? true else { return }
            fanfare.presenters.links?(link)
        }
    }

    func choose(_ message: InAppMessage) async -> InAppChoice {
        let references = references
        return await Task { @MainActor in
            guard let fanfare = references.fanfare, let delegate = references.delegate else { return InAppChoice.now }
            return delegate.fanfare(fanfare, choiceFor: message)
        }.value
    }

    func show(_ message: InAppMessage) async -> Bool {
        await draw { fanfare, presenters in
            let close: @MainActor (InAppClosing) -> Void = { [weak fanfare] closing in
                fanfare?.order { await $0.closed(message.id, closing) }
            }
            guard let presenter = presenters.inApp[message.layout] else { return fanfare.draw(message, closed: close) }
            presenter.show(message, close: close)
            return true
        } ?? false
    }

    func hide(_ message: InAppMessage) {
        Task {
            _ = await draw { fanfare, presenters in
                if let presenter = presenters.inApp[message.layout] { return presenter.hide(message) }
                fanfare.drawer(.messages)?.hide(fanfare.look(message))
            }
        }
    }

    func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason) {
        tell { $1.fanfare($0, didDiscard: message, because: reason) }
    }

    func noMatchingTrigger(_ event: AppEvent) { tell { $1.fanfare($0, noMatchingTrigger: event) } }

    func present(_ push: PushMessage, _ page: CampaignPage) async -> Bool {
        await draw { fanfare, presenters in
            var (announcement, poll): (Announcement?, Poll?)
            switch page {
            case .announcement(let it): announcement = it
            case .poll(let it): poll = it
            }
            let campaign = PresentedCampaign(push: push, announcement: announcement, poll: poll) {
                [weak fanfare] what in fanfare?.order(what)
            }
            guard let presenter = presenters.presenter(push) else { return fanfare.draw(campaign) }
            presenter.present(campaign)
            return true
        } ?? false
    }

    func hasNotifier(_ push: PushMessage) async -> Bool {
        await draw { fanfare, presenters in
            presenters.notifier(push) != nil || fanfare.drawer(.notifications) != nil
        } ?? false
    }

    func tell(_ push: PushMessage) async -> NotifierAnswer {
        await draw { fanfare, presenters in
            let notification = Self.notification(push, fanfare, presenters)
            guard let notifier = presenters.notifier(push) else { return fanfare.draw(notification) ?? .nobody }
            do {
                return try notifier.show(notification) ? .drawn : .declined
            } catch {
                return .failed("\(error)")
            }
        } ?? .nobody
    }

    func hide(_ push: PushMessage) {
        Task {
            _ = await draw { fanfare, presenters in
                let notification = Self.notification(push, fanfare, presenters)
                if let notifier = presenters.notifier(push) { return notifier.hide(notification) }
                fanfare.drawer(.notifications)?.hide(fanfare.look(notification))
            }
        }
    }

    @MainActor private static func notification(
        _ push: PushMessage,
        _ fanfare: Fanfare,
        _ presenters: Presenters
    ) -> InAppNotification {
        InAppNotification(push, at: presenters.notificationPlace) { [weak fanfare] what in fanfare?.order(what) }
    }

    func postponed(_ push: PushMessage) { tell { $1.fanfare($0, postponed: push) } }

    func contentChanged(_ push: PushMessage, _ state: RichContentState) {
        tell { $1.fanfare($0, content: state, of: push) }
    }

    func setBadge(_ count: Int) {
        Task {
            _ = await draw { _, presenters in
                presenters.badge?(count)
                if count == 0 { presenters.clearNotifications?() }
            }
        }
    }

    func notify(_ notification: LocalNotification, _ content: RichContent) async -> Bool {
        await draw { _, presenters in
            presenters.notification?(notification, content)
            return presenters.notification != nil
        } ?? false
    }

    func session(_ id: UUID, _ change: SessionChange) { tell { $1.fanfare($0, session: id, change) } }
}
