public import Campaigns

/// Shards whose claims ended with their workers: each runs alone in its process, and what comes meanwhile waits, unacked.
///
/// A shard that kills its worker is found that way, and takes no other with it. Confined to the worker's control loop;
/// no clock of its own.
public struct Quarantine: Sendable {
    /// A shard with the message that is its lease.
    public struct Held: Equatable, Sendable {
        /// The shard.
        public var shard: Shard
        /// The message.
        public var delivery: ShardDelivery
        /// Its row, if it was accepted as claimed (the short way of urgent campaigns): it needs no claim any more.
        public var claimed: ShardRecord?

        /// A shard that waits.
        public init(_ shard: Shard, _ delivery: ShardDelivery, claimed: ShardRecord? = nil) {
            self.shard = shard
            self.delivery = delivery
            self.claimed = claimed
        }
    }

    /// What to do now that something has ended.
    public enum Step: Equatable, Sendable {
        /// Claim this shard, as the only one.
        case runAlone(Held)
        /// It is over: go on with all that waited.
        case goOn([Held])
    }

    /// The shard that is claimed or runs alone.
    public private(set) var alone: ShardKey?
    private var candidates: [Held] = []
    private var others: [Held] = []

    /// No shard is to run alone.
    public init() {}

    /// Whether no other shard is to be claimed or to begin.
    public var isOn: Bool { alone != nil || !candidates.isEmpty }

    /// A shard that is to run alone (`Claim.Decision.runAlone`).
    public mutating func add(_ held: Held) {
        if alone == held.shard.id.key { alone = nil }
        candidates.append(held)
    }

    /// A shard that waits until no other runs alone.
    public mutating func hold(_ held: Held) {
        others.append(held)
    }

    /// The broker has all messages again; a shard that still runs alone goes on to its end.
    ///
    /// Returns the rows that were claimed and have not begun: they are to be given up.
    public mutating func disconnected(_ running: RunningShards) -> [ShardRecord] {
        let claimed = others.compactMap(\.claimed)
        candidates = []
        others = []
        if let alone, !running.contains(alone) { self.alone = nil }
        return claimed
    }

    /// Asked whenever a run or a claim has ended: what to do, nil when that is to wait.
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
