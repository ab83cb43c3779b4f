/// A quorum queue on one node: what is synced survives the node's crash, and only what is synced is confirmed.
///
/// A transient one stands for the classic queue of a connection.
///
/// It knows nothing of connections: consumers are closures that take a message or refuse it.
final class QuorumQueue {
    /// The settings of a policy.
    struct Policy {
        /// The time after which a message leaves for `deadLetters`, in nanoseconds.
        var ttl: Int64?
        /// The exchange of messages that expired or were delivered too often.
        var deadLetters: String?
        var deliveryLimit: Int?
        /// The messages above which a publish is refused.
        var lengthMax: Int?
    }

    /// A message in the queue.
    final class Entry {
        let message: BrokerMessage
        /// The position in the queue; a message that is requeued keeps it.
        let number: Int
        let arrivedAt: Int64
        var deliveries = 0
        var isSynced = false
        /// True once it was acked; it is gone for good when that is synced.
        var isAcked = false
        /// True while it is being forwarded to a dead-letter exchange.
        var isLeaving = false

        init(_ message: BrokerMessage, _ number: Int, at now: Int64) {
            self.message = message
            self.number = number
            arrivedAt = now
        }
    }

    /// One consumer: an id, its room, and what it does with a message.
    struct Consumer {
        var id: Int
        var room: () -> Bool
        var deliver: (Entry) -> Void
    }

    let name: String
    let policy: Policy
    /// True if it belongs to a connection.
    let isTransient: Bool
    /// Everything that is not gone for good, in the order of arrival.
    private(set) var entries: [Entry] = []
    private var ready: [Entry] = []
    private var consumers: [Consumer] = []
    private var nextConsumer = 0
    private var arrived = 0
    /// Called when the messages of a sync are safe.
    private var waitingForSync: [() -> Void] = []
    /// True while the queue has no leader: it takes nothing, gives nothing and confirms nothing.
    var isLeaderless = false

    init(_ name: String, _ policy: Policy = Policy(), isTransient: Bool = false) {
        self.name = name
        self.isTransient = isTransient
        self.policy = policy
    }

    var readyCount: Int { ready.count }
    var consumerCount: Int { consumers.count }
    /// True if a publish is refused.
    var isFull: Bool { policy.lengthMax.map { entries.count > $0 } ?? false }
    var needsSync: Bool { !waitingForSync.isEmpty && !isLeaderless }

    // MARK: - Messages

    /// Takes a message; `whenSynced` is called once it survives a crash.
    func enqueue(_ message: BrokerMessage, at now: Int64, whenSynced: @escaping () -> Void) {
        let entry = Entry(message, arrived, at: now)
        arrived += 1
        entries.append(entry)
        ready.append(entry)
        waitingForSync.append {
            entry.isSynced = true
            whenSynced()
        }
    }

    /// Removes a delivered message.
    func ack(_ entry: Entry) {
        entry.isAcked = true
        waitingForSync.append { [weak self] in self?.entries.removeAll { $0 === entry } }
    }

    /// Puts delivered messages back where they were.
    func requeue(_ returned: [Entry]) {
        ready = (returned + ready).sorted { $0.number < $1.number }
    }

    /// Makes safe what waits for it.
    func sync() {
        guard !isLeaderless else { return }
        let waiting = waitingForSync
        waitingForSync = []
        for body in waiting { body() }
    }

    /// Loses what is not synced, as the crash of the node does; what was delivered comes again.
    func crash() {
        waitingForSync = []
        consumers = []
        entries.removeAll { !$0.isSynced }
        for entry in entries {
            entry.isAcked = false
            entry.isLeaving = false
        }
        ready = entries
    }

    /// Removes and returns the messages that leave for the dead-letter exchange: too old, or delivered too often.
    func takeDead(at now: Int64) -> [Entry] {
        guard policy.deadLetters != nil, !isLeaderless else { return [] }
        let dead = ready.filter { entry in
            let isOld = policy.ttl.map { now - entry.arrivedAt >= $0 } ?? false
            return isOld || (policy.deliveryLimit.map { entry.deliveries > $0 } ?? false)
        }
        for entry in dead { entry.isLeaving = true }
        ready.removeAll(where: \.isLeaving)
        return dead
    }

    /// The instant at which the oldest ready message expires.
    var nextExpiry: Int64? {
        guard let ttl = policy.ttl else { return nil }
        return ready.first.map { $0.arrivedAt + ttl }
    }

    // MARK: - Consumers

    func add(_ consumer: Consumer) { consumers.append(consumer) }

    func removeConsumer(_ id: Int) { consumers.removeAll { $0.id == id } }

    /// Gives ready messages to consumers that have room, in turn.
    func deliver() {
        guard !isLeaderless else { return }
        while let entry = ready.first, let consumer = takeConsumer() {
            ready.removeFirst()
            consumer.deliver(entry)
            entry.deliveries += 1
        }
    }

    private func takeConsumer() -> Consumer? {
        for offset in 0..<consumers.count {
            let at = (nextConsumer + offset) % consumers.count
            guard consumers[at].room() else { continue }
            nextConsumer = (at + 1) % consumers.count
            return consumers[at]
        }
        return nil
    }
}
