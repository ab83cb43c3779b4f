import Campaigns
import Delivery

/// The error-ratio guard: totals in the campaign's row, of settlements that had a fault; `ContentGuard` decides.
extension LedgerTransaction {
    /// Counts a settlement with faults that are the content's, and lets the guard decide.
    func watchContent(
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
        switch ContentGuard().judge(answers: answers, faults: faults, trips: campaign.contentTrips) {
        case .wait: return
        case .trip:
            let word = reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            let detail = "\(faults) of \(answers) devices" + (word.map { ", for example \($0)" } ?? "")
            _ = try pause(
                campaign: campaign.number,
                share: campaign.share,
                reason: .content,
                detail: detail,
                now: now
            )
        case .pass: break
        }
        try forgetFaults(campaign)
    }

    /// The guard begins anew.
    func forgetFaults(_ campaign: CampaignFacts) throws(LedgerError) {
        try update(campaign, "content_answers = 0, content_faults = 0")
    }
}
