public import Campaigns

/// The devices of a campaign that got an outcome, by the time at which they did: intervals of one length, from the
/// campaign's start to its end.
///
/// The length is the shortest of `steps` with which the curve has at most `pointsMax` intervals, so a campaign of a
/// month costs a reader no more than one of a minute. Intervals begin at multiples of it since the epoch: a curve that
/// grows keeps its points until it changes its length.
public struct RateCurve: Sendable, Equatable {
    /// The largest number of intervals, as long as a campaign takes less than 20 years.
    public static let pointsMax = 240

    /// The lengths of an interval in seconds: those of clocks and calendars.
    private static let steps: [Int64] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800,
        2_592_000,
    ]

    /// The beginning of the first interval.
    public let beginsAt: Timestamp
    /// The end of the last interval, which is shorter than the others.
    public let endsAt: Timestamp
    /// The length of an interval in seconds.
    public let step: Int64
    /// The devices of each interval by outcome; at least one interval.
    public private(set) var points: [OutcomeCounts]

    /// Creates a curve without devices.
    ///
    /// - Parameters:
    ///   - start: The campaign's start.
    ///   - end: Its end, or now for a campaign that goes on; an earlier one than the start counts as the start.
    public init(from start: Timestamp, until end: Timestamp) {
        let (start, end) = (start.milliseconds, max(start, end).milliseconds)
        var (step, first, last) = (Int64(1), start, end)
        for length in Self.steps {
            (step, first, last) = (length, start / (length * 1000), end / (length * 1000))
            if last - first < Self.pointsMax { break }
        }
        self.step = step
        beginsAt = Timestamp(milliseconds: first * step * 1000)
        endsAt = Timestamp(milliseconds: end)
        points = Array(repeating: OutcomeCounts(), count: Int(min(last - first, 10 * Int64(Self.pointsMax))) + 1)
    }

    /// Adds devices to an interval, counted from 0; what is before the first or behind the last counts there, so that
    /// no device is missing from the sum.
    public mutating func add(_ counts: OutcomeCounts, to point: Int) {
        points[min(max(0, point), points.count - 1)] += counts
    }
}
