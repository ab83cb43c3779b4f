/// A provider's answer times in a histogram that costs a comparison or two for each answer.
public struct AnswerTimes: Sendable, Equatable {
    /// The upper bounds of the buckets in seconds; longer times have a bucket of their own.
    ///
    /// OpenTelemetry advises these for `http.client.request.duration` (semantic conventions, HTTP metrics).
    public static let bounds: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    private static let nanoseconds = bounds.map { Int64($0 * 1_000_000_000) }

    /// The answers in each bucket, not cumulated; one more than there are bounds.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all times, in nanoseconds.
    public private(set) var total: Int64 = 0

    /// No answers yet.
    public init() {}

    /// The number of answers.
    public var count: UInt64 { self.counts.reduce(0, +) }

    /// The mean of all times in seconds; nil without an answer.
    public var meanSeconds: Double? {
        let count = self.count
        return count == 0 ? nil : Double(self.total) / 1e9 / Double(count)
    }

    /// Counts an answer that took this many nanoseconds.
    public mutating func add(nanoseconds: Int64) {
        var bucket = 0
        while bucket < Self.nanoseconds.count, nanoseconds > Self.nanoseconds[bucket] { bucket += 1 }
        self.counts[bucket] &+= 1
        self.total &+= nanoseconds
    }

    /// Adds all answers of another histogram.
    public mutating func add(_ other: AnswerTimes) {
        for bucket in self.counts.indices { self.counts[bucket] &+= other.counts[bucket] }
        self.total &+= other.total
    }
}
