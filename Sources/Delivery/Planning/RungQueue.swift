public import Campaigns

/// Which of a rung's two queues a retry shard waits in (design, section 6).
///
/// `.a` waits the rung's time, `.b` a quarter longer, so that what failed together does not come back together.
public struct RungQueue: Hashable, Sendable, CustomStringConvertible {
    /// The rung.
    public var rung: Rung
    /// Which of the two.
    public var side: RungSide

    /// A queue of a rung.
    public init(rung: Rung, side: RungSide) {
        self.rung = rung
        self.side = side
    }

    /// The choice for a shard by a random bit; never `.b` where that would come back too late and `.a` would not.
    ///
    /// What is published late, because its first publish found no broker, does not wait its whole rung again: the
    /// smallest that is not over before it is due. nil when even that one would be over too late: then the shard stays
    /// in the ledger until it is due.
    public static func choose(
        _ rung: Rung,
        dueAt: Timestamp,
        random: Bool,
        now: Timestamp,
        expiresAt: Timestamp
    ) -> RungQueue? {
        let left = dueAt.since(now)
        let shortest = Rung.allCases.first { $0 >= rung || $0.delay >= left } ?? rung
        let longer = RungQueue(rung: shortest, side: .b)
        if random, now.advanced(by: longer.delay) < expiresAt { return longer }
        let shorter = RungQueue(rung: shortest, side: .a)
        return now.advanced(by: shorter.delay) < expiresAt ? shorter : nil
    }

    /// All queues of all rungs, shortest first.
    public static let all = Rung.allCases.flatMap { rung in
        RungSide.allCases.map { RungQueue(rung: rung, side: $0) }
    }

    /// How long a message stays in it: the queue's `message-ttl`.
    public var delay: Duration { side.delay(of: rung) }

    /// The end of the queue's and the exchange's name, for example `30s.a`.
    public var description: String { "\(rung.name).\(side.rawValue)" }
}
