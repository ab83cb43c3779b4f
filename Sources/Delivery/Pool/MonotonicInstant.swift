/// A point on the driver's monotonic clock, in nanoseconds since some start of its own.
public struct MonotonicInstant: Sendable, Hashable, Comparable {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// A point from nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The order of time.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The point that lies `span` later.
    public func advanced(by span: Duration) -> MonotonicInstant {
        let (seconds, attoseconds) = span.components
        return MonotonicInstant(nanoseconds: self.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The time from `earlier` to this point.
    public func since(_ earlier: MonotonicInstant) -> Duration {
        .nanoseconds(self.nanoseconds - earlier.nanoseconds)
    }
}
