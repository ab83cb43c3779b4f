import Foundation

/// How long to wait after failures in a row: twice as long each time, with chance, so that a million phones do not come
/// back at once; no clock, no randomness of its own.
struct Backoff: Sendable, Equatable {
    /// Seconds after the first failure.
    var first: TimeInterval = 2
    /// Seconds at most.
    var longest: TimeInterval = 15 * 60
    private(set) var failures = 0

    /// Seconds to wait now; `chance` is from 0 to below 1, `floor` what the server asked for.
    mutating func failed(chance: Double, floor: TimeInterval? = nil) -> TimeInterval {
        let whole = min(longest, first * pow(2, Double(min(failures, 30))))
        failures += 1
        // Half of it is certain, the other half is drawn; what the server asks for is the least, spread likewise.
        let drawn = whole / 2 + whole / 2 * chance
        return max(drawn, floor.map { $0 * (1 + 0.25 * chance) } ?? 0)
    }

    /// It worked.
    mutating func worked() { failures = 0 }
}
