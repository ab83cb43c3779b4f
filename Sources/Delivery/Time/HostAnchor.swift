public import Campaigns

/// The shared time of a ledger that one host's processes have for themselves: a stored anchor, and the host's monotonic
/// clock since.
///
/// The host's wall clock is all there is to say what time it is, but a step of it is no time that has passed. So the time
/// goes on by the monotonic clock, whatever the wall clock does, and comes to the wall clock's in one of two ways that
/// expire nothing and stop nothing:
///
/// * all the time, slowly: one part in a hundred, which is within what a rate may be off;
/// * at once, when nothing is open that has begun, or that would begin or end on the way (`Facts.isAtRest`). A step of
///   more than a day is taken so only while no worker lives: what is kept for days would be thrown away by it.
///
/// After a boot nobody knows how long the host was down: then it is the wall clock's time, but no earlier than what was
/// written down last. Pure: instants are handed in; all processes of the host compute the same from one anchor.
public struct HostAnchor: Sendable, Equatable {
    /// Which run of the kernel the monotonic instants are of.
    public var boot: String
    /// When the anchor was set.
    public var at: MonotonicInstant
    /// How far the shared time was ahead of the monotonic clock then, in microseconds.
    public var lead: Int64
    /// Where the lead goes: the wall clock's, in microseconds.
    public var goal: Int64

    /// The time comes nearer to the wall clock's by one part in so many of what passes.
    public static let slewShare: Int64 = 100
    /// A difference that is no step; the clocks run at one rate.
    public static let slack = Duration.milliseconds(20)
    /// From here on a difference is a step, which is adopted at once if nothing is open.
    public static let stepMin = Duration.seconds(1)
    /// The longest step that is adopted while workers live: a day, and a change to or from summer time.
    public static let stepMax = Duration.seconds(25 * 3600)

    /// What is known when the anchor is looked at.
    public struct Facts: Sendable, Equatable {
        /// Which run of the kernel this is.
        public var boot: String
        /// The monotonic clock, which goes on while the host sleeps.
        public var monotonic: MonotonicInstant
        /// The host's wall clock.
        public var wall: WallInstant
        /// The latest shared instant that was written down.
        public var last: Timestamp?
        /// Nothing is open that has begun, or that begins or ends before both times.
        public var isAtRest: Bool
        /// No worker lives.
        public var isUnattended: Bool

        /// What is known.
        public init(
            boot: String,
            monotonic: MonotonicInstant,
            wall: WallInstant,
            last: Timestamp? = nil,
            isAtRest: Bool = false,
            isUnattended: Bool = false
        ) {
            self.boot = boot
            self.monotonic = monotonic
            self.wall = wall
            self.last = last
            self.isAtRest = isAtRest
            self.isUnattended = isUnattended
        }

        fileprivate var wallLead: Int64 { wall.milliseconds * 1000 - monotonic.microseconds }
    }

    /// An anchor, as it is stored.
    public init(boot: String, at: MonotonicInstant, lead: Int64, goal: Int64) {
        self.boot = boot
        self.at = at
        self.lead = lead
        self.goal = goal
    }

    /// How far the shared time is ahead of the monotonic clock at an instant, in microseconds.
    public func lead(at instant: MonotonicInstant) -> Int64 {
        let most = max(0, instant.microseconds - at.microseconds) / Self.slewShare
        return lead + max(-most, min(most, goal - lead))
    }

    /// How far the wall clock is ahead of the shared time, in microseconds; 0 without an anchor that holds.
    public static func step(_ stored: HostAnchor?, _ facts: Facts) -> Int64 {
        guard let stored, stored.holds(facts) else { return 0 }
        return facts.wallLead - stored.lead(at: facts.monotonic)
    }

    /// Whether the step is one for which `Facts.isAtRest` and `Facts.isUnattended` matter.
    public static func isStep(_ step: Int64) -> Bool { step.magnitude >= stepMin.microseconds }

    /// The anchor that holds from now on: the stored one as long as nothing speaks against it.
    public static func judged(_ stored: HostAnchor?, _ facts: Facts) -> HostAnchor {
        guard let stored, stored.holds(facts) else {
            let last = facts.last.map { $0.milliseconds * 1000 - facts.monotonic.microseconds }
            return facts.anchor(lead: max(facts.wallLead, last ?? facts.wallLead))
        }
        let step = step(stored, facts)
        if isStep(step), facts.isAtRest, facts.isUnattended || step.magnitude <= stepMax.microseconds {
            return facts.anchor(lead: facts.wallLead)
        }
        guard (facts.wallLead - stored.goal).magnitude > slack.microseconds else { return stored }
        return facts.anchor(lead: stored.lead(at: facts.monotonic))
    }

    /// A monotonic clock that is behind its own past is another one.
    private func holds(_ facts: Facts) -> Bool { boot == facts.boot && at <= facts.monotonic }
}

extension HostAnchor.Facts {
    fileprivate func anchor(lead: Int64) -> HostAnchor {
        HostAnchor(boot: boot, at: monotonic, lead: lead, goal: wallLead)
    }
}

extension Duration {
    /// Whole microseconds of a length that is not negative.
    fileprivate var microseconds: Int64 { self / .microseconds(1) >= 0 ? Int64(self / .microseconds(1)) : 0 }
}
