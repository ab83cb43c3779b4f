import Foundation

/// Carries out the decisions of the state machines: sends, stores, and wakes up when something is due.
///
/// The app's calls arrive here in the order in which they were made. Everything that outlives the app is written before
/// the call that brought it returns.
actor Phone {
    /// The settings that do not change while the app runs.
    struct Setting: Sendable {
        var integrationKey: String
        /// Sends a request to the server, or throws the system's error; nil when the app gave no server.
        var send: (@Sendable (EdgeRequest) async throws -> EdgeReply)?
        /// The same for events, when they have their own server.
        var track: (@Sendable (EdgeRequest) async throws -> EdgeReply)?
        var options: FanfareOptions
        /// The system's locale, time zone and app version; nil when the app sets them itself.
        var systemFacts: (@Sendable () -> SystemFacts)?
        var assets: AssetStore
        /// The field names of pushes, shared with every other reader of pushes.
        var names: KnownNames
        var now: @Sendable () -> Date = { Date() }
        /// Returns a random number from 0 to below 1.
        var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Waits for a number of seconds; throws when it is cancelled.
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
    var campaignQueue: CampaignQueue
    /// The campaigns that wait for the network, as the disk has them.
    var keptHeld: [[String: JSON]]
    /// The time at which their contents are requested again.
    var campaignRetry: Date?
    var campaignBackoff = Backoff()
    var notificationQueue: InAppNotificationQueue
    /// The notifications that outlive the app, as the disk has them.
    var keptNotifications: KeptNotifications
    /// The field names of pushes.
    let names: KnownNames
    var answerBox: AnswerBox
    /// The number of events and answers that the server will never count.
    var lostEvents: Int
    var dataPushHandlers: [String: DataPushHandler] = [:]
    var contentHandlers: [String: RichContentHandler] = [:]
    var offered: SessionAnswer?
    var sessionTag: String?
    /// The time at which a session without an answer is requested again.
    var sessionRetry: Date?
    var sessionBackoff = Backoff()
    private var toldObstacle: RegistrationResult?
    private var timer: Task<Void, Never>?
    private var isStopped = false
    private var running = 0
    private var waitingForRest: [CheckedContinuation<Void, Never>] = []

    private static let registrationFile = "registration.json"

    /// The facts as the system last reported them.
    private var lastSystemFacts: SystemFacts?

    /// The stored part of a registration.
    private struct Kept: Codable {
        var memory: Registrar.Memory
        var facts: DeviceFacts
    }

    /// Loads the stored state; throws when the folder cannot be created.
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
        campaignQueue = CampaignQueue(isActive: false, held: held, now: setting.now())
        let notificationQueue =
            storage.read(KeptNotifications.self, Self.notificationsFile)?.queue(names.names, now: setting.now())
            ?? InAppNotificationQueue(now: setting.now())
        self.notificationQueue = notificationQueue
        keptNotifications = KeptNotifications(notificationQueue)
    }

    var now: Date { setting.now() }

    /// The id of this installation.
    var device: UUID { registrar.memory.device }

    /// Begins, and continues the work of the last run.
    func start() {
        look()
        keepNames()
        collect()
        pump()
    }

    /// Does everything that is due, and sets the timer for the next wake-up.
    func pump() {
        guard !isStopped else { return }
        register()
        track()
        sendAnswers()
        perform(engine.tick(now: now))
        perform(campaignQueue.tick(now: now))
        perform(session.tick(now: now))
        if let sessionRetry, sessionRetry <= now { fetchMessages() }
        if let campaignRetry, campaignRetry <= now { retryCampaigns() }
        perform(notificationQueue.surroundings(isFree: campaignQueue.current == nil, now: now))
        sleep(until: wakeAt)
    }

    /// The time of the next scheduled work; nil while there is none.
    var wakeAt: Date? {
        let instants = [
            registrar.obstacle == nil ? registrar.wakeAt(now: now) : nil, outbox.wakeAt, answerBox.wakeAt,
            engine.wakeAt(after: now), campaignQueue.wakeAt, notificationQueue.wakeAt, session.wakeAt, sessionRetry,
            campaignRetry,
        ]
        return instants.compactMap(\.self).min()
    }

    private func sleep(until date: Date?) {
        timer?.cancel()
        timer = nil
        guard let date else { return }
        // Never a busy loop, and never so long that a change of the system clock goes unnoticed.
        let seconds = min(max(date.timeIntervalSince(now), 0.05), 3600)
        let wait = setting.wait
        timer = Task { [weak self] in
            do { try await wait(seconds) } catch { return }
            await self?.pump()
        }
    }

    /// Stops: nothing is sent or shown any more, and everything recorded is kept.
    func stop() {
        isStopped = true
        timer?.cancel()
    }

    // MARK: - What takes a while

    /// Starts work that waits for the server, the app or a file; `settled` waits for it.
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

    /// Returns when nothing is in progress: everything has been sent, or waits for its next try.
    func settled() async {
        while running > 0 { await withCheckedContinuation { waitingForRest.append($0) } }
    }

    // MARK: - Registration

    /// Changes the facts of the device, stores them, and tells the server.
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

    /// Reads the facts from the system, and tells the server changes that it accepts.
    func look() {
        guard let said = setting.systemFacts?() else { return }
        let (systemFacts, before) = (said.fitting, registrar.facts)
        registrar.change {
            ($0.locale, $0.timeZone, $0.appVersion) = (systemFacts.locale, systemFacts.timeZone, systemFacts.appVersion)
        }
        if registrar.facts != before { keep() }
        // Logged once: the facts are read whenever the app comes to the front.
        if systemFacts != said, said != lastSystemFacts {
            listener.log("the server accepts only \(systemFacts) of \(said)")
        }
        lastSystemFacts = said
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
            // Reported once: the obstacle stays until the app starts again.
            if toldObstacle != obstacle { listener.registered(obstacle) }
            return toldObstacle = obstacle
        }
        guard let send = setting.send, let request = registrar.next(now: now) else { return }
        // The app may be killed before the answer with the secret arrives.
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

    /// Has the server forget this device, and deletes everything kept here.
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
        campaignQueue.forget()
        perform([CampaignQueue.Effect]())
        perform(notificationQueue.forget())
        do {
            try journal.finish(gone, rest: [])
        } catch {
            listener.log("obsolete events cannot be removed from the journal: \(error)")
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
