public import Campaigns

/// When a shard that was set aside is published again (design, section 7).
public enum AsideRelease {
    /// Whether the reason has ended: the row becomes `unpublished`, with an outbox row of its (raised) generation.
    ///
    /// - Parameters:
    ///   - reason: Why the row is aside.
    ///   - dueAt: When a retry's row is due.
    ///   - campaign: The row's campaign.
    ///   - knowsApp: Whether the planner's process has the app's credentials.
    ///   - isPaced: Whether the campaign, its app or its provider has a limit, under which `Pacing` gives turns.
    ///   - isQuiet: Whether the row's time zone has quiet hours.
    ///   - now: The instant.
    public static func isDue(
        _ reason: AsideReason,
        dueAt: Timestamp? = nil,
        campaign: CampaignFacts,
        knowsApp: Bool,
        isPaced: Bool = false,
        isQuiet: Bool = false,
        now: Timestamp
    ) -> Bool {
        guard campaign.stage.isLive, campaign.ending(at: now) == nil else { return false }
        switch reason {
        case .rate: return !isPaced && campaign.asideReason == nil && Ahead.rung.isPassed(dueAt ?? now, now: now)
        case .handOver: return true
        case .quiet: return !isQuiet && campaign.asideReason == nil
        case .held: return campaign.mayPlan(at: now)
        case .app: return knowsApp && campaign.asideReason == nil
        // Decided by the guard, with an outcome or with another reason.
        case .guard: return false
        case .suspect: return campaign.isPlanned && campaign.asideReason == nil
        case .paused, .suspended, .credentials, .breaker, .wrongEnvironment, .content, .atMost:
            return campaign.asideReason == nil
        }
    }

    /// The reasons that have ended for rows whose own time has come: that of a retry, and the end of its quiet hours.
    ///
    /// `isPaced`: whether the campaign's app or provider has a limit; its own rate is known.
    public static func dueReasons(
        campaign: CampaignFacts,
        knowsApp: Bool,
        isPaced: Bool,
        now: Timestamp
    ) -> [AsideReason] {
        let isPaced = isPaced || campaign.pace != nil
        return AsideReason.allCases.filter {
            isDue($0, campaign: campaign, knowsApp: knowsApp, isPaced: isPaced, isQuiet: false, now: now)
        }
    }

    /// The states of rows that nobody runs and no entry shows to a person, in the order in which they are settled.
    public static let waitingStates: [ShardState] = [.unpublished, .out, .aside]

    /// What the rows that nobody runs are settled as, without a message; nil while the campaign goes on.
    public static func ending(of state: ShardState, campaign: CampaignFacts, now: Timestamp) -> Outcome? {
        switch state {
        case .running, .settled: nil
        // Parked devices wait for a person, but not beyond the campaign's end (design, section 10).
        case .unpublished, .out, .aside, .parked: campaign.ending(at: now)
        }
    }
}
