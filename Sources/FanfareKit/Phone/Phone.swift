import Foundation

/// Drives what the state machines decide: sends, keeps, and wakes up when it is time.
///
/// Everything that an app says arrives here in the order in which it was said. What outlives the app is written before
/// the call that brought it returns.
actor Phone {
    /// What does not change while the app runs.
    struct Setting: Sendable {
        var integrationKey: String
        /// Asks the server, or throws what the system says when there is no answer; nil: the app gave no server.
        var send: (@Sendable (EdgeRequest) async throws -> EdgeReply)?
        /// The same for events, where they have a server of their own.
        var track: (@Sendable (EdgeRequest) async throws -> EdgeReply)?
        var options: FanfareOptions
        /// Where the person is, by the system; nil: the app says it.
        var place: (@Sendable () -> Place)?
        var assets: AssetStore
        /// How pushes name what they carry; whoever reads them for the phone has the same.
        var names: KnownNames
        var now: @Sendable () -> Date = { Date() }
        /// From 0 to below 1.
        var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Waits so many seconds; throws when it is cancelled.
        var wait: @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64($0 * 1e9))
        }
    }

    let setting: Setting
    let listener: any PhoneListener
    let storage: Storage
    let journal: EventJournal
    let inbox: EventInbox
    let contents: ContentCache
    var registrar: Registrar
    var outbox: EventOutbox
    var session: SessionClock
    var engine: InAppEngine
    var turn: CampaignTurn
    /// What is on the disk of campaigns that wait for the network.
    var keptHeld: [[String: JSON]]
    /// When their contents are asked for again.
    var campaignRetry: Date?
    var campaignBackoff = Backoff()
    var tellings: NotificationTurn
    /// What is on the disk of them.
    var keptNotifications: KeptNotifications
    /// How pushes name what they carry.
    let names: KnownNames
    var answerBox: AnswerBox
    /// How many events and answers the server will never count.
    var lostEvents: Int
    var dataPushHandlers: [String: DataPushHandler] = [:]
    var contentHandlers: [String: RichContentHandler] = [:]
    var offered: SessionAnswer?
    var sessionTag: String?
    /// When a session that was never answered is asked for again.
    var sessionRetry: Date?
    var sessionBackoff = Backoff()
    private var toldObstacle: RegistrationResult?
    private var timer: Task<Void, Never>?
    private var isStopped = false
    private var running = 0
    private var waitingForRest: [CheckedContinuation<Void, Never>] = []

    private static let registrationFile = "registration.json"

    /// The place as the system last told it.
    private var lastPlace: Place?

    /// What the kit keeps of a registration.
    private struct Kept: Codable {
        var memory: Registrar.Memory
        var facts: DeviceFacts
    }

    /// Opens what was kept; throws when the folder cannot be made.
    init(_ setting: Setting, listener: any PhoneListener) throws {
        self.setting = setting
        self.listener = listener
        storage = try Storage(setting.options.folder)
        journal = EventJournal(storage.folder.appendingPathComponent("events.jsonl"))
        inbox = EventInbox(storage.folder)
        contents = try ContentCache(storage.folder.appendingPathComponent("contents"))
        let kept = storage.read(Kept.self, Self.registrationFile)
        var facts = kept?.facts ?? DeviceFacts()
        facts.provider = setting.options.provider
        facts.environment = setting.options.environment
        facts.kitVersion = Kit.version
        registrar = Registrar(
            memory: kept?.memory ?? Registrar.Memory(device: UUID()),
            facts: facts,
            hasServer: setting.send != nil,
            hasKey: !setting.integrationKey.isEmpty
        )
        outbox = EventOutbox(journal.read(), isRegistered: registrar.isRegistered)
        answerBox = AnswerBox(storage.read([PollAnswers].self, Self.answersFile) ?? [])
        lostEvents = storage.read(Int.self, Self.lostFile) ?? 0
        session = SessionClock(timeout: setting.options.sessionTimeout)
        engine = InAppEngine(rules: setting.options.inApp)
        names = setting.names
        keptHeld = storage.read([[String: JSON]].self, Self.heldFile) ?? []
        let held = keptHeld.compactMap { PushMessage(members: $0, setting.names.names) }
        turn = CampaignTurn(isActive: false, held: held, now: setting.now())
        let tellings =
            storage.read(KeptNotifications.self, Self.notificationsFile)?.turn(names.names, now: setting.now())
            ?? NotificationTurn(now: setting.now())
        self.tellings = tellings
        keptNotifications = KeptNotifications(tellings)
    }

    var now: Date { setting.now() }

    /// The id of this installation.
    var device: UUID { registrar.memory.device }

    /// Begins: what was left the last time goes on.
    func start() {
        look()
        keepNames()
        collect()
        pump()
    }

    /// Does what is due, and sets the clock for what will be.
    func pump() {
        guard !isStopped else { return }
        register()
        track()
        sendAnswers()
        perform(engine.tick(now: now))
        perform(turn.tick(now: now))
        perform(session.tick(now: now))
        if let sessionRetry, sessionRetry <= now { fetchMessages() }
        if let campaignRetry, campaignRetry <= now { retryCampaigns() }
        perform(tellings.surroundings(isFree: turn.current == nil, now: now))
        sleep(until: wakeAt)
    }

    /// When something is to happen by itself; nil: not before something else happens.
    var wakeAt: Date? {
        let instants = [
            registrar.obstacle == nil ? registrar.wakeAt(now: now) : nil, outbox.wakeAt, answerBox.wakeAt,
            engine.wakeAt(after: now), turn.wakeAt, tellings.wakeAt, session.wakeAt, sessionRetry, campaignRetry,
        ]
        return instants.compactMap(\.self).min()
    }

    private func sleep(until date: Date?) {
        timer?.cancel()
        timer = nil
        guard let date else { return }
        // Never in a circle, and never so long that a clock that was set stays unnoticed.
        let seconds = min(max(date.timeIntervalSince(now), 0.05), 3600)
        let wait = setting.wait
        timer = Task { [weak self] in
            do { try await wait(seconds) } catch { return }
            await self?.pump()
        }
    }

    /// Ends: nothing is sent or shown any more; what was noted is kept.
    func stop() {
        isStopped = true
        timer?.cancel()
    }

    // MARK: - What takes a while

    /// Starts what waits for the server, for the app or for a file; `settled` knows of it.
    func launch(_ body: @escaping @Sendable (isolated Phone) async -> Void) {
        running += 1
        Task {
            await body(self)
            running -= 1
            guard running == 0 else { return }
            for continuation in waitingForRest { continuation.resume() }
            waitingForRest = []
        }
    }

    /// Returns when nothing is under way: what could be sent was sent, or waits for its next try.
    func settled() async {
        while running > 0 { await withCheckedContinuation { waitingForRest.append($0) } }
    }

    // MARK: - Registration

    /// Changes what is true of the device, keeps it, and tells the server.
    func change(_ body: (inout DeviceFacts) -> Void) {
        registrar.change(body)
        keep()
        pump()
    }

    func setUser(_ key: String?, proof: String?) {
        registrar.setUser(key, proof: proof)
        keep()
        pump()
    }

    func setHandler(_ handler: @escaping DataPushHandler, for category: String) { dataPushHandlers[category] = handler }

    func setHandler(_ handler: RichContentHandler, for type: String) { contentHandlers[type] = handler }

    func badgeWasSet(_ count: Int) {
        registrar.badgeWasSet(count)
        keep()
        pump()
    }

    /// Asks the system where the person is; what has changed and the server takes is told.
    func look() {
        guard let said = setting.place?() else { return }
        let (place, before) = (said.fitting, registrar.facts)
        registrar.change { ($0.locale, $0.timeZone, $0.appVersion) = (place.locale, place.timeZone, place.appVersion) }
        if registrar.facts != before { keep() }
        // Once: it is looked at whenever the app comes to the front.
        if place != said, said != lastPlace { listener.log("the server takes only \(place) of \(said)") }
        lastPlace = said
    }

    func keep() {
        let kept = Kept(memory: registrar.memory, facts: registrar.facts)
        do {
            try storage.write(kept, Self.registrationFile)
        } catch {
            listener.log("the registration cannot be kept: \(error)")
        }
    }

    private func register() {
        if let obstacle = registrar.obstacle {
            // Once: it stays as it is until the app starts anew.
            if toldObstacle != obstacle { listener.registered(obstacle) }
            return toldObstacle = obstacle
        }
        guard let send = setting.send, let request = registrar.next(now: now) else { return }
        // The server may give the secret in an answer that this app does not live to see.
        if request.secret == nil { keep() }
        let asked = EdgeRequest(
            method: "PUT",
            path: "/v1/devices/\(device.uuidString.lowercased())",
            bearer: request.secret ?? setting.integrationKey,
            userProof: registrar.userProof,
            body: try? JSONEncoder().encode(JSON.object(request.body))
        )
        launch { phone in
            do {
                let reply = try await send(asked)
                let (result, secret) = reply.registration
                phone.registrationEnded(result, secret: secret, retryAfter: reply.retryAfter)
            } catch {
                phone.registrationEnded(RegistrationResult(.connectionIssue, reason: error.localizedDescription))
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
        if !wasRegistered, registrar.isRegistered {
            if session.current != nil { fetchMessages() }
            retryCampaigns()
        }
        pump()
    }

    /// Has the server forget this device, and forgets what is kept here.
    func forget() async -> ForgetResult {
        if let send = setting.send, let secret = registrar.memory.secret {
            let path = "/v1/devices/\(device.uuidString.lowercased())"
            do {
                let reply = try await send(EdgeRequest(method: "DELETE", path: path, bearer: secret))
                // A server that does not know the device has nothing to forget.
                guard (200..<300).contains(reply.status) || [401, 403, 404, 410].contains(reply.status) else {
                    return .failed(reason: "the server answered \(reply.status)")
                }
            } catch {
                return .failed(reason: error.localizedDescription)
            }
        }
        registrar.wasForgottenByHand(spare: UUID())
        let gone = outbox.events.map(\.id)
        outbox = EventOutbox(isRegistered: false)
        answerBox = AnswerBox()
        (offered, sessionTag) = (nil, nil)
        turn.forget()
        perform([CampaignTurn.Effect]())
        perform(tellings.forget())
        do {
            try journal.finish(gone, rest: [])
        } catch {
            listener.log("events that are of no use cannot be taken off the journal: \(error)")
        }
        keepAnswers()
        contents.removeAll()
        setting.assets.removeAll()
        SoundStore(folder: setting.options.soundFolder).removeAll()
        keep()
        perform(engine.sessionStarted([], now: now))
        pump()
        return .forgotten
    }
}
