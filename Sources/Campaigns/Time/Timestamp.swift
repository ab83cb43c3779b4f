/// An instant on the time shared by all workers of a ledger, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Every instant that is stored, or compared between hosts, has this type. It comes from `Ledger.now`, never from a
/// host's wall clock, whose instants have another type (`WallInstant`). Durations inside a process are monotonic. The
/// pure tier never reads a clock: the drivers pass instants in.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch; negative before it.
    public var milliseconds: Int64

    /// The last instant that RFC 3339 can represent, used as the end of anything without one.
    public static let distantFuture = Timestamp(milliseconds: 253_402_300_799_999)

    /// The instant as an end for people; nil if there is none, because nobody means the year 9999.
    public var asEnd: Timestamp? { self == .distantFuture ? nil : self }

    /// Creates an instant from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since the Unix epoch, rounded down (as in `apns-expiration`).
    public var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    }

    /// Orders instants chronologically.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the instant a duration later, in whole milliseconds, saturating at the limits of `Int64`.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1000)
        let delta = overflowed ? (seconds < 0 ? Int64.min : Int64.max) : product &+ attoseconds / 1_000_000_000_000_000
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        return Timestamp(milliseconds: overflow ? (delta < 0 ? .min : .max) : sum)
    }

    /// Returns the duration from another instant to this one; negative if this one is earlier.
    public func since(_ other: Timestamp) -> Duration {
        .milliseconds(milliseconds - other.milliseconds)
    }
}
