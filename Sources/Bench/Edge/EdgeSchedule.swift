/// The due times of a rush's requests: evenly spread, independent of earlier answers.
struct EdgeSchedule: Sendable {
    /// The number of requests, which are numbered from 0.
    let total: Int
    /// Requests due in a second.
    let perSecond: Int

    /// Returns a request's due time, in nanoseconds from the rush's beginning.
    ///
    /// Rounded up, so that ``due(after:)`` counts it at that very nanosecond.
    func instant(of number: Int) -> Int64 {
        (Int64(number) * 1_000_000_000 + Int64(perSecond) - 1) / Int64(perSecond)
    }

    /// Returns the number of requests due after so many nanoseconds.
    func due(after nanoseconds: Int64) -> Int {
        guard nanoseconds >= 0 else { return 0 }
        // From here on all are due, and the product below would eventually overflow 64 bits.
        guard nanoseconds < instant(of: total) else { return total }
        return min(total, Int(nanoseconds * Int64(perSecond) / 1_000_000_000) + 1)
    }
}
