public import Campaigns

extension PlannerSteps {
    /// What a planner does, one at a time; what comes of it is told by the function that a step names.
    public enum Step: Sendable, Equatable {
        /// Sleep until this instant, or until somebody wakes the planner.
        case rest(until: MonotonicInstant)
        /// Read what these held campaigns are now; then `looked(at:_:)`.
        case lookAtHeld(Set<UInt32>)
        /// Publish the first shards of a campaign that was fired: their rows are on their way since that commit.
        case publishFired([ShardToPublish])
        /// Complete those of these campaigns that are done.
        case complete(Set<UInt32>)
        /// End what is due, and take and renew leases; then `leased(_:consumers:accounts:isEnding:)`.
        case lease
        /// Give all leases back, so that others have the campaigns at once.
        case giveUpLeases
        /// Look whether another planner has not renewed a lease in time; then `lookedBehind(hasLapsed:_:)`.
        case lookBehind
        /// Write the first shards of a held campaign; then `prepared(_:)`.
        case prepare(LeasedCampaign, shardsMax: Int)
        /// Let a campaign take the place of older ones; then `released(_:)`.
        case release(campaign: UInt32)
        /// Look whether a probe of an open breaker is due; then `lookedForProbe(isDue:)`.
        case lookForProbe(LeasedCampaign)
        /// Let one shard through an open breaker.
        case probe(LeasedCampaign)
        /// Look whether anything of a campaign is set aside; then `lookedForAside(isThere:_:)`.
        case lookForAside(LeasedCampaign)
        /// Publish what was set aside for reasons that have ended; then `releasedAside(_:)`.
        case releaseAside(LeasedCampaign, limit: Int)
        /// Settle a piece of what campaigns that are over have left; then `endedPiece(isMore:)`.
        case endPiece
        /// Make the run that is due of a repeated campaign; then `madeRun(_:)`, or `failed(_:)`.
        case makeRun(LeasedCampaign)
        /// Give turns to a campaign; `providers` are those whose quota its shards may wait for. Then `gaveTurns(rest:_:)`.
        case giveTurns(LeasedCampaign, providers: Set<ProviderName>)
        /// Compute quiet hours further, before they are needed.
        case extendQuiet
        /// Publish again what has waited so long for a confirm; nil for the campaigns of all planners.
        case publishLeft(campaign: UInt32?, age: Duration)
        /// Publish anew what the broker has lost of a campaign.
        case republishLost(LeasedCampaign)
        /// Drop lists that nobody wants, learn dead tokens, drop old events.
        case sweepLists
        /// Write the tokens of an in-app campaign's lists, for about so long; then `preparedInApp(_:)`, or `failed(_:)`.
        case prepareInApp(LeasedCampaign, upTo: Duration)
        /// Let an in-app campaign go live; then `beganInApp(_:)`, or `failed(_:)`.
        case beginInApp(LeasedCampaign)
        /// Materialise an audience, for about so long; then `froze(_:)`, or `failed(_:)`.
        case freeze(LeasedCampaign, upTo: Duration)
        /// Drop what is open of an audience or an in-app campaign that is no more this planner's.
        case forget(campaign: UInt32)
        /// Read what is out and unclaimed; then `looked(atWindow:_:)`.
        case lookAtWindow
        /// Cut and publish shards; then `cut(_:)`.
        case cut(LeasedCampaign, shardsMax: Int)
    }

    /// What the driver knows when it asks for the next step.
    public struct Look: Sendable {
        /// The instant.
        public var now: MonotonicInstant
        /// The instant on the clock that all workers share.
        public var shared: Timestamp
        /// Whether the host's wall clock is near enough the shared time to take leases and to expire (`ClockStanding`).
        public var isInTime: Bool
        /// Whether the broker takes publishes.
        public var isTaking: Bool
        /// Whether somebody has said since the last look that campaigns may have changed.
        public var isHinted: Bool
        /// Campaigns of which something was settled since the last look.
        public var progressed: Set<UInt32>

        /// A look.
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

    /// What a held campaign is now, of several providers a share of it.
    public struct Held: Sendable {
        /// The campaign.
        public var facts: CampaignFacts
        /// Half of its lane.
        public var urgency: Urgency

        /// A campaign as it is now.
        public init(_ facts: CampaignFacts, urgency: Urgency) {
            (self.facts, self.urgency) = (facts, urgency)
        }
    }

    /// What came of `cut`.
    public enum Cut: Sendable, Equatable {
        /// So many shards; fewer than asked for at the campaign's end, and under the guard.
        case planned(Int)
        /// Another planner has the campaign, or it is paused or over.
        case nothing
        /// As many devices are out as may be until the guard has decided, which wakes the planner.
        case guarded
    }

    /// What came of a step of work that takes many.
    public enum Work: Sendable, Equatable {
        /// There is more to do.
        case goesOn
        /// All is there.
        case done
        /// Another planner has the campaign, or it is over.
        case fenced
    }

    /// Where a pass is; each stage has steps, and the next one begins when they are done.
    enum Stage: Equatable {
        /// Until the instant has come or somebody wakes. Then `holding`.
        case resting(until: MonotonicInstant)
        /// Woken, but other processes make room first, unless there is a hint. Then `fired`.
        case holding
        /// Held campaigns that were fired, before everything else. Then `progressed`.
        case fired
        /// Campaigns that may be done. Then `leasing`.
        case progressed
        /// Then `leased` where leases were taken, else `ending`.
        case leasing
        /// Campaigns that may be done, and were fired meanwhile. Then `preparing`.
        case leased
        /// Then `superseding`.
        case preparing
        /// Then `asides`.
        case superseding
        /// Then `ending`.
        case asides
        /// Then `runs`.
        case ending
        /// Then `turns`.
        case runs
        /// Then `sweeping`.
        case turns
        /// Then `inApp`.
        case sweeping
        /// Then `audiences`.
        case inApp
        /// Then `cutting`.
        case audiences
        /// Then `resting`.
        case cutting
    }
}
