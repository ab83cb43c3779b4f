import Foundation

/// Drives what the state machines decide: sends, keeps, and wakes up when it is time.
///
/// Everything that an app says arrives here in the order in which it was said. What outlives the app is written before
/// the call that brought it returns.
actor Phone {
    /// What does not change while the app runs.
    struct Setting: Sendable {
        var integrationKey: String
        /// nil: the app gave no server.
        var connection: EdgeConnection?
        var options: FanfareOptions
        var now: @Sendable () -> Date = { Date() }
        /// From 0 to below 1.
        var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
    }

    let setting: Setting
    let listener: any PhoneListener
    let vault: Vault
    let journal: EventJournal
    let contents: ContentCache
    var registrar: Registrar
    var outbox: EventOutbox
    var session: SessionClock
    var engine: InAppEngine
    var turn: CampaignTurn
    var answerBox: AnswerBox
    var userProof: String?
    var dataPushHandlers: [String: DataPushHandler] = [:]
    var offered: SessionAnswer?
    var sessionTag: String?
    private var timer: Task<Void, Never>?

    private static let registrationFile = "registration.json"

    /// What the kit keeps of a registration.
    private struct Kept: Codable {
        var memory: Registrar.Memory
        var facts: DeviceFacts
    }

    /// Opens what was kept; throws when the folder cannot be made.
    init(_ setting: Setting, listener: any PhoneListener) throws {
        self.setting = setting
        self.listener = listener
        vault = try Vault(setting.options.folder)
        journal = EventJournal(vault.folder.appendingPathComponent("events.jsonl"))
        contents = try ContentCache(vault.folder.appendingPathComponent("contents"))
        let kept = vault.read(Kept.self, Self.registrationFile)
        var facts = kept?.facts ?? DeviceFacts()
        facts.provider = setting.options.provider
        facts.environment = setting.options.environment
        registrar = Registrar(
            memory: kept?.memory ?? Registrar.Memory(device: UUID()),
            facts: facts,
            hasServer: setting.connection != nil,
            hasKey: !setting.integrationKey.isEmpty
        )
        outbox = EventOutbox(journal.read(), isRegistered: registrar.isRegistered)
        answerBox = AnswerBox(vault.read([PollAnswers].self, Self.answersFile) ?? [])
        session = SessionClock(timeout: setting.options.sessionTimeout)
        engine = InAppEngine(rules: setting.options.inApp)
        turn = CampaignTurn(isActive: false, now: setting.now())
    }

    var now: Date { setting.now() }

    /// The id of this installation.
    var device: UUID { registrar.memory.device }

    /// Does what is due, and sets the clock for what will be.
    func pump() {
        register()
        track()
        sendAnswers()
        perform(engine.tick(now: now))
        perform(turn.tick(now: now))
        perform(session.tick(now: now))
        let instants = [
            registrar.wakeAt(now: now), outbox.wakeAt, answerBox.wakeAt, engine.wakeAt(after: now), turn.wakeAt,
            session.wakeAt,
        ]
        sleep(until: instants.compactMap(\.self).min())
    }

    private func sleep(until date: Date?) {
        timer?.cancel()
        timer = nil
        guard let date else { return }
        // Never in a circle, and never so long that a clock that was set stays unnoticed.
        let seconds = min(max(date.timeIntervalSince(now), 0.05), 3600)
        timer = Task { [weak self] in
            do { try await Task.sleep(nanoseconds: UInt64(seconds * 1e9)) } catch { return }
            await self?.pump()
        }
    }

    /// Ends the timer; what was noted is kept.
    func stop() { timer?.cancel() }

    // MARK: - Registration

    /// Changes what is true of the device, keeps it, and tells the server.
    func change(_ body: (inout DeviceFacts) -> Void) {
        registrar.change(body)
        keep()
        pump()
    }

    func setUserProof(_ proof: String?) { userProof = proof }

    func setHandler(_ handler: @escaping DataPushHandler, for category: String) { dataPushHandlers[category] = handler }

    func badgeWasSet(_ count: Int) {
        registrar.badgeWasSet(count)
        pump()
    }

    func keep() {
        let kept = Kept(memory: registrar.memory, facts: registrar.facts)
        do {
            try vault.write(kept, Self.registrationFile)
        } catch {
            listener.log("the registration cannot be kept: \(error)")
        }
    }

    private func register() {
        if let obstacle = registrar.obstacle { return listener.registered(obstacle) }
        guard let connection = setting.connection, let request = registrar.next(now: now) else { return }
        guard let body = try? JSONEncoder().encode(JSON.object(request.body)) else { return }
        let asked = EdgeRequest(
            method: "PUT",
            path: "/v1/devices/\(device.uuidString.lowercased())",
            bearer: request.secret ?? setting.integrationKey,
            userProof: userProof,
            body: body
        )
        Task {
            do {
                let reply = try await connection.send(asked)
                let (result, secret) = reply.registration
                registrationEnded(result, secret: secret, retryAfter: reply.retryAfter)
            } catch {
                registrationEnded(RegistrationResult(.connectionIssue, reason: "\(error.localizedDescription)"))
            }
        }
    }

    private func registrationEnded(_ result: RegistrationResult, secret: String? = nil, retryAfter: TimeInterval? = nil)
    {
        let wasRegistered = registrar.isRegistered
        registrar.ended(
            result,
            secret: secret,
            retryAfter: retryAfter,
            now: now,
            chance: setting.chance(),
            spare: UUID()
        )
        keep()
        if registrar.isRegistered { outbox.registered() }
        listener.registered(result)
        if !wasRegistered, registrar.isRegistered, session.current != nil { fetchMessages() }
        pump()
    }

    // MARK: - Tracking

    /// Notes an event, on the disk too, and sends it when it can.
    func note(
        _ kind: TrackedEvent.Kind,
        _ surface: TrackedEvent.Surface,
        messageID: String?,
        action: String? = nil,
        reason: String? = nil
    ) {
        // A push whose sender had no key, and a message that was made here, cannot be told of.
        guard let messageID, !messageID.isEmpty else { return }
        let event = TrackedEvent(
            id: UUID(),
            messageID: messageID,
            type: kind,
            surface: surface,
            action: action,
            reason: reason,
            at: now
        )
        do {
            try journal.note(event)
            try journal.finish(outbox.add(event), rest: outbox.events)
        } catch {
            listener.log("an event cannot be kept, and is sent from memory: \(error)")
        }
        pump()
    }

    /// Events that the server has not taken yet.
    var waitingEvents: Int { outbox.events.count }

    private func track() {
        guard let connection = setting.connection, let secret = registrar.memory.secret,
            let batch = outbox.next(now: now)
        else { return }
        guard let body = try? TrackedEvent.encoder.encode(["events": batch]) else { return }
        let asked = EdgeRequest(method: "POST", path: "/v1/tracking", bearer: secret, body: body)
        Task {
            let answer: EventOutbox.Answer
            do { answer = try await connection.send(asked).tracking } catch { answer = .unavailable(retryAfter: nil) }
            trackingEnded(answer)
        }
    }

    private func trackingEnded(_ answer: EventOutbox.Answer) {
        let done = outbox.answered(answer, now: now, chance: setting.chance())
        do {
            try journal.finish(done, rest: outbox.events)
        } catch {
            listener.log("events that were sent cannot be taken off the journal: \(error)")
        }
        if answer == .notRegistered {
            listener.log("the server does not know this device; events wait until it is registered again")
            registrar.wasForgotten(spare: UUID())
            keep()
        }
        pump()
    }

    /// The network is there again.
    func networkReturned() {
        registrar.networkReturned()
        outbox.networkReturned()
        answerBox.networkReturned()
        pump()
    }
}
