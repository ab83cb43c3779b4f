import Seeds

/// A RabbitMQ node as strict as the real one, on the bytes of AMQP 0-9-1: what a worker uses of it.
///
/// Its traps are those of `reference/reliability.md`: a confirm means synced, not routed; a return precedes its ack; a
/// missing exchange, queue or delivery tag ends the channel; an alarm stops the reading from connections that publish;
/// a connection that is lost gives its messages back, counted and marked redelivered.
final class Broker: SimulatedService {
    let host: SimulatedHost
    let runQueue: RunQueue
    let trace: Trace
    private(set) var isListening = true
    private(set) var queues: [String: QuorumQueue] = [:]
    /// The queues that an exchange routes to, by routing key; `#` stands for every key.
    private(set) var exchanges: [String: [String: Set<String>]] = ["": [:]]
    private(set) var sessions: [BrokerSession] = []
    private(set) var isAlarmed = false
    /// The publishes that are refused from now on.
    var refusals = 0
    /// The exchanges that route nowhere at present.
    var unbound: Set<String> = []
    var random: SeededRandom
    private var isSyncScheduled = false
    private var consumersMade = 0
    /// Called with each message that became safe.
    var stored: (_ queue: String, _ message: BrokerMessage) -> Void = { _, _ in }
    /// Called with each delivery to a consumer.
    var delivered: (_ queue: String, _ message: BrokerMessage) -> Void = { _, _ in }
    /// Called with the id of each message without a route, and of each that is refused.
    var returned: (_ id: String) -> Void = { _ in }
    var refused: (_ id: String) -> Void = { _ in }
    /// Called with each fault of a client: a correct driver makes none.
    var faulted: (_ fault: String) -> Void = { _ in }
    /// Called with each message that was acked.
    var acked: (_ queue: String, _ message: BrokerMessage) -> Void = { _, _ in }

    init(_ host: SimulatedHost, trace: Trace, seed: UInt64) {
        self.host = host
        self.trace = trace
        runQueue = host.runQueue("broker")
        random = SeededRandom(seed: seed ^ 0x5EED_0003)
    }

    func nextConsumer() -> Int {
        consumersMade += 1
        return consumersMade
    }

    // MARK: - Topology

    func declare(queue name: String, _ policy: QuorumQueue.Policy = .init()) {
        queues[name] = QuorumQueue(name, policy)
    }

    func declare(exchange name: String) { exchanges[name, default: [:]] = exchanges[name] ?? [:] }

    /// Declares a queue of one connection, which is gone with it.
    func declareExclusive(_ name: String) { queues[name] = QuorumQueue(name, isTransient: true) }

    /// Removes a queue of a connection that is gone.
    func remove(queue name: String) {
        queues[name] = nil
        for (exchange, bindings) in exchanges {
            exchanges[exchange] = bindings.mapValues { $0.subtracting([name]) }
        }
    }

    func bind(queue: String, to exchange: String, key: String = "#") {
        exchanges[exchange, default: [:]][key, default: []].insert(queue)
    }

    /// Returns the queues of a message, in the order of their names.
    func route(_ exchange: String, _ key: String) -> [QuorumQueue] {
        if exchange.isEmpty { return queues[key].map { [$0] } ?? [] }
        guard !unbound.contains(exchange), let bindings = exchanges[exchange] else { return [] }
        let names = (bindings[key] ?? []).union(bindings["#"] ?? [])
        return names.sorted().compactMap { queues[$0] }
    }

    // MARK: - Connections

    func accept(_ connection: SimulatedConnection) -> any SimulatedSession {
        let session = BrokerSession(connection, broker: self)
        sessions.append(session)
        return session
    }

    func forget(_ session: BrokerSession) { sessions.removeAll { $0 === session } }

    // MARK: - Storage

    /// Enqueues a message in its queues; `whenStored` is called once all of them have synced it.
    func enqueue(_ message: BrokerMessage, in targets: [QuorumQueue], whenStored: @escaping () -> Void) {
        var missing = targets.count
        for queue in targets {
            queue.enqueue(message, at: host.monotonic) { [weak self] in
                self?.stored(queue.name, message)
                missing -= 1
                if missing == 0 { whenStored() }
            }
        }
        wake()
    }

    func ack(_ entry: QuorumQueue.Entry, in queue: QuorumQueue) {
        queue.ack(entry)
        acked(queue.name, entry.message)
        wake()
    }

    /// Has the queues deliver, sync and expire soon; call it after every change.
    func wake() {
        guard !isSyncScheduled else { return }
        isSyncScheduled = true
        host.schedule(after: 200_000 + Int64(random.below(3_000_000)), on: runQueue) { [weak self] in self?.turn() }
    }

    private func turn() {
        isSyncScheduled = false
        guard isListening else { return }
        for queue in inOrder {
            queue.sync()
            for entry in queue.takeDead(at: host.monotonic) { deadLetter(entry, of: queue) }
            queue.deliver()
        }
        for session in sessions { session.flush() }
        if inOrder.contains(where: \.needsSync) { wake() }
        if let next = inOrder.compactMap(\.nextExpiry).min() {
            host.schedule(at: max(next, host.monotonic + 1_000_000), on: runQueue) { [weak self] in self?.wake() }
        }
    }

    /// True if these queues have no message left.
    func isEmpty(of names: [String]) -> Bool { names.allSatisfy { queues[$0]?.entries.isEmpty ?? true } }

    private var inOrder: [QuorumQueue] { queues.values.sorted { $0.name < $1.name } }

    /// Forwards a message at least once: it leaves its queue when the target has it.
    private func deadLetter(_ entry: QuorumQueue.Entry, of queue: QuorumQueue) {
        guard let exchange = queue.policy.deadLetters else { return }
        let targets = route(exchange, entry.message.routingKey)
        guard !targets.isEmpty, !targets.contains(where: \.isFull) else {
            // RabbitMQ tries again after three minutes (measured).
            host.schedule(after: 180_000_000_000, on: runQueue) { [weak self] in
                guard let self, queues[queue.name] === queue, entry.isLeaving else { return }
                deadLetter(entry, of: queue)
            }
            return
        }
        trace.note("broker", "\(entry.message.id) leaves \(queue.name)")
        var message = entry.message
        message.exchange = exchange
        enqueue(message, in: targets) { [weak self] in
            queue.ack(entry)
            self?.wake()
        }
    }

    // MARK: - Faults

    /// Ends the node: what is not synced is lost, and every connection.
    func crash(for nanoseconds: Int64, on network: SimulatedNetwork) {
        guard isListening else { return }
        trace.note("broker", "crashes for \(nanoseconds / 1_000_000) ms")
        isListening = false
        network.cutAll(of: host)
        for session in sessions { session.lost() }
        sessions = []
        for queue in inOrder where !queue.isTransient { queue.crash() }
        isAlarmed = false
        host.scheduler.happen(after: nanoseconds) { [self] in
            trace.note("broker", "is back")
            isListening = true
            isSyncScheduled = false
            host.scheduler.add({ self.wake() }, to: runQueue)
        }
    }

    /// Raises or ends an alarm: while it lasts, connections that publish are not read.
    func alarm(_ isOn: Bool) {
        guard isListening, isAlarmed != isOn else { return }
        trace.note("broker", isOn ? "raises an alarm" : "ends its alarm")
        isAlarmed = isOn
        for session in sessions { session.alarmChanged() }
    }

    /// Leaves a queue without its leader for a time.
    func loseLeader(of name: String, for nanoseconds: Int64) {
        guard let queue = queues[name], !queue.isLeaderless else { return }
        trace.note("broker", "\(name) has no leader for \(nanoseconds / 1_000_000) ms")
        queue.isLeaderless = true
        host.scheduler.happen(after: nanoseconds) { [self] in
            queue.isLeaderless = false
            host.scheduler.add({ self.wake() }, to: runQueue)
        }
    }
}
