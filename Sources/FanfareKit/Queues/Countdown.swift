import Foundation

/// A countdown of seconds in front after which a disappeared view counts as closed; no clock, no I/O.
struct Countdown {
    static let seconds: TimeInterval = 5

    /// The seconds remaining for a view that disappeared.
    private var remaining: TimeInterval?
    private var isActive: Bool
    private var countedAt: Date

    init(isActive: Bool, now: Date) {
        self.isActive = isActive
        countedAt = now
    }

    /// The time at which `isOver` may become true; nil while no countdown runs.
    var wakeAt: Date? { isActive ? remaining.map { countedAt + $0 } : nil }

    /// Starts the countdown when the view disappears; a running countdown continues.
    mutating func begin(now: Date) {
        guard remaining == nil else { return }
        (remaining, countedAt) = (Self.seconds, now)
    }

    /// Stops the countdown: the view appeared again, as after a change of tabs, or ended.
    mutating func end() { remaining = nil }

    /// Handles the app coming to the front or leaving it.
    mutating func became(active: Bool, now: Date) {
        pass(now)
        isActive = active
    }

    /// Returns true if the countdown has run out.
    mutating func isOver(now: Date) -> Bool {
        pass(now)
        return remaining.map { $0 <= 0 } ?? false
    }

    private mutating func pass(_ now: Date) {
        if isActive, let left = remaining { remaining = left - now.timeIntervalSince(countedAt) }
        countedAt = now
    }
}
