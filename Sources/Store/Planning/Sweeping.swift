public import Campaigns
public import Delivery

extension LedgerReader {
    /// Rows with unconfirmed messages: the outbox, oldest first; those on a rung once they are due.
    ///
    /// - Parameters:
    ///   - olderThan: Only rows whose state is older than this instant; ten seconds ago for the sweeper.
    ///   - campaign: Only this campaign's rows; nil for all.
    ///   - now: The instant. A late row has waited here and does not wait on a rung again.
    ///   - limit: The largest number of rows.
    public func unpublished(
        olderThan: Timestamp,
        campaign: UInt32? = nil,
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardToPublish] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.unpublished)) AND (?1 IS NULL OR s.campaign = ?1) AND (s.since < ?2 OR s.since > ?5)
                AND (coalesce(s.due_at, 0) <= ?4 OR s.due_at > ?6)
            ORDER BY s.since LIMIT ?3
            """,
            .int(campaign),
            .time(olderThan),
            .int(limit),
            .time(now),
            .time(FutureLimit.done.limit(now)),
            .time(FutureLimit.rung.limit(now))
        )
        let records = try rows.map(ShardRows.record)
        return try complete(records)
    }

    /// Rows whose message the broker seems to have lost, oldest first.
    ///
    /// These are candidates for `Sweep.action`, which decides: published, claimed or saved longer ago than `timeout`,
    /// and due.
    ///
    /// No row is older than its campaign, whatever it says: a process of this host writes the time before a step of the
    /// wall clock for up to a second (`HostAnchor`).
    ///
    /// `share` is the provider in a campaign of several, because each provider has a lane of its own.
    public func lostShards(
        campaign: UInt32,
        share: ProviderName? = nil,
        timeout: Duration = .seconds(900),
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let before = now.advanced(by: .zero - timeout)
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.out, .running)) AND s.campaign = ?1 AND (s.since < ?2 OR s.since > ?4)
                AND (coalesce(s.due_at, 0) < ?2 OR s.due_at > ?5) AND coalesce(s.not_before, 0) < ?2
                AND EXISTS (SELECT 1 FROM campaigns WHERE number = ?1 AND (accepted_at < ?2 OR accepted_at > ?4))
                AND \(ShareRows.isOf(share.map { [$0] }))
            ORDER BY s.since LIMIT ?3
            """,
            .int(campaign),
            .time(before),
            .int(limit),
            .time(FutureLimit.done.limit(now)),
            .time(FutureLimit.rung.limit(now))
        )
        return try rows.map(ShardRows.record)
    }
}

extension LedgerReader {
    /// The latest publish of a lane whose message was claimed at its first delivery and still runs; nil if there is
    /// none.
    ///
    /// The instant is when the row was cut, which is never later than the publish. Campaigns of several providers are
    /// left out, because their shards are in several lanes. So are campaigns on the fast path, because they are in
    /// none.
    public func lastClaimedPublish(of lane: Lane) throws(LedgerError) -> Timestamp? {
        try db.number(
            """
            SELECT max(s.cut_at) FROM \(ShardRows.open) JOIN campaigns c ON c.number = s.campaign
            WHERE \(ShardRows.isIn(.running)) AND s.child = 0 AND s.generation = 1 AND s.epoch = 1
                AND c.provider = ?1 AND c.urgency = ?2 AND c.short_way = 0
                AND NOT EXISTS (SELECT 1 FROM campaign_providers v WHERE v.campaign = c.number)
            """,
            .text(lane.provider.rawValue),
            .text(lane.urgency.rawValue)
        ).map { Timestamp(milliseconds: $0) }
    }
}

extension LedgerTransaction {
    /// Renews rows whose old messages are given up: generation and epoch + 1, `unpublished`.
    ///
    /// A row that has moved on since it was read stays as it is and is not returned.
    public func raiseGeneration(_ records: [ShardRecord], now: Timestamp) throws(LedgerError) -> [ShardToPublish] {
        var raised: [ShardRecord] = []
        for old in records {
            let row = try reader.shard(old.id.key)
            guard let row, let renewed = Sweep.renewed(row, from: old) else { continue }
            try addMaybeSent(Sweep.maybeSent(row), row.id.key)
            try move(renewed, since: now)
            raised.append(renewed)
        }
        return try reader.complete(raised)
    }

    /// Publishes rows that were set aside for reasons that have ended; the reason of a hand-over always has.
    ///
    /// The generation was raised when the rows were set aside; `AsideRelease` decides which are due.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - share: The provider, in a campaign of several.
    ///   - knowsApp: True if a live worker has the app's credentials for the provider.
    ///   - isPaced: True if the app or the provider has a limit; then `givePacedTurns` handles rows that wait for
    ///     turns.
    ///   - limit: The largest number of rows; one call returns fewer if they exceed a piece. Call again until there are
    ///     none.
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
        let reasons = AsideRelease.dueReasons(campaign: facts, knowsApp: knowsApp, isPaced: isPaced, now: now)
        guard !reasons.isEmpty else { return [] }
        var released: [ShardRecord] = []
        var piece = Piece()
        while released.count < limit, piece.allowance > 0 {
            let room = min(limit - released.count, piece.allowance)
            let rows = try reader.asideShards(facts, reasons, now: now, limit: room)
            for row in rows {
                let next = row.released()
                try move(next, since: now)
                released.append(next)
            }
            piece.did(rows.count)
            if rows.count < room { break }
        }
        // A campaign that was fired while it could not be sent begins only now.
        if !released.isEmpty { try begin(campaign: campaign, now: now) }
        return try reader.complete(released)
    }
}

extension LedgerReader {
    /// Rows of a campaign that are aside for one of these reasons and whose own time has come.
    fileprivate func asideShards(
        _ campaign: CampaignFacts,
        _ reasons: [AsideReason],
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let reason = "coalesce(s.aside, \(AsideReason.handOver.sql))"
        let isQuiet = QuietSpans.isQuiet(campaign: "s.campaign", chunk: "s.chunk", at: 2)
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.aside)) AND s.campaign = ?1 AND \(reason) IN (\(reasons.sql))
                AND (\(reason) <> \(AsideReason.rate.sql) OR coalesce(s.due_at, 0) <= ?2 OR s.due_at > ?4)
                AND (\(reason) <> \(AsideReason.quiet.sql) OR NOT \(isQuiet))
                AND \(ShareRows.isOf(campaign.rows))
            ORDER BY s.part, s.ordinal, s.child LIMIT ?3
            """,
            .int(campaign.number),
            .time(now),
            .int(limit),
            .time(FutureLimit.rung.limit(now))
        )
        return try rows.map(ShardRows.record)
    }
}
