import Campaigns
import Delivery

/// The error-ratio guard: totals in the campaign's row, of settlements that had a fault; `ContentGuard` decides.
extension LedgerTransaction {
    /// Counts a settlement with faults that are the content's, and lets the guard decide.
    func watchContent(_ settlement: Settlement, of campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        guard settlement.contentFaults > 0, campaign.stage.isLive, campaign.contentTrips < ContentGuard.tripsMax,
            !campaign.pausedBy.contains(.content)
        else { return }
        try db.run(
            """
            UPDATE campaigns SET content_answers = content_answers + ?2, content_faults = content_faults + ?3
            WHERE number = ?1
            """,
            .int(campaign.number),
            .int(settlement.progress.answeredCount),
            .int(settlement.contentFaults)
        )
        let rows = try db.rows(
            "SELECT content_answers, content_faults FROM campaigns WHERE number = ?1",
            .int(campaign.number)
        )
        guard try rows.next() else { return }
        let (answers, faults) = (rows.int(0), rows.int(1))
        switch ContentGuard().judge(answers: answers, faults: faults, trips: campaign.contentTrips) {
        case .wait: return
        case .trip:
            let word = settlement.reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            let detail = "\(faults) of \(answers) devices" + (word.map { ", for example \($0)" } ?? "")
            _ = try pause(campaign: campaign.number, reason: .content, detail: detail, now: now)
        case .pass: break
        }
        try forgetFaults(campaign.number)
    }

    /// The guard begins anew.
    func forgetFaults(_ campaign: UInt32) throws(LedgerError) {
        try db.run("UPDATE campaigns SET content_answers = 0, content_faults = 0 WHERE number = ?1", .int(campaign))
    }
}
