/// An instant on the driver's monotonic clock, in nanoseconds since an arbitrary start.
public struct MonotonicInstant: Sendable, Hashable, Comparable {
    /// The nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// An instant from nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The order of time.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the instant that is `span` later.
    public func advanced(by span: Duration) -> MonotonicInstant {
        let (seconds, attoseconds) = span.components
        return MonotonicInstant(nanoseconds: self.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Returns the time from `earlier` to this instant.
    public func since(_ earlier: MonotonicInstant) -> Duration {
        .nanoseconds(self.nanoseconds - earlier.nanoseconds)
    }
}
