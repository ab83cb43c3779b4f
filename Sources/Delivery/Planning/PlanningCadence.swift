/// How long a planner rests between two looks at the lanes while it has shards to cut.
///
/// Each look costs two transactions, whatever it finds, so a few shards at a time are dear. The window is what senders
/// have in hand meanwhile: the rest grows while less than an eighth of it was taken, and shrinks as soon as more than a
/// quarter was.
public struct PlanningCadence: Sendable, Equatable {
    /// The shortest rest.
    public static let least = Duration.milliseconds(5)
    /// The longest rest: one sender takes its window of 128 shards in about three times as long, at the thousand shards
    /// a second that were measured (`fanfare bench sending`).
    public static let most = Duration.milliseconds(40)

    /// How long to rest before the next look.
    public private(set) var rest = PlanningCadence.least
    private var mostTaken = 0.0

    /// A planner that has just begun looks often.
    public init() {}

    /// A lane had so many free places of its window's size, before new shards took them.
    public mutating func saw(free: Int, of size: Int) {
        mostTaken = max(mostTaken, Double(free) / Double(max(1, size)))
    }

    /// A look is over; `isCutting` when shards are left to be cut.
    public mutating func looked(isCutting: Bool) {
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
