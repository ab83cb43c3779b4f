public import Campaigns
public import Delivery

extension LedgerReader {
    /// Returns true if this worker is the one that purges and sweeps: the live planner that has lived longest.
    ///
    /// Call it in each transaction of a purge, so that two workers never purge at once.
    public func isPurger(_ worker: Int64, now: Timestamp) throws(LedgerError) -> Bool {
        let planners = try liveWorkers(now: now).filter { $0.roles.contains("planner") }
        // A planner whose clock is far off purges nothing and does not keep others from it.
        let inTime = planners.filter { ClockStanding(skew: $0.skew ?? 0, source: .server).verdict != .lost }
        return (inTime.isEmpty ? planners : inTime).map(\.id).min() == worker
    }
}

/// The removal of old data by retention, piece by piece: each call is a short transaction, so that it never holds the
/// write lock for long. `Retention` decides what is old, and decides it again in the transaction that removes it.
///
/// A campaign's row is removed before its shards' rows, so that a status is either complete or absent.
extension LedgerTransaction {
    /// Carries out retention's verdict on a campaign for a few hundred rows; returns true if there is more to do.
    public func purge(
        campaign: UInt32,
        _ retention: Retention,
        now: Timestamp,
        rowsMax: Int = 500
    ) throws(LedgerError) -> Bool {
        let rows = try db.rows("SELECT completed_at FROM campaigns WHERE number = ?1", .int(campaign))
        guard try rows.next() else { return false }
        switch retention.verdict(completedAt: rows.optionalTime("completed_at"), now: now) {
        case .keep: return false
        case .forgetOutcomes: return try forgetOutcomes(campaign, rowsMax: rowsMax)
        case .forget:
            if try forgetInApp(campaign, rowsMax: rowsMax) { return true }
            // A campaign from before quiet hours were computed ahead has spans for each day up to its end.
            if try purgeRows("quiet_spans", "part, begins_at", of: campaign, rowsMax: rowsMax) { return true }
            try db.run(
                """
                UPDATE lists SET state = \(ListState.removed.sql), touched_at = 0
                WHERE name IS NULL AND number = (SELECT list FROM campaigns WHERE number = ?1)
                    AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.list = lists.number AND c.number <> ?1)
                """,
                .int(campaign)
            )
            try db.run("DELETE FROM untold WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM parts WHERE campaign = ?1", .int(campaign))
            // A worker of an earlier version may have ended a campaign whose audience flowed.
            try forgetFlow(campaign)
            try db.run("DELETE FROM upload_waits WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM history WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM runs WHERE campaign = ?1 OR parent = ?1", .int(campaign))
            try db.run("DELETE FROM repeats WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM campaigns WHERE number = ?1 AND completed_at IS NOT NULL", .int(campaign))
            try db.run("DELETE FROM variants WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM campaign_providers WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM provider_variants WHERE campaign = ?1", .int(campaign))
            try db.run("DELETE FROM contents WHERE campaign = ?1", .int(campaign))
            try bumpRevision()
            return false
        }
    }

    /// Removes some rows of a campaign, found by the rest of their key; returns true if there may be more.
    private func purgeRows(
        _ table: String,
        _ key: String,
        of campaign: UInt32,
        rowsMax: Int
    ) throws(LedgerError) -> Bool {
        let removed = try db.run(
            """
            DELETE FROM \(table) WHERE campaign = ?1 AND (\(key)) IN (
                SELECT \(key) FROM \(table) WHERE campaign = ?1 LIMIT ?2
            )
            """,
            .int(campaign),
            .int(rowsMax)
        )
        return removed == rowsMax
    }

    /// Removes some shard rows of a removed campaign, with their badges and order; returns true if there may be more.
    public func purgeShards(ofForgotten campaign: UInt32, rowsMax: Int = 500) throws(LedgerError) -> Bool {
        // These rows go first, because a removed campaign is found by its shards.
        if try purgeBadges(ofForgotten: campaign, rowsMax: rowsMax) { return true }
        if try reader.campaign(campaign) == nil {
            if try purgeRows("chunk_order", "position", of: campaign, rowsMax: rowsMax) { return true }
        }
        let removed = try db.run(
            """
            DELETE FROM shards
            WHERE campaign = ?1 AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.number = ?1)
                AND (part, ordinal, child) IN (SELECT part, ordinal, child FROM shards WHERE campaign = ?1 LIMIT ?2)
            """,
            .int(campaign),
            .int(rowsMax)
        )
        return removed == rowsMax
    }

    /// Abandons old lists that no campaign uses; returns their number.
    ///
    /// `sweepLists` removes their devices.
    public func purgeLists(_ retention: Retention, now: Timestamp, max: Int = 20) throws(LedgerError) -> Int {
        let rows = try db.rows(
            """
            SELECT l.number, l.touched_at FROM lists l
            WHERE l.state = \(ListState.finished.sql) AND l.touched_at <= ?1 AND \(UnusedLists.condition)
            ORDER BY l.touched_at LIMIT ?2
            """,
            .time(now.advanced(by: .zero - retention.lists)),
            .int(max)
        )
        var old: [UInt32] = []
        while try rows.next() {
            if retention.forgetsList(touchedAt: rows.time("touched_at"), isUsed: false, now: now) {
                old.append(rows.uint32("number"))
            }
        }
        for list in old {
            try db.run(
                "UPDATE lists SET state = ?2, touched_at = 0 WHERE number = ?1",
                .int(list),
                .int(ListState.removed.rawValue)
            )
        }
        if !old.isEmpty { try bumpRevision() }
        return old.count
    }

    /// Removes old parked messages of campaigns that are not live; returns their number.
    public func purgeParked(_ retention: Retention, now: Timestamp, max: Int = 50) throws(LedgerError) -> Int {
        let rows = try db.rows(
            """
            SELECT p.id, p.last_at FROM parked p
            WHERE p.last_at <= ?1 AND NOT EXISTS (
                SELECT 1 FROM campaigns c WHERE c.app = p.app AND c.id = p.campaign AND c.completed_at IS NULL
            )
            ORDER BY p.id LIMIT ?2
            """,
            .time(now.advanced(by: .zero - retention.parked)),
            .int(max)
        )
        var old: [Int64] = []
        while try rows.next() {
            if retention.forgetsParked(lastAt: rows.time("last_at"), isOfLiveCampaign: false, now: now) {
                old.append(rows.int64("id"))
            }
        }
        for id in old { try db.run("DELETE FROM parked WHERE id = ?1", .int(id)) }
        return old.count
    }

    /// Removes old refusals of jobs; returns their number.
    public func purgeRefusals(_ retention: Retention, now: Timestamp, max: Int = 50) throws(LedgerError) -> Int {
        let rows = try db.rows(
            "SELECT app, id, at FROM refused WHERE at <= ?1 ORDER BY at LIMIT ?2",
            .time(now.advanced(by: .zero - retention.campaigns)),
            .int(max)
        )
        var old: [(app: String, id: String)] = []
        while try rows.next() {
            if retention.forgetsRefusal(at: rows.time("at"), now: now) {
                old.append((rows.text("app"), rows.text("id")))
            }
        }
        for key in old {
            try db.run("DELETE FROM refused WHERE app = ?1 AND id = ?2", .text(key.app), .text(key.id))
        }
        return old.count
    }

    /// Removes the progress of some settled rows, and so the outcomes of single devices; their counts stay.
    private func forgetOutcomes(_ campaign: UInt32, rowsMax: Int) throws(LedgerError) -> Bool {
        let changed = try db.run(
            """
            UPDATE shards SET progress = NULL
            WHERE campaign = ?1 AND (part, ordinal, child) IN (
                SELECT part, ordinal, child FROM shards
                WHERE campaign = ?1 AND \(ShardRows.isIn(.settled, rows: "")) AND progress IS NOT NULL LIMIT ?2
            )
            """,
            .int(campaign),
            .int(rowsMax),
            scope: .shards
        )
        return changed == rowsMax
    }
}

extension LedgerReader {
    /// Campaigns with work for `purge`, in order of their numbers; examines a few dozen.
    ///
    /// `next` is the number to go on from; nil when all were examined.
    public func campaignsToPurge(
        _ retention: Retention,
        after number: UInt32,
        now: Timestamp,
        limit: Int = 20
    ) throws(LedgerError) -> (due: [UInt32], next: UInt32?) {
        let rows = try db.rows(
            """
            SELECT c.number, c.completed_at, EXISTS (
                SELECT 1 FROM shards s WHERE s.campaign = c.number AND \(ShardRows.isIn(.settled)) AND s.progress IS NOT NULL
            ) AS has_outcomes
            FROM campaigns c WHERE c.number > ?1 AND c.completed_at <= ?2 ORDER BY c.number LIMIT ?3
            """,
            .int(number),
            .time(now.advanced(by: .zero - min(retention.campaigns, retention.outcomes))),
            .int(limit)
        )
        var (due, seen, last): ([UInt32], Int, UInt32) = ([], 0, number)
        while try rows.next() {
            (seen, last) = (seen + 1, rows.uint32("number"))
            switch retention.verdict(completedAt: rows.optionalTime("completed_at"), now: now) {
            case .keep: break
            case .forgetOutcomes: if rows.bool("has_outcomes") { due.append(last) }
            case .forget: due.append(last)
            }
        }
        return (due, seen == limit ? last : nil)
    }

    /// The next number of a removed campaign that still has rows of shards or of their order; nil if there is none.
    public func forgottenCampaign(after number: UInt32) throws(LedgerError) -> UInt32? {
        let found = [
            try forgottenCampaign(in: "shards", after: number), try forgottenCampaign(in: "chunk_order", after: number),
        ]
        return found.compactMap(\.self).min()
    }

    private func forgottenCampaign(in table: String, after number: UInt32) throws(LedgerError) -> UInt32? {
        var number = number
        while let next = try db.number("SELECT min(campaign) FROM \(table) WHERE campaign > ?1", .int(number)) {
            number = UInt32(truncatingIfNeeded: next)
            if try db.number("SELECT 1 FROM campaigns WHERE number = ?1", .int(number)) == nil { return number }
        }
        return nil
    }

    /// Returns true if outcomes of single devices of a campaign were purged; its totals stay.
    public func areOutcomesForgotten(campaign: UInt32) throws(LedgerError) -> Bool {
        try db.number(
            "SELECT 1 FROM shards s WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled)) AND s.progress IS NULL LIMIT 1",
            .int(campaign)
        ) == 1
    }
}
