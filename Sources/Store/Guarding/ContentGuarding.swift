import Campaigns
import Delivery

/// The error-ratio guard: totals in the campaign's row over settlements with faults; `ContentPlan` decides about them.
extension LedgerTransaction {
    /// Counts a settlement with faults of the content, and lets the guard decide.
    func updateContentGuard(
        _ count: SettlementPlan.GuardCount,
        reasons: [String: Int],
        of campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) {
        try update(
            campaign,
            "content_answers = content_answers + ?3, content_faults = content_faults + ?4",
            .int(count.answers),
            .int(count.against)
        )
        guard let (answers, faults) = try reader.numbers(campaign, "content_answers", "content_faults") else { return }
        switch ContentPlan(answers: answers, faults: faults, reasons: reasons, of: campaign) {
        case .waits: return
        case .pauses(let reason, let detail):
            _ = try pause(
                campaign: campaign.number,
                share: campaign.share,
                reason: reason,
                detail: detail,
                now: now
            )
        case .countsAnew: break
        }
        try forgetFaults(campaign)
    }

    /// Resets the guard's totals.
    func forgetFaults(_ campaign: CampaignFacts) throws(LedgerError) {
        try update(campaign, "content_answers = 0, content_faults = 0")
    }
}
