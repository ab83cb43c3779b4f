import Campaigns
import Delivery

/// The wrong-environment guard: totals in the campaign's row until `EnvironmentGuard` has decided.
extension LedgerTransaction {
    /// Counts a settlement of a campaign that the guard watches, and lets it decide.
    func watch(_ settlement: Settlement, of campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        try db.run(
            """
            UPDATE campaigns SET guard_answers = guard_answers + ?2, guard_suspects = guard_suspects + ?3
            WHERE number = ?1
            """,
            .int(campaign.number),
            .int(settlement.progress.answeredCount),
            .int(settlement.held.count)
        )
        try judge(campaign, isFinished: false, now: now)
    }

    /// Lets the guard decide about a campaign of which nothing else is left to be sent.
    func judgeIfFinished(campaign number: UInt32, now: Timestamp) throws(LedgerError) {
        guard let campaign = try reader.leftToGuard(campaign: number) else { return }
        try judge(campaign, isFinished: true, now: now)
    }

    private func judge(_ campaign: CampaignFacts, isFinished: Bool, now: Timestamp) throws(LedgerError) {
        let rows = try db.rows(
            "SELECT guard_answers, guard_suspects FROM campaigns WHERE number = ?1",
            .int(campaign.number)
        )
        guard try rows.next(), !campaign.pausedBy.contains(.wrongEnvironment) else { return }
        switch EnvironmentGuard().judge(answers: rows.int(0), suspects: rows.int(1), isFinished: isFinished) {
        case .wait: return
        case .trip: try trip(campaign, now: now)
        case .pass: try pass(campaign, now: now)
        }
    }

    private func trip(_ campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        _ = try pause(campaign: campaign.number, reason: .wrongEnvironment, now: now)
        try db.run("UPDATE campaigns SET guard_trips = guard_trips + 1 WHERE number = ?1", .int(campaign.number))
        for var row in try heldRows(campaign.number) {
            row.aside = .wrongEnvironment
            try move(row, since: now)
        }
    }

    private func pass(_ campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        try db.run("UPDATE campaigns SET guard_passed = 1 WHERE number = ?1", .int(campaign.number))
        for row in try heldRows(campaign.number) {
            var progress = row.progress
            progress.endHeld(.invalid)
            guard let settlement = Settlement.make(progress: progress, attempt: row.attempt) else {
                throw .failed("what the guard held back of \(row.id) cannot be settled")
            }
            _ = try writeSettlement(row, settlement, now: now)
            try suspect(UInt16(0)..<UInt16(row.count), of: row, now: now)
        }
        try bumpRevision()
    }

    private func heldRows(_ campaign: UInt32) throws(LedgerError) -> [ShardRecord] {
        try reader.openShards(campaign: campaign, states: [.aside]).filter { $0.aside == .guard }
    }

    /// A person has looked after the environment: the guard begins anew, or believes it (`EnvironmentGuard.tripsMax`).
    func restartGuard(campaign: UInt32) throws(LedgerError) {
        try db.run(
            """
            UPDATE campaigns SET guard_answers = 0, guard_suspects = 0,
                guard_passed = CASE WHEN guard_trips >= ?2 THEN 1 ELSE 0 END
            WHERE number = ?1
            """,
            .int(campaign),
            .int(EnvironmentGuard.tripsMax)
        )
    }

    /// How many devices more may be out while the guard watches a campaign.
    func roomUnderGuard(_ campaign: CampaignFacts) throws(LedgerError) -> Int {
        guard !campaign.isGuardPassed else { return .max }
        let out = try db.number(
            """
            SELECT coalesce(sum(s.count), 0) FROM \(ShardRows.open)
            WHERE s.state IN (0, 1, 2, 3, 5) AND s.state <> 4 AND s.campaign = ?1
                AND (s.aside IS NULL OR s.aside NOT IN ('guard', 'suspect'))
            """,
            .int(campaign.number)
        )
        return max(0, EnvironmentGuard.outMax - Int(out ?? 0))
    }
}

extension LedgerReader {
    /// A campaign of which nothing is left but what the guard holds back, and that is not paused; nil otherwise.
    func leftToGuard(campaign number: UInt32) throws(LedgerError) -> CampaignFacts? {
        let isLeft = try db.number(
            """
            SELECT 1 FROM campaigns c WHERE c.number = ?1 AND c.guard_passed = 0 AND c.completed_at IS NULL
                AND c.cursor >= c.chunks AND EXISTS (
                    SELECT 1 FROM \(ShardRows.open) WHERE s.state = 3 AND s.state <> 4 AND s.campaign = ?1
                ) AND NOT EXISTS (
                    SELECT 1 FROM \(ShardRows.open)
                    WHERE s.state <> 4 AND s.state IN (0, 1, 2, 3, 5) AND s.campaign = ?1
                        AND (s.aside IS NULL OR s.aside <> 'guard')
                )
            """,
            .int(number)
        )
        guard isLeft != nil, let campaign = try campaign(number), campaign.asideReason == nil else { return nil }
        return campaign
    }
}
