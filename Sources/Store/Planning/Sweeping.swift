public import Campaigns
public import Delivery

extension LedgerReader {
    /// Rows whose message was not confirmed: the outbox, oldest first, those on a rung when they are due.
    ///
    /// - Parameters:
    ///   - olderThan: Only rows that stand so since before this instant; the sweeper's is ten seconds ago.
    ///   - campaign: Only this campaign's; nil for all.
    ///   - now: The instant: what is late has waited here, and does not wait on a rung once more.
    ///   - limit: How many at most.
    public func unpublished(
        olderThan: Timestamp,
        campaign: UInt32? = nil,
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardToPublish] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE s.state = 0 AND s.state <> 4 AND (?1 IS NULL OR s.campaign = ?1) AND s.since < ?2
                AND coalesce(s.due_at, 0) <= ?4
            ORDER BY s.since LIMIT ?3
            """,
            .int(campaign),
            .time(olderThan),
            .int(limit),
            .time(now)
        )
        var records: [ShardRecord] = []
        while try rows.next() { records.append(try ShardRows.record(rows)) }
        return try complete(records)
    }

    /// Rows whose message the broker seems to have lost, oldest first.
    ///
    /// Candidates for `Sweep.action`, which has the last word: out, claimed or saved longer ago than `patience`, and due.
    /// The caller sees to it that their lane is empty.
    ///
    /// `share`: of which provider, in a campaign of several: each has a lane of its own.
    public func lostShards(
        campaign: UInt32,
        share: ProviderName? = nil,
        patience: Duration = .seconds(900),
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let before = now.advanced(by: .zero - patience)
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE s.state IN (1, 2) AND s.state <> 4 AND s.campaign = ?1 AND s.since < ?2
                AND coalesce(s.due_at, 0) < ?2 AND coalesce(s.not_before, 0) < ?2
                AND \(ShareRows.isOf(share.map { [$0] }))
            ORDER BY s.since LIMIT ?3
            """,
            .int(campaign),
            .time(before),
            .int(limit)
        )
        var records: [ShardRecord] = []
        while try rows.next() { records.append(try ShardRows.record(rows)) }
        return records
    }
}

extension LedgerTransaction {
    /// Makes new messages of rows whose old ones are given up: generation and epoch + 1, `unpublished`.
    ///
    /// A row that has moved on since it was read stays as it is and is not returned.
    public func raiseGeneration(_ records: [ShardRecord], now: Timestamp) throws(LedgerError) -> [ShardToPublish] {
        var raised: [ShardRecord] = []
        for old in records {
            guard let row = try reader.shard(old.id.key), row.generation == old.generation, row.epoch == old.epoch,
                row.state == old.state, row.state == .out || row.state == .running || row.state == .parked
            else { continue }
            raised.append(try republish(row, now: now))
        }
        return try reader.complete(raised)
    }

    /// Publishes what was set aside for reasons that have ended; a hand-over always has.
    ///
    /// The generation was raised when the rows were set aside; `AsideRelease` says which are due.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - share: Of which provider, in a campaign of several.
    ///   - knowsApp: Whether a live worker has the app's credentials for the provider.
    ///   - isPaced: Whether the app or the provider has a limit: then what waits for its turn is `givePacedTurns`'.
    ///   - limit: How many rows at most.
    ///   - now: The instant.
    public func releaseAside(
        campaign: UInt32,
        share: ProviderName? = nil,
        knowsApp: Bool,
        isPaced: Bool = false,
        limit: Int,
        now: Timestamp
    ) throws(LedgerError) -> [ShardToPublish] {
        guard let facts = try reader.campaign(campaign, share: share) else { return [] }
        precondition(facts.hasShares == (share != nil), "shares are released one by one")
        var released: [ShardRecord] = []
        for var row in try reader.openShards(campaign: campaign, states: [.aside], of: facts.rows)
        where released.count < limit {
            let reason = row.aside ?? .handOver
            let isDue = AsideRelease.isDue(
                reason,
                dueAt: row.dueAt,
                campaign: facts,
                knowsApp: knowsApp,
                isPaced: isPaced || facts.pace != nil,
                isQuiet: reason == .quiet ? try reader.isQuiet(row, of: facts, at: now) : false,
                now: now
            )
            guard isDue else { continue }
            row.state = .unpublished
            row.aside = nil
            row.slot = nil
            try move(row, since: now)
            released.append(row)
        }
        // What was fired while it could not go out begins only now.
        if !released.isEmpty { try begin(campaign: campaign, now: now) }
        return try reader.complete(released)
    }

    private func republish(_ row: ShardRecord, now: Timestamp) throws(LedgerError) -> ShardRecord {
        var next = row
        next.state = .unpublished
        next.generation += 1
        next.epoch += 1
        next.owner = 0
        next.aside = nil
        try move(next, since: now)
        return next
    }
}
