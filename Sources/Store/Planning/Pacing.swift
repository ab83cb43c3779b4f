public import Campaigns
public import Delivery
public import PushProviders

/// The result of a planner's step for a campaign under a rate.
public struct PacedStep: Sendable, Equatable {
    /// Shards that have a turn now and are to be published.
    public var shards: [ShardToPublish] = []
    /// The delay of the next step in microseconds; no turn is given before.
    public var rest: Int64 = 0
    /// True if another worker plans this campaign now.
    public var isFenced = false

    /// A step; nothing to do by default.
    public init(shards: [ShardToPublish] = [], rest: Int64 = 0, isFenced: Bool = false) {
        self.shards = shards
        self.rest = rest
        self.isFenced = isFenced
    }
}

extension LedgerTransaction {
    /// Gives turns to waiting shards of a campaign, and cuts the next ones that are to wait (design, section 10, Rate;
    /// use `synced`).
    ///
    /// `PacedTurns` decides about the turns. The pace lines advance in this transaction.
    ///
    /// - Parameters:
    ///   - lease: The campaign; fences the write.
    ///   - appPace: The rate of the campaign's app; nil for none.
    ///   - quotas: The quotas of the campaign's providers, where they have one.
    ///   - cap: The frequency cap of the campaign's app.
    ///   - now: The clock that all workers share.
    public func givePacedTurns(
        _ lease: LeaseToken,
        appPace: Pace?,
        quotas: [ProviderName: ProviderQuota] = [:],
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> PacedStep {
        guard try holdsLease(lease) else { return PacedStep(isFenced: true) }
        guard let facts = try reader.campaign(lease.campaign) else { return PacedStep() }
        let shares = try reader.shares(of: facts)
        guard var turns = PacedTurns(of: facts, shares: shares, appPace: appPace, quotas: quotas, now: now) else {
            return PacedStep()
        }
        for (index, queue) in turns.queues.enumerated() {
            try cutAhead(turns, index, of: facts, cap, now: now)
            let rows = try reader.waitingForTurn(facts, of: queue.providers, now: now, limit: PacedTurns.turnsMax)
            let line = try queue.quota.map { quota throws(LedgerError) in try quotaLine(quota) }
            turns.wait(rows, line: line, in: index)
            if turns.comparesQueues { turns.count(try reader.progress(of: queue, facts, now: now), in: index) }
        }
        let given = turns.give(try paceLines(facts, appPace), now: now)
        for row in given.rows { try move(row, since: now) }
        try writePaceLines(facts, given.lines)
        for moved in given.quotas { try writeQuotaLine(moved.quota, moved.line) }
        return PacedStep(shards: try reader.complete(given.rows), rest: given.rest)
    }

    /// Cuts the shards that a queue needs.
    private func cutAhead(
        _ turns: PacedTurns,
        _ queue: Int,
        of facts: CampaignFacts,
        _ cap: FrequencyCap,
        now: Timestamp
    ) throws(LedgerError) {
        let providers = turns.queues[queue].providers
        let waiting = try reader.devicesWaitingForTurn(facts, of: providers, now: now)
        var ahead = turns.cutAhead(of: queue, waiting: waiting)
        while ahead.isShort, let next = try reader.nextChunk(facts.number, of: ahead.providers, now: now),
            let share = ahead.share(of: next.provider)
        {
            guard ahead.takes(next.count, of: share, room: try roomUnderGuard(share)) else { continue }
            _ = try cut(
                campaign: facts.number,
                of: share.rows,
                shardsMax: 1,
                as: .inTurns(pieceMax: ahead.pieceMax),
                cap: cap,
                now: now
            )
        }
    }

    private func paceLines(_ facts: CampaignFacts, _ appPace: Pace?) throws(LedgerError) -> PacedTurns.Lines {
        var lines = PacedTurns.Lines()
        if let pace = facts.pace {
            let rows = try db.rows("SELECT pace_first, pace_next FROM campaigns WHERE number = ?1", .int(facts.number))
            guard try rows.next() else { throw .failed("campaign \(facts.number) is gone") }
            lines.campaign = PaceLine(
                pace: pace,
                first: rows.optionalInt64("pace_first"),
                next: rows.int64("pace_next")
            )
        }
        if let appPace {
            // The row is locked, because planners of other campaigns give turns away on the same line.
            let rows = try db.rows("SELECT next FROM app_paces WHERE app = ?1", .text(facts.app), locking: .untilCommit)
            lines.app = PaceLine(pace: appPace, next: try rows.next() ? rows.int64("next") : 0)
        }
        return lines
    }

    private func writePaceLines(_ facts: CampaignFacts, _ lines: PacedTurns.Lines) throws(LedgerError) {
        if let line = lines.campaign {
            try db.run(
                "UPDATE campaigns SET pace_first = ?2, pace_next = ?3 WHERE number = ?1",
                .int(facts.number),
                .int(line.first),
                .int(line.next)
            )
        }
        if let line = lines.app {
            try db.run(
                """
                INSERT INTO app_paces (app, next) VALUES (?1, ?2)
                ON CONFLICT (app) DO UPDATE SET next = excluded.next
                """,
                .text(facts.app),
                .int(line.next)
            )
        }
    }
}

extension LedgerReader {
    /// Rows that wait for a turn and may have it: due retries first, the longest due at the front.
    ///
    /// `providers` limits them to rows of these providers in a campaign of several; nil for all.
    func waitingForTurn(
        _ campaign: CampaignFacts,
        of providers: Set<ProviderName>?,
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.aside)) AND s.campaign = ?1 AND s.aside = \(AsideReason.rate.sql)
                AND (coalesce(s.due_at, 0) <= ?2 OR s.due_at > ?4) AND coalesce(s.not_before, 0) <= ?2
                AND \(QuietSpans.mayHaveTurn(campaign)) AND \(ShareRows.isOf(providers))
            ORDER BY s.due_at IS NULL, s.due_at, s.chunk, s.part, s.ordinal, s.child LIMIT ?3
            """,
            .int(campaign.number),
            .time(now),
            .int(limit),
            .time(FutureLimit.rung.limit(now))
        )
        return try rows.map(ShardRows.record)
    }

    func devicesWaitingForTurn(
        _ campaign: CampaignFacts,
        of providers: Set<ProviderName>?,
        now: Timestamp
    ) throws(LedgerError) -> Int {
        let devices = try db.number(
            """
            SELECT coalesce(sum(s.count), 0) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.aside)) AND s.campaign = ?1 AND s.aside = \(AsideReason.rate.sql) AND s.child = 0
                AND ?2 IS NOT NULL AND \(QuietSpans.mayHaveTurn(campaign)) AND \(ShareRows.isOf(providers))
            """,
            .int(campaign.number),
            .time(now)
        )
        return Int(devices ?? 0)
    }

    /// The progress of a queue in a campaign of several providers.
    func progress(
        of queue: TurnQueue,
        _ campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) -> TurnQueue.Progress {
        let names = ShareRows.list(queue.providers ?? [])
        let rows = try db.rows(
            """
            SELECT coalesce(sum(p.cursor - p.first_chunk), 0) AS cut,
                coalesce(sum(p.end_chunk - p.first_chunk), 0) AS chunks, (
                SELECT coalesce(sum(v.devices), 0) FROM campaign_providers v
                WHERE v.campaign = ?1 AND v.provider IN (\(names))
            ) AS devices
            FROM parts p WHERE p.campaign = ?1 AND p.provider IN (\(names))
            """,
            .int(campaign.number)
        )
        guard try rows.next() else { throw .failed("campaign \(campaign.number) has no parts") }
        return TurnQueue.Progress(
            devices: rows.int("devices"),
            chunks: rows.int("chunks"),
            cut: rows.int("cut"),
            waiting: try devicesWaitingForTurn(campaign, of: queue.providers, now: now)
        )
    }

    /// The number of devices in the next chunk to be cut, and its provider in a campaign of several; nil if all are
    /// cut.
    func nextChunk(
        _ campaign: UInt32,
        of providers: Set<ProviderName>?,
        now: Timestamp
    ) throws(LedgerError) -> (count: Int, provider: ProviderName?)? {
        if let part = try openParts(campaign: campaign, of: providers, now: now).first {
            let count = try db.number(
                """
                SELECT k.count FROM campaigns c JOIN chunk_order o ON o.campaign = c.number AND o.position = ?2
                JOIN chunks k ON k.list = c.list AND k.ordinal = o.ordinal WHERE c.number = ?1
                """,
                .int(campaign),
                .int(part.cursor)
            )
            return count.map { (Int($0), part.provider) }
        }
        return try db.number(
            """
            SELECT k.count FROM campaigns c JOIN chunks k ON k.list = c.list AND k.ordinal = c.cursor
            WHERE c.number = ?1 AND c.has_parts = 0 AND c.cursor < c.chunks
            """,
            .int(campaign)
        ).map { (Int($0), nil) }
    }
}
