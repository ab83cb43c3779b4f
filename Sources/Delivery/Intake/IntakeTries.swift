/// The tries of a message that the ledger does not take, until it is parked.
///
/// A message is handled before those behind it (design, section 2). A failure of the message's own would recur for
/// ever, and everything behind it would wait. A failure of the ledger affects every message, so it does not count: then
/// all wait, unacked. Pure; the caller passes the time.
public struct IntakeTries: Sendable {
    /// The number of failed tries, over at least `timeout`, after which a message is parked.
    public static let triesMax = 5
    /// The time from the first failed try to the last.
    public static let timeout = Duration.seconds(60)
    /// The time between two tries while the ledger is unavailable to everybody.
    public static let pause = Duration.seconds(1)

    /// The action after a failed try.
    public enum Step: Equatable, Sendable {
        /// Try again after this time.
        case again(after: Duration)
        /// Park it with the error.
        case park
    }

    private var failures = 0
    private var firstAt: MonotonicInstant?

    /// A message that was not tried yet.
    public init() {}

    /// Notes a failed try; `isOfLedger` is true if the ledger fails for everything.
    public mutating func failed(isOfLedger: Bool, now: MonotonicInstant) -> Step {
        if isOfLedger { return .again(after: Self.pause) }
        let first = firstAt ?? now
        firstAt = first
        failures += 1
        if failures >= Self.triesMax, now.since(first) >= Self.timeout { return .park }
        return .again(after: Self.timeout / (Self.triesMax - 1))
    }
}
