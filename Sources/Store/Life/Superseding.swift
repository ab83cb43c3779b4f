public import Campaigns
public import Delivery

/// Collapse in the queue; `Supersession` has the rules.
extension LedgerTransaction {
    /// Releases a campaign: marks the campaigns that it supersedes and settles a piece of their rows that no worker
    /// runs.
    ///
    /// Use `synced`; `endDue` settles the other rows. Call it again while it returns `waits`. `marked` is true if this
    /// call marked a campaign, so that workers must be told.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - shared: The instant on the clock that all workers share.
    ///   - now: The instant.
    public func release(
        campaign: UInt32,
        shared: Timestamp,
        now: Timestamp
    ) throws(LedgerError) -> (result: ReleaseResult, marked: Bool) {
        guard let facts = try reader.campaign(campaign) else { return (.notDue, false) }
        let collapse = try reader.collapse(campaign)
        let markedAt: Timestamp
        var marked = false
        switch ReleasePlan(facts, collapses: collapse != nil, markedAt: collapse?.markedAt, shared: shared, now: now) {
        case .isReleased: return (.released, false)
        case .isNotDue: return (.notDue, false)
        case .marks(let instant):
            if let collapse { marked = try supersedeOlder(than: collapse, by: campaign, now: now) }
            try db.run("UPDATE campaigns SET collapse_marked_at = ?2 WHERE number = ?1", .int(campaign), .time(instant))
            markedAt = instant
            try bumpRevision()
        case .looks(let since): markedAt = since
        }
        let running = try collapse.map { older throws(LedgerError) in try reader.runningOlder(than: older) } ?? 0
        guard Supersession.mayBegin(markedAt: markedAt, running: running, now: shared) else {
            return (.waits, marked)
        }
        try db.run("UPDATE campaigns SET released_at = ?2 WHERE number = ?1", .int(campaign), .time(now))
        try bumpRevision()
        return (.released, marked)
    }

    /// Releases a campaign if it supersedes none; returns true if it was released.
    func releaseIfFirst(_ campaign: UInt32, now: Timestamp) throws(LedgerError) -> Bool {
        guard let collapse = try reader.collapse(campaign), try reader.older(than: collapse, withMarked: true).isEmpty
        else { return false }
        return try release(campaign: campaign, shared: now, now: now).result == .released
    }

    /// Records runs of superseded campaigns for which the newer ones need not wait; late answers are still written.
    public func markStopped(_ runs: [RunToken]) throws(LedgerError) {
        for run in runs {
            try db.run(
                """
                INSERT INTO stopped_runs (campaign, part, ordinal, child, epoch) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (campaign, part, ordinal, child) DO UPDATE SET epoch = excluded.epoch
                """,
                .int(run.key.campaign),
                .int(run.key.part),
                .int(run.key.ordinal),
                .int(run.key.child),
                .int(run.epoch)
            )
        }
    }

    /// Supersedes a campaign that is accepted after a newer one was released; returns true if it was superseded.
    func supersedeIfOlder(_ campaign: UInt32, now: Timestamp) throws(LedgerError) -> Bool {
        guard let collapse = try reader.collapse(campaign) else { return false }
        let newer = try db.number(
            """
            SELECT number FROM campaigns
            WHERE collapse_key = ?1 AND collapse_marked_at IS NOT NULL AND created_at > ?2
            ORDER BY created_at DESC, number DESC LIMIT 1
            """,
            .blob(collapse.key),
            .time(collapse.position.createdAt)
        )
        guard let newer else { return false }
        var piece = Piece()
        try supersede(campaign, by: UInt32(truncatingIfNeeded: newer), &piece, now: now)
        return true
    }

    /// Supersedes every older campaign that is not over; returns true if there was one.
    private func supersedeOlder(
        than collapse: Collapse,
        by newer: UInt32,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        let older = try reader.older(than: collapse, withMarked: false)
        var piece = Piece()
        for campaign in older { try supersede(campaign, by: newer, &piece, now: now) }
        return !older.isEmpty
    }

    private func supersede(
        _ campaign: UInt32,
        by newer: UInt32,
        _ piece: inout Piece,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            "UPDATE campaigns SET superseded_by = ?2 WHERE number = ?1 AND superseded_by IS NULL",
            .int(campaign),
            .int(newer)
        )
        try note(.superseded, campaign: campaign, ["by": try reader.campaign(newer).map { .string($0.id) }], now: now)
        guard let facts = try reader.campaign(campaign), let outcome = facts.ending(at: now) else { return }
        try markEnded(facts, outcome)
        _ = try settleWaiting(facts, &piece, now: now)
        _ = try completeIfDone(campaign: campaign, now: now)
    }
}

/// The collapse key of a campaign, and its position among those with the same key.
struct Collapse {
    var key: [UInt8]
    var position: Supersession.Position
    /// The instant at which the campaign marked the older ones.
    var markedAt: Timestamp?
}

extension LedgerReader {
    /// The collapse of a campaign; nil if it has no collapse key.
    func collapse(_ campaign: UInt32) throws(LedgerError) -> Collapse? {
        let rows = try db.rows(
            "SELECT collapse_key, created_at, collapse_marked_at FROM campaigns WHERE number = ?1",
            .int(campaign)
        )
        guard try rows.next(), !rows.isNull("collapse_key") else { return nil }
        return Collapse(
            key: rows.blob("collapse_key"),
            position: Supersession.Position(createdAt: rows.time("created_at"), number: campaign),
            markedAt: rows.optionalTime("collapse_marked_at")
        )
    }

    /// The older campaigns with the same collapse key that are not completed.
    func older(than collapse: Collapse, withMarked: Bool) throws(LedgerError) -> [UInt32] {
        let rows = try db.rows(
            """
            SELECT number, created_at FROM campaigns
            WHERE collapse_key = ?1 AND completed_at IS NULL AND created_at <= ?2
                AND (?3 = 1 OR superseded_by IS NULL)
            """,
            .blob(collapse.key),
            .time(collapse.position.createdAt),
            .bool(withMarked)
        )
        var numbers: [UInt32] = []
        while try rows.next() {
            let position = Supersession.Position(createdAt: rows.time("created_at"), number: rows.uint32("number"))
            if position < collapse.position { numbers.append(position.number) }
        }
        return numbers
    }

    /// The number of older campaigns' running shards that may still open a stream.
    func runningOlder(than collapse: Collapse) throws(LedgerError) -> Int {
        var running = 0
        for campaign in try older(than: collapse, withMarked: true) {
            let rows = try db.number(
                """
                SELECT count(*) FROM \(ShardRows.open)
                WHERE \(ShardRows.isIn(.running)) AND s.owner <> 0 AND s.campaign = ?1 AND NOT EXISTS (
                    SELECT 1 FROM stopped_runs t
                    WHERE t.campaign = s.campaign AND t.part = s.part AND t.ordinal = s.ordinal AND t.child = s.child
                        AND t.epoch = s.epoch
                )
                """,
                .int(campaign)
            )
            running += Int(rows ?? 0)
        }
        return running
    }
}
