public import Campaigns

/// The shared time of a ledger that only one host's processes use: a stored anchor, and the host's monotonic clock
/// since.
///
/// The host's wall clock is the only source of the time, but a step of it is not time that has passed. So the shared
/// time follows the monotonic clock, whatever the wall clock does. It approaches the wall clock in two ways that expire
/// nothing and stop nothing:
///
/// * always, slowly: by one part in a hundred, which is within the tolerance of a rate;
/// * at once, if nothing is open that has begun, or that would begin or end on the way (`Facts.isAtRest`). A step of
///   more than a day is adopted like that only while no worker is alive: it would discard what is kept for days.
///
/// After a boot nobody knows how long the host was down. Then the wall clock's time counts, but none earlier than the
/// last recorded one. Pure: the caller passes the time; all processes of the host compute the same from one anchor.
public struct HostAnchor: Sendable, Equatable {
    /// The id of the kernel's run to which the monotonic instants belong.
    public var boot: String
    /// The instant at which the anchor was set.
    public var at: MonotonicInstant
    /// The lead of the shared time over the monotonic clock at that instant, in microseconds.
    public var lead: Int64
    /// The lead to be reached: the wall clock's, in microseconds.
    public var goal: Int64

    /// The divisor of the passing time by which the shared time approaches the wall clock's.
    public static let slewShare: Int64 = 100
    /// The largest difference that is no step; the clocks run at one rate.
    public static let slack = Duration.milliseconds(20)
    /// The difference from which it is a step, which is adopted at once if nothing is open.
    public static let stepMin = Duration.seconds(1)
    /// The longest step that is adopted while workers are alive: a day, and a change to or from summer time.
    public static let stepMax = Duration.seconds(25 * 3600)

    /// The facts by which the anchor is judged.
    public struct Facts: Sendable, Equatable {
        /// The id of the kernel's present run.
        public var boot: String
        /// The monotonic clock, which continues while the host sleeps.
        public var monotonic: MonotonicInstant
        /// The host's wall clock.
        public var wall: WallInstant
        /// The latest recorded shared instant.
        public var last: Timestamp?
        /// True if nothing is open that has begun, or that begins or ends before the later of both times.
        public var isAtRest: Bool
        /// True if no worker is alive.
        public var isUnattended: Bool

        /// Facts for a judgment.
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

    /// Returns the lead of the shared time over the monotonic clock at an instant, in microseconds.
    public func lead(at instant: MonotonicInstant) -> Int64 {
        let most = max(0, instant.microseconds - at.microseconds) / Self.slewShare
        return lead + max(-most, min(most, goal - lead))
    }

    /// Returns the lead of the wall clock over the shared time, in microseconds; 0 without a valid anchor.
    public static func step(_ stored: HostAnchor?, _ facts: Facts) -> Int64 {
        guard let stored, stored.holds(facts) else { return 0 }
        return facts.wallLead - stored.lead(at: facts.monotonic)
    }

    /// Returns true if the step is one for which `Facts.isAtRest` and `Facts.isUnattended` matter.
    public static func isStep(_ step: Int64) -> Bool { step.magnitude >= stepMin.microseconds }

    /// Returns the anchor that holds from now on: the stored one as long as nothing contradicts it.
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

    /// Returns true if the anchor is valid: a monotonic clock that is behind its own past is another one.
    private func holds(_ facts: Facts) -> Bool { boot == facts.boot && at <= facts.monotonic }
}

extension HostAnchor.Facts {
    fileprivate func anchor(lead: Int64) -> HostAnchor {
        HostAnchor(boot: boot, at: monotonic, lead: lead, goal: wallLead)
    }
}

extension Duration {
    /// The whole microseconds of a duration; 0 if it is negative.
    fileprivate var microseconds: Int64 { self / .microseconds(1) >= 0 ? Int64(self / .microseconds(1)) : 0 }
}
