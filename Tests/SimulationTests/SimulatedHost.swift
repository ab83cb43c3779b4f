import Campaigns
import Delivery
import Seeds

/// The host of a ledger in a file: its monotonic clock, its settable wall clock, and the time derived from both.
struct SimulatedHost {
    private static let steps: [Int64] = [-86_400, -3600, -10, 10, 3600, 86_400]

    /// The time that has really passed, in milliseconds.
    private var elapsed: Int64 = 1_000_000
    private var wall: WallInstant
    private var anchor: HostAnchor?
    private let believesWall: Bool

    init(at start: Timestamp, broken: BrokenRule?) {
        wall = WallInstant(milliseconds: start.milliseconds)
        believesWall = broken == .wallClockBelieved
        look()
    }

    /// The current time, which all workers share.
    var now: Timestamp {
        let instant = MonotonicInstant(nanoseconds: elapsed * 1_000_000)
        guard !believesWall, let anchor else { return wall.asRead }
        return instant.shared(lead: anchor.lead(at: instant))
    }

    /// Lets time pass.
    mutating func pass(_ duration: Duration) {
        let milliseconds = Int64(duration / .milliseconds(1))
        elapsed += milliseconds
        wall.milliseconds += milliseconds
        look()
    }

    /// Sets the wall clock by a random step.
    mutating func step(random: inout SeededRandom) {
        wall.milliseconds += Self.steps[random.below(Self.steps.count)] * 1000
        look()
    }

    private mutating func look() {
        // The campaign stays open until the end, so that no step is ever accepted at once.
        let facts = HostAnchor.Facts(
            boot: "one",
            monotonic: MonotonicInstant(nanoseconds: elapsed * 1_000_000),
            wall: wall
        )
        anchor = HostAnchor.judged(anchor, facts)
    }
}
