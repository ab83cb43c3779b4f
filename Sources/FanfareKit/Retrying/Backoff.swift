import Foundation

/// The wait after consecutive failures: it doubles each time, with jitter, so that a million phones do not come back at
/// once.
///
/// No clock, no randomness of its own.
struct Backoff: Sendable, Equatable {
    /// The seconds after the first failure.
    var first: TimeInterval = 2
    /// The longest wait in seconds.
    var longest: TimeInterval = 15 * 60
    private(set) var failures = 0

    /// Returns the seconds to wait; `chance` is from 0 to below 1, `floor` is the wait that the server asked for.
    mutating func failed(chance: Double, floor: TimeInterval? = nil) -> TimeInterval {
        let whole = min(longest, first * pow(2, Double(min(failures, 30))))
        failures += 1
        // One half is fixed, the other is jitter; the server's wait is the minimum, with jitter on top.
        let drawn = whole / 2 + whole / 2 * chance
        return max(drawn, floor.map { $0 * (1 + 0.25 * chance) } ?? 0)
    }

    /// Resets the wait after a success.
    mutating func worked() { failures = 0 }
}
