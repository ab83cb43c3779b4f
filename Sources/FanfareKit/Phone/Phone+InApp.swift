import Foundation

extension Phone {
    /// The app came to the front.
    func becameActive() {
        perform(session.becameActive(now: now, id: UUID()))
        perform(turn.became(active: true, now: now))
        perform(engine.surroundings(isActive: true, now: now))
        if setting.options.badge.clearsOnForeground { clearBadge() }
        pump()
    }

    /// The app leaves the front.
    func resigned() {
        session.resigned(now: now)
        perform(turn.became(active: false, now: now))
        perform(engine.surroundings(isActive: false, now: now))
        pump()
    }

    /// The keyboard rose or fell, or the screen was turned.
    func surroundings(isKeyboardUp: Bool? = nil, orientation: InAppMessage.Orientation? = nil) {
        perform(engine.surroundings(isKeyboardUp: isKeyboardUp, orientation: orientation, now: now))
        pump()
    }

    /// Something happened in the app.
    func happened(_ event: AppEvent) {
        perform(engine.happened(event, now: now))
        pump()
    }

    func display(_ message: InAppMessage) {
        perform(engine.display(message, now: now))
        pump()
    }

    func displayNext() {
        perform(engine.displayNext(now: now))
        pump()
    }

    /// The message on the screen was closed.
    func closed(_ id: String, _ closing: InAppClosing) {
        perform(engine.closed(id, closing, now: now))
        pump()
    }

    // MARK: - Sessions

    func perform(_ changes: [SessionClock.Change]) {
        for case .started in changes { fetchMessages() }
    }

    /// Asks the server what this device may be shown in the session that is under way.
    func fetchMessages() {
        guard let session = session.current else { return }
        guard let connection = setting.connection, let secret = registrar.memory.secret else {
            // Not registered yet: the session begins with nothing, and is asked for once it is.
            return perform(engine.sessionStarted([], now: now))
        }
        let body = JSON.object([
            "id": .string(session.id.uuidString.lowercased()),
            "started_at": .string(InstantText.text(session.startedAt)),
        ])
        var request = EdgeRequest(
            method: "POST",
            path: "/v1/sessions",
            bearer: secret,
            body: try? JSONEncoder().encode(body)
        )
        request.headers["if-none-match"] = sessionTag
        Task {
            do {
                sessionAnswered(try await connection.send(request))
            } catch {
                listener.log("no in-app messages for this session: \(error.localizedDescription)")
                perform(engine.sessionStarted(offered?.messages ?? [], now: now))
                pump()
            }
        }
    }

    private func sessionAnswered(_ reply: EdgeReply) {
        if reply.status == 200 {
            do {
                offered = try SessionAnswer(reply.body)
                sessionTag = reply.headers["etag"]
            } catch {
                listener.log("the server's in-app messages cannot be read: \(error)")
            }
        } else if reply.status != 304 {
            listener.log("no in-app messages for this session: the server answered \(reply.status)")
        }
        perform(engine.sessionStarted(offered?.messages ?? [], now: now))
        pump()
    }

    // MARK: - What the engine wants

    func perform(_ effects: [InAppEngine.Effect]) {
        for effect in effects {
            switch effect {
            case .preload(let id, let urls): preload(id, urls)
            case .ask(let message):
                Task {
                    let choice = await listener.choose(message)
                    perform(engine.answer(choice, for: message.id, now: now))
                    pump()
                }
            case .show(let message):
                Task {
                    guard await !listener.show(message) else { return }
                    perform(engine.hasNoPresenter(message.id, now: now))
                    pump()
                }
            case .hide(let message): listener.hide(message)
            case .displayed(let message): note(.displayed, .inApp, messageID: message.messageID)
            case .discarded(let message, let reason): discarded(message, reason)
            case .closed(let message, let closing): closed(message, closing)
            case .noMatchingTrigger(let event): listener.noMatchingTrigger(event)
            }
        }
    }

    private func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason) {
        if reason == .noPresenter { listener.log("nobody draws in-app messages of the layout \(message.layout)") }
        let word = reason == .noPresenter ? "NoPresenter" : reason.rawValue
        note(.dropped, .inApp, messageID: message.messageID, reason: word)
        listener.discarded(message, reason)
    }

    private func closed(_ message: InAppMessage, _ closing: InAppClosing) {
        switch closing {
        case .dismissed: note(.exited, .inApp, messageID: message.messageID)
        case .tapped: note(.opened, .inApp, messageID: message.messageID)
        case .button(let id):
            note(.actioned, .inApp, messageID: message.messageID, action: id)
            if let link = message.buttons.first(where: { $0.id == id })?.link { listener.open(link, from: nil) }
        }
    }

    private func preload(_ id: String, _ urls: [URL]) {
        let cache = AssetStore(folder: vault.folder.appendingPathComponent("assets"))
        Task {
            let isThere = await cache.load(urls)
            perform(isThere ? engine.loaded(id, now: now) : engine.failedToLoad(id, now: now))
            pump()
        }
    }
}
