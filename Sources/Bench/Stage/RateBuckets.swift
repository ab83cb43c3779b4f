/// Arrivals by second, for a campaign with a rate.
struct RateBuckets: Sendable, Equatable {
    /// Requests by second, from the first arrival on; the last second is incomplete.
    let seconds: [Int]
    /// The most requests in any second, wherever it begins.
    let most: Int

    /// Takes instants in nanoseconds, in any order.
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

    /// Returns the seconds without the first two and the last `tail`: the very last one is incomplete, and the end of a
    /// campaign with retries has nothing but retries.
    func steady(tail: Int = 1) -> ArraySlice<Int> { seconds.dropLast(tail).dropFirst(2) }
}
