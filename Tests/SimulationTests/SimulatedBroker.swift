import Campaigns
import Delivery
import Seeds

/// RabbitMQ as far as it matters here: queues that redeliver, rungs that delay, publishes whose confirm is lost.
struct SimulatedBroker {
    struct Message {
        var key: ShardKey
        var generation: UInt32
        var body: [UInt8]
        /// True once a consumer had it and was lost; a rung does not clear it, because the message was never consumed
        /// there.
        var redelivered = false
        /// The number of consumers that had it and were lost.
        var returns = 0
        /// True for the message of an urgent campaign, which has no shard of its own.
        var isCampaign = false
    }

    private(set) var ready: [Message] = []
    private var rungs: [(due: Timestamp, message: Message)] = []

    var isEmpty: Bool { ready.isEmpty }

    /// The time at which the next message comes off a rung.
    var nextDue: Timestamp? { rungs.map(\.due).min() }

    mutating func publish(_ message: Message, to queue: RungQueue?, now: Timestamp) {
        if let queue {
            rungs.append((now.advanced(by: queue.delay), message))
        } else {
            ready.append(message)
        }
    }

    /// Moves due messages to the work queue; at-least-once dead-lettering may do so twice.
    mutating func release(now: Timestamp, duplicate: Double, random: inout SeededRandom) {
        guard rungs.contains(where: { $0.due <= now }) else { return }
        let due = rungs.filter { $0.due <= now }
        rungs.removeAll { $0.due <= now }
        for (_, message) in due {
            ready.append(message)
            if random.chance(duplicate) { ready.append(message) }
        }
    }

    mutating func deliver(random: inout SeededRandom) -> Message? {
        ready.isEmpty ? nil : ready.remove(at: random.below(min(ready.count, 4)))
    }

    mutating func requeue(_ message: Message) {
        var message = message
        message.redelivered = true
        message.returns += 1
        ready.insert(message, at: 0)  // returned messages come first
    }

    mutating func purgeOne(random: inout SeededRandom) {
        if !ready.isEmpty { ready.remove(at: random.below(ready.count)) }
    }
}
