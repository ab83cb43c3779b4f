public import Campaigns

/// The furthest that an instant in the ledger can be ahead of now, by its kind.
///
/// An instant further ahead was written by a wrong clock, and counts as passed. Otherwise everything that waits for it
/// would wait until the clock is as wrong again. Each kind is declared beside what writes it.
public struct FutureLimit: Sendable {
    /// The longest wait of this kind, without the tolerance.
    public let longest: Duration

    /// A kind of instants.
    init(_ longest: Duration) { self.longest = longest }

    /// The instant of a past action: a row's `since`, or a worker's last report.
    public static var done: FutureLimit { FutureLimit(.zero) }

    /// The tolerated difference between two workers' shared times; a worker further off reports it (`ClockStanding`).
    public static let tolerance = ClockStanding.toldFrom

    /// Returns the latest plausible instant; later ones count as passed.
    public func limit(_ now: Timestamp) -> Timestamp { now.advanced(by: longest + Self.tolerance) }

    /// Returns true if an instant has come, or is implausible.
    public func isPassed(_ instant: Timestamp, now: Timestamp) -> Bool { instant <= now || instant > limit(now) }
}
