/// How often a message is tried that the ledger does not take, and when it is parked (design, section 2: a message is
/// handled before those behind it).
///
/// What fails for the message's own sake would fail for ever, and everything behind it would wait. What is the ledger's
/// trouble, which every message has, counts for nothing: then all wait, unacked. Pure; the clock is handed in.
public struct IntakeTries: Sendable {
    /// So many tries fail before a message is parked, over `patience` at least.
    public static let triesMax = 5
    /// From the first failed try to the last.
    public static let patience = Duration.seconds(60)
    /// Between two tries while the ledger is not there for anybody.
    public static let pause = Duration.seconds(1)

    /// What is done after a failed try.
    public enum Step: Equatable, Sendable {
        /// Try again after so long.
        case again(after: Duration)
        /// Park it with the error.
        case park
    }

    private var failures = 0
    private var firstAt: MonotonicInstant?

    /// A message that was not tried yet.
    public init() {}

    /// A try has failed; `isOfLedger` is whether the ledger has the trouble with everything.
    public mutating func failed(isOfLedger: Bool, now: MonotonicInstant) -> Step {
        if isOfLedger { return .again(after: Self.pause) }
        let first = firstAt ?? now
        firstAt = first
        failures += 1
        if failures >= Self.triesMax, now.since(first) >= Self.patience { return .park }
        return .again(after: Self.patience / (Self.triesMax - 1))
    }
}
