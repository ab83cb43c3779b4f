public import Campaigns

/// Which of a rung's two queues a retry shard waits in (design, section 6).
///
/// `.a` waits the rung's time, `.b` a quarter longer, so that what failed together does not come back together.
public struct RungQueue: Hashable, Sendable, CustomStringConvertible {
    /// The rung.
    public var rung: Rung
    /// Whether it is the `.b` queue.
    public var isLonger: Bool

    /// A queue of a rung.
    public init(rung: Rung, isLonger: Bool) {
        self.rung = rung
        self.isLonger = isLonger
    }

    /// The choice for a shard by a random bit; never `.b` where that would come back too late and `.a` would not.
    public static func choose(_ rung: Rung, random: Bool, now: Timestamp, expiresAt: Timestamp) -> RungQueue {
        let longer = RungQueue(rung: rung, isLonger: true)
        return RungQueue(rung: rung, isLonger: random && now.advanced(by: longer.delay) < expiresAt)
    }

    /// All queues of all rungs, shortest first.
    public static let all = Rung.allCases.flatMap { rung in
        [RungQueue(rung: rung, isLonger: false), RungQueue(rung: rung, isLonger: true)]
    }

    /// How long a message stays in it: the queue's `message-ttl`.
    public var delay: Duration {
        isLonger ? rung.delay + rung.delay / 4 : rung.delay
    }

    /// The end of the queue's and the exchange's name, for example `30s.a`.
    public var description: String { "\(rung.name).\(isLonger ? "b" : "a")" }
}
