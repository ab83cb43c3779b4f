import Campaigns
import Delivery
import Seeds

/// The host of a ledger in a file: its monotonic clock, a wall clock that somebody sets, and the time that follows.
struct SimulatedHost {
    private static let steps: [Int64] = [-86_400, -3600, -10, 10, 3600, 86_400]

    /// What has really passed, in milliseconds.
    private var elapsed: Int64 = 1_000_000
    private var wall: WallInstant
    private var anchor: HostAnchor?
    private let believesWall: Bool

    init(at start: Timestamp, broken: BrokenRule?) {
        wall = WallInstant(milliseconds: start.milliseconds)
        believesWall = broken == .wallClockBelieved
        look()
    }

    /// Now, on the time that all workers share.
    var now: Timestamp {
        let instant = MonotonicInstant(nanoseconds: elapsed * 1_000_000)
        guard !believesWall, let anchor else { return wall.asRead }
        return instant.shared(lead: anchor.lead(at: instant))
    }

    /// Time passes.
    mutating func pass(_ duration: Duration) {
        let milliseconds = Int64(duration / .milliseconds(1))
        elapsed += milliseconds
        wall.milliseconds += milliseconds
        look()
    }

    /// Somebody sets the wall clock.
    mutating func step(random: inout SeededRandom) {
        wall.milliseconds += Self.steps[random.below(Self.steps.count)] * 1000
        look()
    }

    private mutating func look() {
        // The campaign is open until the end, so that no step is ever taken at once.
        let facts = HostAnchor.Facts(
            boot: "one",
            monotonic: MonotonicInstant(nanoseconds: elapsed * 1_000_000),
            wall: wall
        )
        anchor = HostAnchor.judged(anchor, facts)
    }
}
