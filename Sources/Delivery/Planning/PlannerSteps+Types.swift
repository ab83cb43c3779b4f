public import Campaigns

extension PlannerSteps {
    /// A planner's step, one at a time; the driver reports its result by the function that the step names.
    public enum Step: Sendable, Equatable {
        /// Wait until this instant, or until somebody wakes the planner.
        case rest(until: MonotonicInstant)
        /// Read the present facts of these held campaigns; then `didRead(held:_:)`.
        case readHeld(Set<UInt32>)
        /// Publish the first shards of a campaign that was fired: their rows are on their way since that commit.
        case publishFired([ShardToPublish])
        /// Complete those of these campaigns that are done.
        case complete(Set<UInt32>)
        /// End what is due, and take and renew leases; then `leased(_:ranges:consumers:accounts:isEnding:)`.
        case lease
        /// Give all leases back, so that others have the campaigns at once.
        case giveUpLeases
        /// Look whether there is anything to lease, and who sweeps; then `didLook(_:_:)`.
        case lookForLeases
        /// Write the first shards of a held campaign; then `prepared(_:)`.
        case prepare(LeasedCampaign, shardsMax: Int)
        /// Let a campaign supersede older ones; then `released(_:)`.
        case release(campaign: UInt32)
        /// Check whether a probe of an open breaker is due; then `didCheckProbe(isDue:)`.
        case checkProbe(LeasedCampaign)
        /// Let one shard through an open breaker.
        case probe(LeasedCampaign)
        /// Check whether shards of a campaign are set aside; then `didCheckAside(isThere:_:)`.
        case checkAside(LeasedCampaign)
        /// Publish shards that were set aside for reasons that have ended; then `releasedAside(_:)`.
        case releaseAside(LeasedCampaign, limit: Int)
        /// Settle some of the rows that ended campaigns have left; then `endedPiece(isMore:)`.
        case endPiece
        /// Make the due run of a repeated campaign; then `madeRun(_:)`, or `failed(_:)`.
        case makeRun(LeasedCampaign)
        /// Give turns to a campaign; `providers` are those whose quota its shards may need; then `gaveTurns(rest:_:)`.
        case giveTurns(LeasedCampaign, providers: Set<ProviderName>)
        /// Extend the computed quiet hours before they are needed.
        case extendQuiet
        /// Publish again shards that have waited this long for a confirm; nil for the campaigns of all planners.
        case publishLeft(campaign: UInt32?, age: Duration)
        /// Publish anew a campaign's messages that the broker has lost.
        case republishLost(LeasedCampaign)
        /// Drop lists that nobody wants, learn dead tokens, drop old events.
        case sweepLists
        /// Write the tokens of an in-app campaign's lists, for about this long; then `preparedInApp(_:_:)`, or
        /// `failed(_:)`.
        case prepareInApp(LeasedCampaign, upTo: Duration)
        /// Let an in-app campaign go live; then `beganInApp(_:)`, or `failed(_:)`.
        case beginInApp(LeasedCampaign)
        /// Materialise an audience or a range of one, in a `FreezingSlice`; then `froze(_:)`, or `failed(_:)`.
        case freeze(LeasedAudience, upTo: Duration)
        /// Drop the open work on an audience that is no longer this planner's, or that has no seat.
        case leave(AudienceKey)
        /// Drop the open work on an in-app campaign that is no longer this planner's.
        case forget(campaign: UInt32)
        /// Read what is out and unclaimed; then `didRead(window:_:)`.
        case readWindow
        /// Cut and publish shards; then `cut(_:)`.
        case cut(LeasedCampaign, shardsMax: Int)
    }

    /// The driver's state when it asks for the next step.
    public struct Observation: Sendable {
        /// The instant.
        public var now: MonotonicInstant
        /// The instant on the clock that all workers share.
        public var shared: Timestamp
        /// True if the host's wall clock is near enough to the shared time to take leases and to expire
        /// (`ClockStanding`).
        public var isInTime: Bool
        /// True if the broker takes publishes.
        public var isTaking: Bool
        /// True if somebody has hinted since the last step that campaigns may have changed.
        public var isHinted: Bool
        /// The campaigns with settlements since the last step.
        public var progressed: Set<UInt32>

        /// A driver's state.
        public init(
            now: MonotonicInstant,
            shared: Timestamp,
            isInTime: Bool = true,
            isTaking: Bool = true,
            isHinted: Bool = false,
            progressed: Set<UInt32> = []
        ) {
            self.now = now
            self.shared = shared
            self.isInTime = isInTime
            self.isTaking = isTaking
            self.isHinted = isHinted
            self.progressed = progressed
        }
    }

    /// The present facts of a held campaign; in a campaign of several providers, of one share.
    public struct Held: Sendable {
        /// The campaign.
        public var facts: CampaignFacts
        /// The urgency of its lane.
        public var urgency: Urgency

        /// The facts of a campaign.
        public init(_ facts: CampaignFacts, urgency: Urgency) {
            (self.facts, self.urgency) = (facts, urgency)
        }
    }

    /// The result of `cut`.
    public enum Cut: Sendable, Equatable {
        /// The number of shards; fewer than asked for at the campaign's end, and under the guard.
        case planned(Int)
        /// Another planner has the campaign, or it is paused or over.
        case nothing
        /// As many devices are out as may be before the guard has decided.
        case guarded
    }

    /// The result of a step of work that takes several steps.
    public enum Work: Sendable, Equatable {
        /// There is more to do.
        case goesOn
        /// The work is complete.
        case done
        /// Another planner has the campaign, or it is over.
        case fenced
    }

    /// The result of `freeze`.
    public enum Freezing: Sendable, Equatable {
        /// There is more to do.
        case goesOn
        /// A piece of an audience that flows is frozen: its chunks may be cut now. There is more to do.
        case passed
        /// The audience flows from now on: this planner has its first range, and the next pass leases it.
        case flows
        /// The audience is complete, or its range.
        case done
        /// Another planner has the campaign, or it is over.
        case fenced
    }

    /// The stage of a pass; the next stage begins when the steps of this one are done.
    enum Stage: Equatable {
        /// Waits until the instant, or until somebody wakes the planner. Next: `holding`.
        case resting(until: MonotonicInstant)
        /// Woken; without a hint it waits while other processes make room. Next: `fired`.
        case holding
        /// Held campaigns that were fired, before everything else. Next: `progressed`.
        case fired
        /// Campaigns that may be done. Next: `leasing`.
        case progressed
        /// Next: `leased` if leases were taken, else `ending`.
        case leasing
        /// Campaigns that may be done, and those that were fired meanwhile. Next: `preparing`.
        case leased
        /// Next: `superseding`.
        case preparing
        /// Next: `asides`.
        case superseding
        /// Next: `ending`.
        case asides
        /// Next: `runs`.
        case ending
        /// Next: `turns`.
        case runs
        /// Next: `sweeping`.
        case turns
        /// Next: `inApp`.
        case sweeping
        /// Next: `cutting`.
        case inApp
        /// Before the audiences: what is frozen is cut before more is frozen. Next: `audiences`.
        case cutting
        /// Next: `resting`.
        case audiences
    }
}
