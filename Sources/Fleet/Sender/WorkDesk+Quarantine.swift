import Campaigns
import Delivery
import Logging

/// Shards whose claims ended with their workers: each runs alone, and what comes meanwhile waits, unacked.
///
/// Confined to the desk's loop.
struct Quarantine {
    /// A shard with the message that is its lease.
    typealias Held = (shard: Shard, delivery: ShardDelivery)

    /// The shard that is claimed or runs alone.
    private(set) var alone: ShardKey?
    private var candidates: [Held] = []
    private var others: [Held] = []

    /// Whether no other shard is to be claimed.
    var isOn: Bool { alone != nil || !candidates.isEmpty }

    /// A shard that is to run alone.
    mutating func add(_ shard: Shard, _ delivery: ShardDelivery) {
        if alone == shard.id.key { alone = nil }
        candidates.append((shard, delivery))
    }

    /// A shard that waits until no other runs alone.
    mutating func hold(_ shard: Shard, _ delivery: ShardDelivery) {
        others.append((shard, delivery))
    }

    /// The broker has all messages again; a shard that still runs goes on to its end.
    mutating func disconnected(isRunning: (ShardKey) -> Bool) {
        candidates = []
        others = []
        if let alone, !isRunning(alone) { self.alone = nil }
    }

    /// Nothing runs any more: the next shard that may be claimed, as the only one.
    mutating func next() -> Held? {
        guard alone == nil, !candidates.isEmpty else { return nil }
        let next = candidates.removeFirst()
        alone = next.shard.id.key
        return next
    }

    /// The shard that ran alone has ended; returns what waited when no other is to run alone.
    mutating func ended() -> [Held] {
        alone = nil
        guard candidates.isEmpty else { return [] }
        defer { others = [] }
        return others
    }
}

extension WorkDesk {
    /// Goes on with quarantined shards when what ran has ended.
    func goOnAlone() {
        guard quarantine.isOn else { return }
        if let alone = quarantine.alone, !running.contains(alone) {
            for held in quarantine.ended() { arrived(held.shard, held.delivery) }
        }
        guard running.count == 0, let next = quarantine.next() else { return }
        logger.warning(
            "a shard whose last claims ended with their workers runs alone",
            metadata: ["shard": "\(next.shard.id)"]
        )
        follow(running.arrived(next.shard.id.key, next.delivery), next.shard, next.delivery)
    }
}
