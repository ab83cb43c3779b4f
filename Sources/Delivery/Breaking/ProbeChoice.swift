public import Campaigns

/// The choice of the shard that asks for an open breaker whether the provider is well again (design, section 8).
public struct ProbeChoice: Sendable, Equatable {
    /// What is chosen.
    public enum Choice: Sendable, Equatable {
        /// A row that waits: it is published as the probe.
        case publishes(ShardRecord)
        /// A shard that is cut for it; when nothing is left to be cut, this row, if there is one.
        case cuts(orElse: ShardRecord?)
    }

    private let breaker: Breaker
    /// The campaign as the probe meets it.
    private let campaign: CampaignFacts
    private let now: Timestamp

    /// The choice among a campaign's shards; nil when no probe is due, or when something else keeps the campaign back.
    public init?(_ breaker: Breaker?, of campaign: CampaignFacts, now: Timestamp) {
        guard let breaker, breaker.isProbeDue(now: now) else { return nil }
        var campaign = campaign
        campaign.breaker = .closed(since: nil)
        guard campaign.mayPlan(at: now) else { return nil }
        (self.breaker, self.campaign, self.now) = (breaker, campaign, now)
    }

    /// Chooses: the first first attempt that waits, then a new shard, then, after a while, the first retry: that may be
    /// of devices that always fail.
    ///
    /// - Parameters:
    ///   - waiting: What is set aside, the longest aside at the front: a probe that failed comes last.
    ///   - isQuiet: Whether the time zone of a row has quiet hours: nothing is asked of the provider then, whatever the
    ///     row waits for.
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

    /// The breaker with its probe.
    public func begun(_ key: ShardKey) -> Breaker {
        var breaker = breaker
        breaker.begin(key, now: now)
        return breaker
    }
}
