/// Arrivals in seconds, for a campaign that may make so many requests a second.
struct RateBuckets: Sendable, Equatable {
    /// Requests by second, the first one's instant being the first second's beginning; the last one is not whole.
    let seconds: [Int]
    /// The most requests in any second, wherever it begins.
    let most: Int

    /// Of instants in nanoseconds, in any order.
    init(arrivals: [Int64]) {
        let instants = arrivals.sorted()
        guard let first = instants.first, let last = instants.last else {
            (seconds, most) = ([], 0)
            return
        }
        var seconds = Array(repeating: 0, count: Int((last - first) / Self.second) + 1)
        var (most, start) = (0, 0)
        for (index, instant) in instants.enumerated() {
            seconds[Int((instant - first) / Self.second)] += 1
            while instant - instants[start] >= Self.second { start += 1 }
            most = max(most, index - start + 1)
        }
        (self.seconds, self.most) = (seconds, most)
    }

    private static let second: Int64 = 1_000_000_000

    /// The seconds behind the first two and before so many last ones: the last of all is not whole, and at the end of a
    /// campaign with retries only those are left.
    func steady(tail: Int = 1) -> ArraySlice<Int> { seconds.dropLast(tail).dropFirst(2) }
}
