public import Campaigns

/// The rules by which a shard that was set aside is published again (design, section 7).
public enum AsideRelease {
    /// Returns true if the reason has ended: the row becomes `unpublished`, with an outbox row of its (raised)
    /// generation.
    ///
    /// - Parameters:
    ///   - reason: The reason why the row is aside.
    ///   - dueAt: The instant at which a retry's row is due.
    ///   - campaign: The row's campaign.
    ///   - knowsApp: True if the planner's process has the app's credentials.
    ///   - isPaced: True if the campaign, its app or its provider has a limit, under which `Pacing` gives turns.
    ///   - isQuiet: True if the row's time zone has quiet hours.
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
        case .rate: return !isPaced && campaign.asideReason == nil && FutureLimit.rung.isPassed(dueAt ?? now, now: now)
        case .handOver: return true
        case .quiet: return !isQuiet && campaign.asideReason == nil
        case .held: return campaign.mayPlan(at: now)
        case .app: return knowsApp && campaign.asideReason == nil
        // The guard decides, with an outcome or with another reason.
        case .guard: return false
        case .suspect: return campaign.isPlanned && campaign.asideReason == nil
        case .paused, .suspended, .credentials, .breaker, .wrongEnvironment, .content, .atMost:
            return campaign.asideReason == nil
        }
    }

    /// The reasons that have ended for rows whose own time has come: a retry's, and the end of quiet hours.
    ///
    /// `isPaced`: true if the campaign's app or provider has a limit; the campaign's own rate is known here.
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

    /// The outcome with which rows that nobody runs are settled without a message; nil while the campaign continues.
    public static func ending(of state: ShardState, campaign: CampaignFacts, now: Timestamp) -> Outcome? {
        switch state {
        case .running, .settled: nil
        // Parked devices wait for a person, but not beyond the campaign's end (design, section 10).
        case .unpublished, .out, .aside, .parked: campaign.ending(at: now)
        }
    }
}
