public import Campaigns

/// The work that a planner may take from others, now and later.
public struct LeaseOutlook: Sendable, Equatable {
    /// True if a campaign, a range of an audience or an end that is due has no planner, or one whose lease has lapsed.
    public var isAnyFree: Bool
    /// The instant at which the first lease of another planner lapses unless it is renewed; nil if there is none.
    public var nextEnd: Timestamp?
    /// True if this is the planner that sweeps for all.
    public var isSweeper: Bool

    /// An outlook.
    public init(isAnyFree: Bool, nextEnd: Timestamp?, isSweeper: Bool) {
        (self.isAnyFree, self.nextEnd, self.isSweeper) = (isAnyFree, nextEnd, isSweeper)
    }

    /// Returns the time until the next look: no lease of now can lapse before it, and what is given back or new waits
    /// no longer than for the renewal of a lease.
    public func pause(at shared: Timestamp) -> Duration {
        let pause = PlannerSteps.leasePause
        guard let nextEnd else { return pause }
        return min(pause, max(PlannerSteps.idlePause, nextEnd.since(shared)))
    }
}
