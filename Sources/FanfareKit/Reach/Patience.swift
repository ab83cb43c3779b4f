import Foundation

/// Seconds in front after which a view that is gone without a word counts as closed; no clock, no I/O.
struct Patience {
    static let seconds: TimeInterval = 5

    /// So many are left of a view that is gone.
    private var remaining: TimeInterval?
    private var isActive: Bool
    private var countedAt: Date

    init(isActive: Bool, now: Date) {
        self.isActive = isActive
        countedAt = now
    }

    /// When `isOver` may be true; nil: not before something happens.
    var wakeAt: Date? { isActive ? remaining.map { countedAt + $0 } : nil }

    /// The view is gone; one that is gone already goes on as it was.
    mutating func begin(now: Date) {
        guard remaining == nil else { return }
        (remaining, countedAt) = (Self.seconds, now)
    }

    /// The view is there again, as after a tab that was changed, or of no interest any more.
    mutating func end() { remaining = nil }

    /// The app came to the front, or went away from it.
    mutating func became(active: Bool, now: Date) {
        pass(now)
        isActive = active
    }

    /// Whether it has lasted too long.
    mutating func isOver(now: Date) -> Bool {
        pass(now)
        return remaining.map { $0 <= 0 } ?? false
    }

    private mutating func pass(_ now: Date) {
        if isActive, let left = remaining { remaining = left - now.timeIntervalSince(countedAt) }
        countedAt = now
    }
}
