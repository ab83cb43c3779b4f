import Foundation

/// What a push that woke the app came to, as the system wants to hear it.
///
///     switch await fanfare.received(userInfo) {
///     case .newData: completion(.newData)
///     case .noData: completion(.noData)
///     case .failed: completion(.failed)
///     }
public enum FetchResult: Sendable, Hashable {
    case newData, noData, failed
}

extension Phone {
    /// A push came, while the app is in front or behind.
    ///
    /// Returns when what it brought is there, or cannot be had.
    func received(_ push: PushMessage) async -> FetchResult {
        note(.received, .system, of: push)
        clearBadgeInFront()
        // Behind, the system shows it.
        if !engine.isActive, push.mayBeToldInside { wasTold(push) }
        if push.kind == .dataPush { return await deliver(push) }
        guard push.content != nil else { return .noData }
        // Ahead of the tap, so that what is opened is there.
        guard case .success(let content) = await fetch(push) else { return .failed }
        guard push.isSilent else { return .newData }
        guard let notification = LocalNotification(push, content) else {
            listener.log("neither a silent push nor its content has a text, so that no notification is shown")
            return .newData
        }
        if await listener.notify(notification, content) {
            wasTold(push)
            note(.displayed, .system, of: push)
        } else {
            listener.log("nobody shows notifications of the phone's own")
        }
        return .newData
    }

    /// The system asks what to show of it over the app.
    func displayed(_ push: PushMessage) async -> NotificationPresentation {
        let badge: NotificationPresentation = clearBadgeInFront() ? [] : .badge
        let shown = badge.union([.banner, .list, .sound])
        // The phone's own notification of it, which was counted when it was made.
        if push.isSilent { return shown }
        fetchAhead(push)
        // Shown inside the app, it is not shown by the system too; what it sounds like is heard all the same.
        if await isToldInside(push) { return badge.union(.sound) }
        wasTold(push)
        note(.displayed, .system, of: push)
        return shown
    }

    /// Fetches what a push names that the system did not wake the app for.
    private func fetchAhead(_ push: PushMessage) {
        guard let name = push.content, contents.tag(name.id) == nil else { return }
        launch { phone in _ = await phone.fetch(push) }
    }

    /// Whether the count goes because a push arrived in front.
    @discardableResult private func clearBadgeInFront() -> Bool {
        guard setting.options.badge.clears(onPushWhileActive: engine.isActive) else { return false }
        clearBadge()
        return true
    }

    /// A person did something with a notification.
    func responded(_ response: PushResponse, to push: PushMessage) async {
        wasTold(push)
        let consequences = response.consequences(of: push, categories: setting.options.categories)
        for event in consequences.events {
            note(event.kind, .system, of: push, action: event.action)
        }
        guard consequences.isClick else { return }
        if let link = consequences.link, setting.options.automation.contains(.links) {
            listener.open(link, from: push)
        }
        happened(AppEvent(.pushClick(push.campaign)))
        switch push.kind {
        case .announcement, .poll: await arrived(push)
        default: await open(push)
        }
    }

    /// Fetches what was opened and hands it to who takes content of its type.
    func open(_ push: PushMessage) async {
        guard let name = push.content, case .success(let content) = await fetch(push) else { return }
        if let handler = contentHandlers[name.type] ?? contentHandlers[""] { await handler.take(content, push) }
    }

    /// Gives a data push to its handler: taken is actioned, declined is exited, no handler or an error is dropped.
    private func deliver(_ push: PushMessage) async -> FetchResult {
        func end(_ kind: TrackedEvent.Kind, reason: String? = nil) {
            note(kind, .content, of: push, reason: reason)
        }
        guard let data = push.dataPush else {
            end(.dropped, reason: "Unreadable")
            return .failed
        }
        guard let handler = dataPushHandlers[data.category ?? ""] ?? dataPushHandlers[""] else {
            listener.log("no handler for data pushes of the category \(data.category ?? "(none)")")
            end(.dropped, reason: "NoHandler")
            return .noData
        }
        do {
            let isTaken = try await handler(data)
            end(isTaken ? .actioned : .exited)
            return isTaken ? .newData : .noData
        } catch {
            listener.log("a handler of data pushes failed: \(error)")
            end(.dropped, reason: "HandlerFailed")
            return .failed
        }
    }

    // MARK: - Content

    /// The content that a push names, from the server or from the cache when that is still the same.
    func fetch(_ push: PushMessage) async -> Result<RichContent, RichContentProblem> {
        guard let name = push.content else { return .failure(.gone) }
        listener.contentChanged(push, .fetching)
        var result = await fetch(name, messageID: push.messageID)
        if let handler = contentHandlers[name.type] ?? contentHandlers[""] { result = result.flatMap(handler.judge) }
        switch result {
        case .success(let content): listener.contentChanged(push, .ready(content))
        case .failure(let problem): listener.contentChanged(push, .failed(problem))
        }
        return result
    }

    /// `messageID`: the signed id of the push; the server gives a campaign's own content to nobody without it.
    private func fetch(
        _ name: RichContentName,
        messageID: String?
    ) async -> Result<RichContent, RichContentProblem> {
        guard let send = setting.send, let secret = registrar.memory.secret else {
            return .failure(.notRegistered)
        }
        let id = name.id.addingPercentEncoding(withAllowedCharacters: .pathSegment) ?? name.id
        var request = EdgeRequest(method: "GET", path: "/v1/messages/\(id)", bearer: secret)
        request.headers["if-none-match"] = contents.tag(name.id)
        request.headers["fanfare-message"] = messageID
        let reply: EdgeReply
        do {
            reply = try await send(request)
        } catch {
            // Better what was there the last time than nothing.
            return contents.read(name, now: now).map { .success($0) }
                ?? .failure(.unavailable(error.localizedDescription))
        }
        if reply.status == 304, let content = contents.read(name, now: now) { return .success(content) }
        let type = reply.headers["content-type"]
        let judged = ContentRule.judge(name, status: reply.status, type: type, reply.body)
        if case .success(let content) = judged {
            do {
                try contents.write(content, tag: reply.headers["etag"])
                try SoundStore(folder: setting.options.soundFolder).keep(content, now: now)
            } catch {
                listener.log("content cannot be kept: \(error)")
            }
        }
        return judged
    }

    // MARK: - The badge

    /// Takes the count from the icon, here and on the server.
    func clearBadge() {
        listener.setBadge(0)
        badgeWasSet(0)
    }
}
