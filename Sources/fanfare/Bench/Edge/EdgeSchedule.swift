/// When each request of a rush is due: evenly spread, whatever became of those before.
struct EdgeSchedule: Sendable {
    /// Requests in all; they are numbered from 0.
    let total: Int
    /// Requests that are due in a second.
    let perSecond: Int

    /// When a request is due, in nanoseconds from the rush's beginning.
    ///
    /// Rounded up, so that ``due(after:)`` counts it at that very nanosecond.
    func instant(of number: Int) -> Int64 {
        (Int64(number) * 1_000_000_000 + Int64(perSecond) - 1) / Int64(perSecond)
    }

    /// How many requests are due after so many nanoseconds.
    func due(after nanoseconds: Int64) -> Int {
        guard nanoseconds >= 0 else { return 0 }
        // Above this all are due, and the product below would leave 64 bits at last.
        guard nanoseconds < instant(of: total) else { return total }
        return min(total, Int(nanoseconds * Int64(perSecond) / 1_000_000_000) + 1)
    }
}
