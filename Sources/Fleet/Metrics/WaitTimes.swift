import Campaigns

/// The times that jobs waited in their queue, from the producer's timestamp to the verdict, in buckets.
///
/// AMQP's timestamp has whole seconds, so a wait is accurate to a second. A value for one owner.
struct WaitTimes: Sendable, Equatable {
    /// The upper bounds of the buckets in seconds; longer waits have a bucket of their own.
    static let bounds: [Double] = [1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

    /// Jobs per bucket, not cumulative; one more than there are bounds.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all waits, in seconds.
    private(set) var total: Double = 0

    /// Counts a job that was published in this second; a producer's clock that is ahead gives a wait of zero.
    mutating func add(published second: Int64, now: Timestamp) {
        let wait = max(0, Double(now.milliseconds) / 1000 - Double(second))
        counts[Self.bounds.firstIndex { wait <= $0 } ?? Self.bounds.count] += 1
        total += wait
    }
}
