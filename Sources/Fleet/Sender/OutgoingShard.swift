import Campaigns
import Delivery

/// A shard on its way to the broker: its row and the source of its message.
struct OutgoingShard {
    var record: ShardRecord
    private var publishes: (ShardPublisher, @escaping (Bool) -> Void) -> Void

    /// Creates one from a shard of the ledger's outbox.
    init(_ shard: ShardToPublish) {
        record = shard.record
        publishes = { publisher, done in publisher.publish(shard, done) }
    }

    /// Creates one whose devices are in memory.
    init(_ record: ShardRecord, _ shard: Shard) {
        self.record = record
        publishes = { publisher, done in
            publisher.publish(
                record,
                body: Self.encoded(shard),
                lane: shard.lane,
                expiresAt: shard.facts.expiresAt,
                done
            )
        }
    }

    /// Publishes the shard; `done` receives true when the broker has confirmed it.
    func publish(to publisher: ShardPublisher, _ done: @escaping (Bool) -> Void) {
        publishes(publisher, done)
    }

    private static func encoded(_ shard: Shard) -> [UInt8] {
        do { return try shard.encoded() } catch { preconditionFailure("\(shard.id) cannot be encoded: \(error)") }
    }
}
