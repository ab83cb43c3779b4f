import Campaigns
import Delivery

/// The wrong-environment guard: totals in the campaign's row; `EnvironmentPlan` decides about them.
extension LedgerTransaction {
    /// Counts a settlement of a campaign that the guard watches, and lets the guard decide.
    func updateGuard(
        _ count: SettlementPlan.GuardCount,
        of campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) {
        try update(
            campaign,
            "guard_answers = guard_answers + ?3, guard_suspects = guard_suspects + ?4",
            .int(count.answers),
            .int(count.against)
        )
        try judge(campaign, isFinished: false, now: now)
    }

    /// Lets the guard decide about a campaign that has nothing else left to send.
    func judgeIfFinished(campaign number: UInt32, now: Timestamp) throws(LedgerError) {
        for share in try reader.leftToGuard(campaign: number) { try judge(share, isFinished: true, now: now) }
    }

    private func judge(_ campaign: CampaignFacts, isFinished: Bool, now: Timestamp) throws(LedgerError) {
        guard let (answers, suspects) = try reader.numbers(campaign, "guard_answers", "guard_suspects") else { return }
        let plan = EnvironmentPlan(answers: answers, suspects: suspects, of: campaign, isFinished: isFinished)
        switch plan {
        case .waits: return
        case .pauses(let reason):
            _ = try pause(campaign: campaign.number, share: campaign.share, reason: reason, now: now)
            try update(campaign, "guard_trips = guard_trips + 1")
        case .passes: try update(campaign, "guard_passed = 1")
        }
        for row in try heldRows(campaign) {
            let write: RowWrite
            do { write = try plan.write(row) } catch { throw .failed("\(error)") }
            _ = try carryOut(write, of: campaign, now: now)
            if plan.marksSuspects { try suspect(UInt16(0)..<UInt16(row.count), of: row, now: now) }
        }
        try bumpRevision()
    }

    private func heldRows(_ campaign: CampaignFacts) throws(LedgerError) -> [ShardRecord] {
        try reader.openShards(campaign: campaign.number, states: [.aside], of: campaign.rows).filter {
            $0.aside == .guard
        }
    }

    /// Restarts a guard after a person has resumed the campaign that it paused.
    func restart(_ pausing: PausingGuard, _ campaign: CampaignFacts) throws(LedgerError) {
        switch pausing {
        case .environment:
            guard let (trips, _) = try reader.numbers(campaign, "guard_trips", "guard_passed") else { return }
            try update(
                campaign,
                "guard_answers = 0, guard_suspects = 0, guard_passed = ?3",
                .bool(EnvironmentPlan.isBelieved(trips: trips))
            )
        case .content: try forgetFaults(campaign)
        }
    }

    /// The number of further devices that may be out while the guard watches a campaign.
    func roomUnderGuard(_ campaign: CampaignFacts) throws(LedgerError) -> Int {
        try EnvironmentPlan.room(of: campaign) { () throws(LedgerError) in
            let out = try db.number(
                """
                SELECT coalesce(sum(s.count), 0) FROM \(ShardRows.open)
                WHERE \(ShardRows.isOpen) AND s.campaign = ?1
                    AND (s.aside IS NULL OR s.aside NOT IN (\([AsideReason.guard, .suspect].sql)))
                    AND \(ShareRows.isOf(campaign.rows))
                """,
                .int(campaign.number)
            )
            return Int(out ?? 0)
        }
    }
}

extension LedgerReader {
    /// The campaign, or each of its shares, that has nothing left except devices that the guard holds back, and that is
    /// not paused.
    func leftToGuard(campaign number: UInt32) throws(LedgerError) -> [CampaignFacts] {
        let isOpen = try db.number(
            """
            SELECT 1 FROM campaigns c WHERE c.number = ?1 AND c.guard_passed = 0 AND c.completed_at IS NULL
                AND (c.cursor >= c.chunks OR c.provider = '') AND EXISTS (
                    SELECT 1 FROM \(ShardRows.open) WHERE \(ShardRows.isIn(.aside)) AND s.campaign = ?1
                )
            """,
            .int(number)
        )
        guard isOpen != nil, let campaign = try campaign(number) else { return [] }
        var left: [CampaignFacts] = []
        for share in try shares(of: campaign) where try isLeftToGuard(share) { left.append(share) }
        return left
    }

    private func isLeftToGuard(_ campaign: CampaignFacts) throws(LedgerError) -> Bool {
        try EnvironmentPlan.isFinished(campaign) { () throws(LedgerError) in
            let left = try db.rows(
                """
                SELECT count(*) AS rows, count(*) FILTER (WHERE s.aside = \(AsideReason.guard.sql)) AS held_back
                FROM \(ShardRows.open)
                WHERE \(ShardRows.isOpen) AND s.campaign = ?1
                    AND \(ShareRows.isOf(campaign.rows))
                """,
                .int(campaign.number)
            )
            return try left.next() ? (left.int("rows"), left.int("held_back")) : (0, 0)
        }
    }
}
