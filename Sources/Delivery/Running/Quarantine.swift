public import Campaigns

/// Shards whose claims ended with their workers: each runs alone in its process, and other deliveries wait, unacked.
///
/// That finds a shard that kills its worker, and takes no other with it. Confined to the worker's control loop; it has
/// no clock of its own.
public struct Quarantine: Sendable {
    /// A shard with the message that is its lease.
    public struct Held: Equatable, Sendable {
        /// The shard.
        public var shard: Shard
        /// The message.
        public var delivery: ShardDelivery
        /// The row if it was accepted as claimed (the fast path of urgent campaigns): it needs no further claim.
        public var claimed: ShardRecord?

        /// A shard that waits.
        public init(_ shard: Shard, _ delivery: ShardDelivery, claimed: ShardRecord? = nil) {
            self.shard = shard
            self.delivery = delivery
            self.claimed = claimed
        }
    }

    /// The next step after something has ended.
    public enum Step: Equatable, Sendable {
        /// Claim this shard, as the only one.
        case runAlone(Held)
        /// The shard that ran alone is over: continue with all that waited.
        case goOn([Held])
    }

    /// The shard that is claimed or runs alone.
    public private(set) var alone: ShardKey?
    private var candidates: [Held] = []
    private var others: [Held] = []

    /// No shard is to run alone.
    public init() {}

    /// True if no other shard is to be claimed or to begin.
    public var isOn: Bool { alone != nil || !candidates.isEmpty }

    /// Adds a shard that is to run alone (`Claim.Decision.runAlone`).
    public mutating func add(_ held: Held) {
        if alone == held.shard.id.key { alone = nil }
        candidates.append(held)
    }

    /// Holds a shard until no other runs alone.
    public mutating func hold(_ held: Held) {
        others.append(held)
    }

    /// Drops what waits, because the broker has all messages again; a shard that still runs alone continues to its end.
    ///
    /// Returns the rows that were claimed and have not begun: they are to be given up.
    public mutating func disconnected(_ running: RunningShards) -> [ShardRecord] {
        let claimed = others.compactMap(\.claimed)
        candidates = []
        others = []
        if let alone, !running.contains(alone) { self.alone = nil }
        return claimed
    }

    /// Returns the next step after a run or a claim has ended; nil if it has to wait.
    public mutating func next(_ running: RunningShards) -> Step? {
        guard isOn else { return nil }
        if let alone, running.contains(alone) { return nil }
        alone = nil
        if candidates.isEmpty {
            defer { others = [] }
            return .goOn(others)
        }
        guard running.count == 0 else { return nil }
        let next = candidates.removeFirst()
        alone = next.shard.id.key
        return .runAlone(next)
    }
}
