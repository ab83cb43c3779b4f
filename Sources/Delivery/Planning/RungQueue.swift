public import Campaigns

/// One of the two queues of a rung, in which a retry shard waits (design, section 6).
///
/// `.a` waits the rung's time and `.b` a quarter longer, so that shards that failed together do not come back together.
public struct RungQueue: Hashable, Sendable, CustomStringConvertible {
    /// The rung.
    public var rung: Rung
    /// The side.
    public var side: RungSide

    /// A queue of a rung.
    public init(rung: Rung, side: RungSide) {
        self.rung = rung
        self.side = side
    }

    /// Chooses the queue for a shard by a random bit; nil if the shard would come back too late from either.
    ///
    /// It never chooses `.b` if `.b` is too late and `.a` is not. A shard that is published late, because its first
    /// publish found no broker, does not wait its whole rung again. It gets the smallest rung that does not end before
    /// the shard is due. After nil the shard stays in the ledger until it is due.
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

    /// The time that a message stays in it: the queue's `message-ttl`.
    public var delay: Duration { side.delay(of: rung) }

    /// The suffix of the queue's and the exchange's name, for example `30s.a`.
    public var description: String { "\(rung.name).\(side.rawValue)" }
}

extension FutureLimit {
    /// The wait of a retry.
    public static var rung: FutureLimit { FutureLimit(RungQueue(rung: .hours2, side: .b).delay) }
}
