public import Campaigns

/// The shared time that a process derives from a database server's clock, on the monotonic clock between two answers.
///
/// The server's clock is the shared time, whatever this host's wall clock says. An answer bounds it from both sides:
/// the server read its clock after it was asked and before it answered. Bounds are intersected, and widen with age. So
/// a slow answer, or one that had to wait for a lock, moves nothing. Pure: the caller passes the time.
public struct ServerClock: Sendable, Equatable {
    /// An answer of the server.
    public struct Sample: Sendable, Equatable {
        /// The time of the server's clock, in whole milliseconds, rounded down.
        public var server: Timestamp
        /// The instant of the question, on this process's monotonic clock.
        public var asked: MonotonicInstant
        /// The instant of the answer's arrival.
        public var answered: MonotonicInstant

        /// An answer.
        public init(server: Timestamp, asked: MonotonicInstant, answered: MonotonicInstant) {
            self.server = server
            self.asked = asked
            self.answered = max(asked, answered)
        }

        fileprivate var bounds: ClosedRange<Int64> {
            let instant = server.milliseconds * 1000
            return instant - answered.microseconds...instant + 1000 - asked.microseconds
        }
    }

    /// The divisor for the drift between two clocks: one part in a thousand, twice NTP's largest correction (500 ppm).
    public static let driftShare: Int64 = 1000

    /// The bounds of the lead as of `heardAt`, in microseconds.
    private var bounds: ClosedRange<Int64>
    private var heardAt: MonotonicInstant
    /// The lead of the shared time over the monotonic clock, in microseconds.
    public private(set) var lead: Int64

    /// A clock from the first answer.
    public init(_ sample: Sample) {
        bounds = sample.bounds
        heardAt = sample.answered
        lead = (bounds.lowerBound + bounds.upperBound) / 2
    }

    /// Takes another answer.
    ///
    /// If the bounds contradict it, the server's clock was set, or it is another server: then the answer is believed.
    public mutating func heard(_ sample: Sample) {
        let drift = max(0, sample.answered.microseconds - heardAt.microseconds) / Self.driftShare
        let low = max(bounds.lowerBound - drift, sample.bounds.lowerBound)
        let high = min(bounds.upperBound + drift, sample.bounds.upperBound)
        guard low <= high else { return self = ServerClock(sample) }
        bounds = low...high
        heardAt = max(heardAt, sample.answered)
        lead = min(max(lead, low), high)
    }
}

extension MonotonicInstant {
    /// Whole microseconds since the clock's start, rounded down.
    public var microseconds: Int64 { nanoseconds / 1000 }

    /// Returns the shared time at this instant, which is `lead` microseconds behind it.
    public func shared(lead: Int64) -> Timestamp { Timestamp(milliseconds: (microseconds + lead) / 1000) }
}
