/// Where the outlet stands in the outbox: behind events that somebody's full queue refused, which are tried again after
/// a while, so that they stand in nobody's way.
///
/// Each try goes to all queues of an event again, those that took it too, so the pause doubles from one second to thirty
/// while events are refused.
struct EventRound {
    static let pauseMin = Duration.seconds(1)
    static let pauseMax = Duration.seconds(30)

    /// The last event that was tried; 0 at the head of the outbox.
    private(set) var after: Int64 = 0
    private var pause = Self.pauseMin
    /// When refused events are tried again; nil without any.
    private var againAt: ContinuousClock.Instant?

    /// An event was published, dropped or refused.
    mutating func passed(_ sequence: Int64) {
        after = sequence
    }

    /// An event was refused: it stays in the outbox.
    mutating func refused(now: ContinuousClock.Instant) {
        if againAt == nil { againAt = now + pause }
    }

    /// A pause is over: goes back to the head of the outbox, unless what stands there was refused just now.
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
