/// The position in the outbox.
///
/// It passes events that a full queue refused, which are tried again after a while and so block no others.
///
/// Each try publishes the event to all of its queues again, even those that took it, so the pause doubles from one
/// second to thirty while events are refused.
struct EventRound {
    static let pauseMin = Duration.seconds(1)
    static let pauseMax = Duration.seconds(30)

    /// The last event that was tried; 0 at the head of the outbox.
    private(set) var after: Int64 = 0
    private var pause = Self.pauseMin
    /// The instant at which refused events are tried again; nil without any.
    private var againAt: ContinuousClock.Instant?

    /// Notes that an event was published, dropped or refused.
    mutating func passed(_ sequence: Int64) {
        after = sequence
    }

    /// Notes that an event was refused: it stays in the outbox.
    mutating func refused(now: ContinuousClock.Instant) {
        if againAt == nil { againAt = now + pause }
    }

    /// Notes the end of a wait: returns to the head of the outbox, unless the events there were refused just now.
    mutating func waited(now: ContinuousClock.Instant) {
        guard let againAt else {
            (after, pause) = (0, Self.pauseMin)
            return
        }
        guard now >= againAt else { return }
        after = 0
        pause = min(pause * 2, Self.pauseMax)
        self.againAt = nil
    }
}
