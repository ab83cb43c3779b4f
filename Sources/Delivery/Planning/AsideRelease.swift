public import Campaigns

/// When a shard that was set aside is published again (design, section 7).
public enum AsideRelease {
    /// Whether the reason has ended: the row becomes `unpublished`, with an outbox row of its (raised) generation.
    ///
    /// `knowsApp`: whether the planner's process has the app's credentials.
    public static func isDue(_ reason: AsideReason, campaign: CampaignFacts, knowsApp: Bool, now: Timestamp) -> Bool {
        guard campaign.stage.isLive, campaign.ending(at: now) == nil else { return false }
        switch reason {
        case .handOver: return true
        case .app: return knowsApp && campaign.asideReason == nil
        // Decided by the guard, with an outcome or with another reason.
        case .guard: return false
        case .suspect: return campaign.isPlanned && campaign.asideReason == nil
        case .paused, .credentials, .breaker, .wrongEnvironment, .content: return campaign.asideReason == nil
        }
    }

    /// What the rows that nobody runs are settled as, without a message; nil while the campaign goes on.
    public static func ending(of state: ShardState, campaign: CampaignFacts, now: Timestamp) -> Outcome? {
        switch state {
        case .running, .settled: nil
        // Parked devices wait for a person, but not beyond the campaign's end (design, section 10).
        case .unpublished, .out, .aside, .parked: campaign.ending(at: now)
        }
    }
}
