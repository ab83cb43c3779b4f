import Foundation

/// Decides when a session of the app begins and ends; no clock, no I/O.
///
/// A session begins when the app comes to the front, and ends when the app was away for longer than the time-out. A
/// short look at another app does not end it.
struct SessionClock {
    /// The seconds away from the front after which a session is over.
    var timeout: TimeInterval = 30

    /// A period of use.
    struct Session: Equatable, Sendable {
        let id: UUID
        let startedAt: Date
    }

    /// A change of the session.
    enum Change: Equatable {
        case started(Session)
        /// The session lasted until the app left the front.
        case ended(Session, at: Date)
    }

    private(set) var current: Session?
    private var leftAt: Date?

    init(timeout: TimeInterval = 30) {
        self.timeout = timeout
    }

    /// The time at which `tick` is due; nil while there is none.
    var wakeAt: Date? { current == nil ? nil : leftAt.map { $0 + timeout } }

    /// Handles the app coming to the front; `id` is for a new session.
    mutating func becameActive(now: Date, id: UUID) -> [Change] {
        var changes = tick(now: now)
        leftAt = nil
        guard current == nil else { return changes }
        let session = Session(id: id, startedAt: now)
        current = session
        changes.append(.started(session))
        return changes
    }

    /// Handles the app leaving the front.
    mutating func resigned(now: Date) {
        if current != nil, leftAt == nil { leftAt = now }
    }

    /// Ends the session if its time-out is over.
    mutating func tick(now: Date) -> [Change] {
        guard let session = current, let left = leftAt, left + timeout <= now else { return [] }
        (current, leftAt) = (nil, nil)
        return [.ended(session, at: left)]
    }
}
