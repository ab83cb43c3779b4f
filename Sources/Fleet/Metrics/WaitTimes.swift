import Campaigns
import Delivery

/// How long jobs waited in their queue, in buckets: from the producer's timestamp to the verdict.
///
/// AMQP's timestamp has whole seconds, so a wait is right to a second. A value for one owner.
struct WaitTimes: Sendable, Equatable {
    /// Upper bounds of the buckets in seconds; what is above the last has a bucket of its own.
    static let bounds: [Double] = [1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

    /// Jobs per bucket, not cumulated; one more than there are bounds.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All waits together, in seconds.
    private(set) var total: Double = 0

    /// Counts a job that was published in this second; a producer's clock that is ahead makes no negative wait.
    mutating func add(published second: Int64, now: Timestamp) {
        let wait = max(0, Double(now.milliseconds) / 1000 - Double(second))
        counts[Self.bounds.firstIndex { wait <= $0 } ?? Self.bounds.count] += 1
        total += wait
    }
}
