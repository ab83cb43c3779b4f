/// Decides whether deadlines may be judged now, or only after the loop has read what came while it stood still.
///
/// A process that was stopped or waited for a core wakes up with timers long over and with answers unread. Judged at
/// once, every open request would be unknown, and its device sent to again.
public struct DeadlineFairness: Sendable {
    /// The lateness of a timer from which the loop has stood still.
    static let lateMost: Duration = .milliseconds(500)
    /// The time for the loop to read its sockets before deadlines are judged again.
    static let pause: Duration = .milliseconds(100)
    /// The number of consecutive late timers that judge nothing; a loop that is always late must not judge never.
    static let latesMost = 3

    private var lates = 0
    private var notBefore: MonotonicInstant?

    /// A loop that has not been late.
    public init() {}

    /// Notes that the timer for `due` ran at `now`.
    ///
    /// - Returns: The instant at which to ask again, or nil if deadlines may be judged now.
    public mutating func postponed(due: MonotonicInstant, now: MonotonicInstant) -> MonotonicInstant? {
        if now.since(due) > Self.lateMost, self.lates < Self.latesMost {
            self.lates += 1
            self.notBefore = now.advanced(by: Self.pause)
        } else if self.notBefore.map({ now >= $0 }) ?? true {
            self.lates = 0
            self.notBefore = nil
        }
        return self.notBefore
    }
}
