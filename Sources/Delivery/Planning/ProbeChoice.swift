public import Campaigns

/// The choice of the shard that probes for an open breaker if the provider is healthy again (design, section 8).
public struct ProbeChoice: Sendable, Equatable {
    /// The chosen shard.
    public enum Choice: Sendable, Equatable {
        /// A row that waits: it is published as the probe.
        case publishes(ShardRecord)
        /// A shard that is cut for the probe; if nothing is left to cut, this row, if any.
        case cuts(orElse: ShardRecord?)
    }

    private let breaker: Breaker
    /// The campaign's facts as the probe meets them.
    private let campaign: CampaignFacts
    private let now: Timestamp

    /// The choice among a campaign's shards; nil if no probe is due, or if something else holds the campaign back.
    public init?(_ breaker: Breaker?, of campaign: CampaignFacts, now: Timestamp) {
        guard let breaker, breaker.isProbeDue(now: now) else { return nil }
        var campaign = campaign
        campaign.breaker = .closed(since: nil)
        guard campaign.mayPlan(at: now) else { return nil }
        (self.breaker, self.campaign, self.now) = (breaker, campaign, now)
    }

    /// Chooses a first attempt that waits, else a new shard, else the first retry.
    ///
    /// A retry is eligible only after a while: it may consist of devices that always fail.
    ///
    /// - Parameters:
    ///   - waiting: The rows that are set aside, the longest aside first; a failed probe comes last.
    ///   - isQuiet: Returns true if the time zone of a row has quiet hours. The provider is not probed then, whatever
    ///     the row waits for.
    public func choose<E>(
        among waiting: some Sequence<ShardRecord>,
        isQuiet: (ShardRecord) throws(E) -> Bool
    ) throws(E) -> Choice {
        var retry: ShardRecord?
        for row in waiting where row.state == .aside && (row.attempt == 1 || retry == nil) {
            guard AsideRelease.isDue(row.aside ?? .handOver, campaign: campaign, knowsApp: true, now: now),
                row.attempt == 1 || breaker.isProbeDue(attempt: row.attempt, now: now), try !isQuiet(row)
            else { continue }
            guard row.attempt > 1 else { return .publishes(row.probing()) }
            retry = row.probing()
        }
        return .cuts(orElse: retry)
    }

    /// The breaker with the shard as its probe.
    public func begun(_ key: ShardKey) -> Breaker {
        var breaker = breaker
        breaker.begin(key, now: now)
        return breaker
    }
}
