/// The planner's pause between two polls of the lanes while it has shards to cut.
///
/// Each poll costs two transactions, whatever it finds, so a few shards at a time are expensive. The window keeps the
/// senders busy meanwhile. So the pause grows while less than an eighth of the window was taken, and shrinks as soon as
/// more than a quarter was.
public struct PlanningCadence: Sendable, Equatable {
    /// The shortest pause.
    public static let least = Duration.milliseconds(5)
    /// The longest pause.
    ///
    /// It is that of a planner with nothing to cut. One sender has its window of 128 shards and 64 more in hand, for
    /// about twice as long at the measured thousand shards a second (`fanfare bench sending`). A fleet's window is as
    /// many times larger as it has senders, so at the same rate it needs no more polls than one sender's.
    public static let most = PlannerSteps.idlePause

    /// The pause before the next poll.
    public private(set) var rest = PlanningCadence.least
    private var mostTaken = 0.0

    /// A planner that has just begun polls often.
    public init() {}

    /// Notes the free capacity of a lane's window before new shards took it.
    public mutating func saw(free: Int, of size: Int) {
        mostTaken = max(mostTaken, Double(free) / Double(max(1, size)))
    }

    /// Notes the end of a poll; `isCutting` is true if shards are left to be cut.
    public mutating func didPoll(isCutting: Bool) {
        defer { mostTaken = 0 }
        if !isCutting || mostTaken > 0.5 {
            rest = Self.least
        } else if mostTaken > 0.25 {
            rest = max(Self.least, rest / 2)
        } else if mostTaken < 0.125 {
            rest = min(Self.most, rest * 3 / 2)
        }
    }
}
