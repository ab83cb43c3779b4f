public import Campaigns

/// The shared time as a process knows it from a database server's clock: on the monotonic clock between two answers.
///
/// The server's clock is the shared time, whatever this host's wall clock says. An answer bounds it from both sides: the
/// server read its clock after it was asked and before it answered. Bounds are intersected, and drift apart with age, so
/// a slow answer, or one that had to wait for a lock, moves nothing. Pure: instants are handed in.
public struct ServerClock: Sendable, Equatable {
    /// A server's word.
    public struct Sample: Sendable, Equatable {
        /// What its clock said, in whole milliseconds, rounded down.
        public var server: Timestamp
        /// When it was asked, on this process's monotonic clock.
        public var asked: MonotonicInstant
        /// When its answer was here.
        public var answered: MonotonicInstant

        /// A word.
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

    /// How far two clocks may drift apart: twice what NTP corrects at most (500 ppm), one part in a thousand.
    public static let driftShare: Int64 = 1000

    /// The bounds of the lead as of `heardAt`, in microseconds.
    private var bounds: ClosedRange<Int64>
    private var heardAt: MonotonicInstant
    /// How far the shared time is ahead of the monotonic clock, in microseconds.
    public private(set) var lead: Int64

    /// What the first answer says.
    public init(_ sample: Sample) {
        bounds = sample.bounds
        heardAt = sample.answered
        lead = (bounds.lowerBound + bounds.upperBound) / 2
    }

    /// Another answer; one that the bounds contradict is a server whose clock was set, or another server, and believed.
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

    /// The shared time at this instant, of which it is `lead` microseconds behind.
    public func shared(lead: Int64) -> Timestamp { Timestamp(milliseconds: (microseconds + lead) / 1000) }
}
