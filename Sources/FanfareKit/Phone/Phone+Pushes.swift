import Foundation

/// The result of a push that woke the app, in the terms of the system.
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
    /// Handles a push that arrived, in front or in the background.
    ///
    /// Returns when its content is there, or cannot be had.
    func received(_ push: PushMessage) async -> FetchResult {
        note(.received, .system, of: push)
        clearBadgeInFront()
        // In the background the system shows the push.
        if !engine.isActive, push.mayBeToldInside { wasTold(push) }
        if push.kind == .dataPush { return await deliver(push) }
        guard push.content != nil else { return .noData }
        // Fetched ahead of the tap, so that the tap finds it.
        guard case .success(let content) = await fetch(push) else { return .failed }
        guard push.isSilent else { return .newData }
        guard let notification = LocalNotification(push, content) else {
            listener.log("neither a silent push nor its content has a text, so no notification is shown")
            return .newData
        }
        if await listener.notify(notification, content) {
            wasTold(push)
            note(.displayed, .system, of: push)
        } else {
            listener.log("no presenter for local notifications")
        }
        return .newData
    }

    /// Answers the system's question how to show a push over the app.
    func displayed(_ push: PushMessage) async -> NotificationPresentation {
        let badge: NotificationPresentation = clearBadgeInFront() ? [] : .badge
        let shown = badge.union([.banner, .list, .sound])
        // The kit's own local notification of this push was counted when it was posted.
        if push.isSilent { return shown }
        fetchAhead(push)
        // A notification shown inside the app is not shown by the system too; only its sound is played.
        if await isToldInside(push) { return badge.union(.sound) }
        wasTold(push)
        note(.displayed, .system, of: push)
        return shown
    }

    /// Fetches the content of a push for which the system did not wake the app.
    private func fetchAhead(_ push: PushMessage) {
        guard let name = push.content, contents.tag(name.id) == nil else { return }
        launch { phone in _ = await phone.fetch(push) }
    }

    /// Clears the count for a push that arrived in front; returns true if it did.
    @discardableResult private func clearBadgeInFront() -> Bool {
        guard setting.options.badge.clears(onPushWhileActive: engine.isActive) else { return false }
        clearBadge()
        return true
    }

    /// Handles a person's response to a notification.
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

    /// Fetches the content that was opened and hands it to the handler of its type.
    func open(_ push: PushMessage) async {
        guard let name = push.content, case .success(let content) = await fetch(push) else { return }
        if let handler = contentHandlers[name.type] ?? contentHandlers[""] { await handler.take(content, push) }
    }

    /// Gives a data push to its handler: accepted counts as actioned, declined as exited, no handler or an error as
    /// dropped.
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

    /// Returns the content that a push names, from the server or from a cache entry that is still valid.
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

    /// Fetches content; `messageID` is the push's signed id, without which the server gives out no campaign's own
    /// content.
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
            // Old content is better than none.
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

    /// Clears the count on the icon, on the device and on the server.
    func clearBadge() {
        listener.setBadge(0)
        badgeWasSet(0)
    }
}
