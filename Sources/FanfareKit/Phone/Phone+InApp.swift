import Foundation

extension Phone {
    /// Handles the app coming to the front.
    func becameActive() {
        look()
        collect()
        perform(session.becameActive(now: now, id: UUID()))
        perform(campaignQueue.became(active: true, now: now))
        perform(notificationQueue.surroundings(isActive: true, isFree: campaignQueue.current == nil, now: now))
        perform(engine.surroundings(isActive: true, now: now))
        // Retries need the app in front, and the engine knows that only from here on.
        retryCampaigns()
        if setting.options.badge.clearsOnForeground { clearBadge() }
        pump()
    }

    /// Handles the app leaving the front.
    func resigned() {
        session.resigned(now: now)
        perform(campaignQueue.became(active: false, now: now))
        perform(notificationQueue.surroundings(isActive: false, now: now))
        perform(engine.surroundings(isActive: false, now: now))
        pump()
    }

    /// Handles a change of the keyboard or of the screen's orientation.
    func surroundings(isKeyboardUp: Bool? = nil, orientation: InAppMessage.Orientation? = nil) {
        perform(engine.surroundings(isKeyboardUp: isKeyboardUp, orientation: orientation, now: now))
        pump()
    }

    /// Handles an event in the app.
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

    /// Handles the closing of the message on the screen.
    func closed(_ id: String, _ closing: InAppClosing) {
        perform(engine.closed(id, closing, now: now))
        pump()
    }

    // MARK: - Sessions

    func perform(_ changes: [SessionClock.Change]) {
        for change in changes {
            switch change {
            case .started(let session):
                listener.session(session.id, .started)
                fetchMessages()
            case .ended(let session, _): listener.session(session.id, .ended)
            }
        }
    }

    /// Asks the server which messages this device may be shown in the current session.
    func fetchMessages() {
        sessionRetry = nil
        guard let session = session.current else { return }
        guard let send = setting.send, let secret = registrar.memory.secret else {
            // Before registration, events wait, and are later matched against the server's first answer.
            if offered != nil { perform(engine.sessionStarted([], now: now)) }
            return
        }
        var body = [
            "id": JSON.string(session.id.uuidString.lowercased()),
            "started_at": .string(InstantText.text(session.startedAt)),
        ]
        body["locale"] = registrar.facts.locale.map(JSON.string)
        var request = EdgeRequest(
            method: "POST",
            path: "/v1/sessions",
            bearer: secret,
            body: try? JSONEncoder().encode(JSON.object(body))
        )
        request.headers["if-none-match"] = sessionTag
        launch { [request] phone in
            let reply: EdgeReply?
            do {
                reply = try await send(request)
            } catch {
                reply = nil
                phone.listener.log("no in-app messages for this session: \(error.localizedDescription)")
            }
            // An answer to a session that is over is ignored: the next session asks again.
            if phone.session.current?.id == session.id { phone.sessionAnswered(reply) }
        }
    }

    private func sessionAnswered(_ reply: EdgeReply?) {
        if let reply, reply.status == 200 {
            do {
                let answer = try SessionAnswer(reply.body)
                (offered, sessionTag) = (answer, reply.headers["etag"])
                setting.assets.keep(answer.messages.flatMap(\.allAssets), now: now)
                names.tell(answer.names)
                keepNames()
            } catch {
                listener.log("the server's in-app messages cannot be read: \(error)")
            }
        } else if let reply, reply.status != 304 {
            listener.log("no in-app messages for this session: the server answered \(reply.status)")
        }
        if offered == nil, reply?.isPassing != false {
            // Events in the meantime wait for an answer.
            sessionRetry = now + sessionBackoff.failed(chance: setting.chance(), floor: reply?.retryAfter)
            return pump()
        }
        sessionBackoff.worked()
        perform(engine.sessionStarted(offered?.messages ?? [], now: now))
        tellOffered()
        pump()
    }

    /// Keeps the field names of the app's pushes, for the next start and for the app's extensions.
    func keepNames() {
        guard names.all != KnownNames.Kept.read(storage.folder) else { return }
        do {
            try storage.write(names.all, KnownNames.file)
        } catch {
            listener.log("the field names of pushes cannot be kept: \(error)")
        }
    }

    // MARK: - What the engine wants

    func perform(_ effects: [InAppEngine.Effect]) {
        for effect in effects {
            switch effect {
            case .preload(let id, let urls): preload(id, urls)
            case .ask(let message):
                launch { phone in
                    let choice = await phone.listener.choose(message)
                    phone.perform(phone.engine.answer(choice, for: message.id, now: phone.now))
                    phone.pump()
                }
            case .show(let message):
                launch { phone in
                    let isDrawn = await phone.listener.show(message)
                    let now = phone.now
                    let effects =
                        isDrawn
                        ? phone.engine.drawn(message.id, now: now) : phone.engine.hasNoPresenter(message.id, now: now)
                    phone.perform(effects)
                    phone.pump()
                }
            case .hide(let message): listener.hide(message)
            case .displayed(let message): note(.displayed, .inApp, of: .inApp, messageID: message.messageID)
            case .discarded(let message, let reason): discarded(message, reason)
            case .closed(let message, let closing): closed(message, closing)
            case .noMatchingTrigger(let event): listener.noMatchingTrigger(event)
            }
        }
    }

    private func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason) {
        if reason == .noPresenter { listener.log("no presenter for in-app messages of the layout \(message.layout)") }
        let word = reason == .noPresenter ? "NoPresenter" : reason.rawValue
        note(.dropped, .inApp, of: .inApp, messageID: message.messageID, reason: word)
        listener.discarded(message, reason)
    }

    private func closed(_ message: InAppMessage, _ closing: InAppClosing) {
        switch closing {
        case .dismissed: note(.exited, .inApp, of: .inApp, messageID: message.messageID)
        case .tapped: note(.opened, .inApp, of: .inApp, messageID: message.messageID)
        case .button(let id):
            note(.actioned, .inApp, of: .inApp, messageID: message.messageID, action: id)
            guard let link = message.buttons.first(where: { $0.id == id })?.link else { return }
            if setting.options.automation.contains(.links) { listener.open(link, from: nil) }
        }
    }

    private func preload(_ id: String, _ urls: [URL]) {
        let (assets, now) = (setting.assets, now)
        launch { phone in
            let problem = await assets.load(urls, now: now)
            if let problem { phone.listener.log("an asset of the in-app message \(id) cannot be loaded: \(problem)") }
            let effects =
                problem == nil ? phone.engine.loaded(id, now: phone.now) : phone.engine.failedToLoad(id, now: phone.now)
            phone.perform(effects)
            phone.pump()
        }
    }
}
