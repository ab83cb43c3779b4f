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
    public static func choose(_ rung: Rung, random: Bool, now: Timestamp, expiresAt: Timestamp) -> RungQueue {
        let longer = RungQueue(rung: rung, side: .b)
        let isInTime = now.advanced(by: longer.delay) < expiresAt
        return random && isInTime ? longer : RungQueue(rung: rung, side: .a)
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
