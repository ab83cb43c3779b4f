import Foundation

/// When a session of the app begins and ends; no clock, no I/O.
///
/// A session begins when the app comes to the front, and ends when it was away for longer than the time-out: who looks at
/// another app for a moment has not left.
struct SessionClock {
    /// Seconds away from the front after which a session is over.
    var timeout: TimeInterval = 30

    /// A stretch of use.
    struct Session: Equatable, Sendable {
        let id: UUID
        let startedAt: Date
    }

    /// What happened.
    enum Change: Equatable {
        case started(Session)
        /// It lasted until the app left the front.
        case ended(Session, at: Date)
    }

    private(set) var current: Session?
    private var leftAt: Date?

    init(timeout: TimeInterval = 30) {
        self.timeout = timeout
    }

    /// When `tick` is to be called; nil: when something happens.
    var wakeAt: Date? { current == nil ? nil : leftAt.map { $0 + timeout } }

    /// The app came to the front; `id` is what a new session is called.
    mutating func becameActive(now: Date, id: UUID) -> [Change] {
        var changes = tick(now: now)
        leftAt = nil
        guard current == nil else { return changes }
        let session = Session(id: id, startedAt: now)
        current = session
        changes.append(.started(session))
        return changes
    }

    /// The app left the front.
    mutating func resigned(now: Date) {
        if current != nil, leftAt == nil { leftAt = now }
    }

    /// Time has passed.
    mutating func tick(now: Date) -> [Change] {
        guard let session = current, let left = leftAt, left + timeout <= now else { return [] }
        (current, leftAt) = (nil, nil)
        return [.ended(session, at: left)]
    }
}
