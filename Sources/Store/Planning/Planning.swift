public import Campaigns
public import Delivery

/// The result of a planner's step.
public enum PlanResult: Sendable, Equatable {
    /// The rows are written and their messages are to be published; fewer than asked for near the campaign's end.
    case planned([ShardToPublish])
    /// Another worker plans this campaign now.
    case fenced
    /// The campaign is paused, over or expired; nothing was written.
    case waits
    /// The wrong-environment guard allows no further devices out until it has decided.
    case guarded
}

extension LedgerTransaction {
    /// Cuts the next shards of a campaign (use `synced`): rows, cursor and, the first time, `campaign.started`.
    ///
    /// Chunks with only dead devices are settled at once and not returned. If something is counted for each device, one
    /// call cuts only a few chunks.
    ///
    /// - Parameters:
    ///   - lease: The campaign, or its share of one provider; fences the write.
    ///   - shardsMax: The limit of list chunks.
    ///   - cap: The app's frequency cap.
    ///   - now: The instant.
    public func plan(
        _ lease: LeaseToken,
        shardsMax: Int,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> PlanResult {
        try whileLeased(lease, if: { $0.mayPlan(at: now) }) { facts throws(LedgerError) in
            let room = try roomUnderGuard(facts)
            let shards = try cut(
                campaign: lease.campaign,
                of: facts.rows,
                shardsMax: shardsMax,
                devicesMax: room,
                as: .unpublished,
                cap: cap,
                now: now
            )
            return EnvironmentPlan.heldBack(cut: shards.count, room: room) ? .guarded : .planned(shards)
        }
    }

    /// Takes a planner's step if it holds the lease and the campaign may be planned.
    func whileLeased(
        _ lease: LeaseToken,
        if mayGoOn: (CampaignFacts) -> Bool,
        _ step: (CampaignFacts) throws(LedgerError) -> PlanResult
    ) throws(LedgerError) -> PlanResult {
        guard try holdsLease(lease) else { return .fenced }
        let facts = try reader.campaign(lease.campaign, share: lease.share)
        guard let facts, mayGoOn(facts) else { return .waits }
        precondition(facts.hasShares == (lease.share != nil), "shares are planned one by one")
        return try step(facts)
    }

    /// Writes the next rows of a campaign, and does the counting for each device.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - providers: The providers whose chunks are cut, in a campaign of several; nil for all.
    ///   - shardsMax: The limit of list chunks.
    ///   - devicesMax: The limit of devices.
    ///   - kind: The kind of rows; those that wait for turns are not returned.
    ///   - cap: The app's frequency cap.
    ///   - now: The instant.
    func cut(
        campaign: UInt32,
        of providers: Set<ProviderName>?,
        shardsMax: Int,
        devicesMax: Int = .max,
        as kind: Cut,
        cap: FrequencyCap,
        now: Timestamp
    ) throws(LedgerError) -> [ShardToPublish] {
        guard let push = try reader.campaignPush(campaign) else { throw .failed("campaign \(campaign) is gone") }
        let counting = push.counting(cap)
        guard var limit = CutLimit(kind, chunksMax: shardsMax, room: devicesMax, counting: counting?.limit) else {
            return []
        }
        let next = try nextChunks(campaign: campaign, push, of: providers, limit: limit.chunks, now: now)
        var chunks = Array(next.prefix { limit.takes($0.count) })
        guard !chunks.isEmpty else { return [] }
        try moveCursor(campaign: campaign, behind: chunks)
        if let counting { try count(&chunks, of: campaign, counting, app: push.facts, now: now) }
        var shards: [ShardToPublish] = []
        for chunk in chunks {
            let rows = chunk.rows(of: campaign, as: kind)
            if let apart = rows.apart { try insert(apart, since: now) }
            for row in rows.rows {
                try insert(row, since: now)
                if let settling = try settling(row) {
                    try settle(settling, of: try reader.campaign(of: row), now: now)
                } else if kind.isReturned {
                    shards += try complete(row, of: chunk, push)
                }
            }
        }
        if kind.begins { try begin(campaign: campaign, now: now) }
        return shards
    }

    private func settling(_ row: ShardRecord) throws(LedgerError) -> RowSettling? {
        do { return try ChunkRows.settling(row) } catch { throw .failed("\(error)") }
    }

    /// Completes a newly cut row with data of campaign and chunk, using those that are read already.
    private func complete(
        _ row: ShardRecord,
        of chunk: PlannableChunk,
        _ push: CampaignPush
    ) throws(LedgerError) -> [ShardToPublish] {
        guard row.positions.isEmpty else { return try reader.complete([row]) }
        let facts = try push.facts(
            provider: chunk.provider,
            environment: chunk.environment,
            locale: chunk.locale,
            partEnd: chunk.part?.expiresAt
        )
        return [ShardToPublish(record: row, facts: facts, firstIndex: chunk.firstIndex, devices: chunk.devices)]
    }

    /// Marks the start of a campaign when its first shards are on their way; has no effect a second time.
    func begin(campaign: UInt32, now: Timestamp) throws(LedgerError) {
        let first = try db.run(
            """
            UPDATE campaigns SET started_at = ?2,
                stage = CASE WHEN flows = 1 THEN stage ELSE \(CampaignStage.sending.sql) END
            WHERE number = ?1 AND started_at IS NULL
            """,
            .int(campaign),
            .time(now)
        )
        guard first > 0 else { return }
        try addLifeEvent(.started, campaign: campaign, now: now)
        try note(.started, campaign: campaign, now: now)
        try bumpRevision()
    }

    /// Moves the cursors of the campaign and its parts past the chunks that are cut.
    private func moveCursor(campaign: UInt32, behind chunks: some Collection<PlannableChunk>) throws(LedgerError) {
        try db.run(
            "UPDATE campaigns SET cursor = cursor + ?2 WHERE number = ?1",
            .int(campaign),
            .int(chunks.count)
        )
        var ends: [Int: UInt32] = [:]
        for chunk in chunks {
            if let part = chunk.part { ends[part.number] = chunk.position + 1 }
        }
        for (part, end) in ends {
            try db.run(
                "UPDATE parts SET cursor = ?3 WHERE campaign = ?1 AND part = ?2",
                .int(campaign),
                .int(part),
                .int(end)
            )
        }
    }

    /// The next chunks in the list's order, or in the order of the parts' releases as far as they may be sent to now.
    private func nextChunks(
        campaign: UInt32,
        _ push: CampaignPush,
        of providers: Set<ProviderName>?,
        limit: Int,
        now: Timestamp
    ) throws(LedgerError) -> [PlannableChunk] {
        guard push.hasParts else {
            let cursor = try db.number("SELECT cursor FROM campaigns WHERE number = ?1", .int(campaign)) ?? 0
            return try nextChunks(campaign: campaign, push, in: nil, from: UInt32(cursor), limit: limit)
        }
        var chunks: [PlannableChunk] = []
        for part in try reader.openParts(campaign: campaign, of: providers, now: now) where chunks.count < limit {
            let room = limit - chunks.count
            chunks += try nextChunks(campaign: campaign, push, in: part, from: part.cursor, limit: room)
        }
        return chunks
    }

    private func nextChunks(
        campaign: UInt32,
        _ push: CampaignPush,
        in part: OpenPart?,
        from cursor: UInt32,
        limit: Int
    ) throws(LedgerError) -> [PlannableChunk] {
        let (tables, column, condition) =
            part == nil
            ? ("chunks k", "k.ordinal", "?2 > 0")
            : ("chunk_order o JOIN chunks k ON k.list = ?1 AND k.ordinal = o.ordinal", "o.position", "o.campaign = ?2")
        let rows = try db.rows(
            """
            SELECT k.ordinal, k.first_index, k.count, k.environment,
                CASE WHEN ?4 = 1 THEN coalesce(k.with_variables, k.bare) ELSE k.bare END AS devices, d.bits,
                d.suspects, k.locale, d.opted_out, \(column) AS place, k.provider
            FROM \(tables) LEFT JOIN chunk_dead d ON d.list = k.list AND d.ordinal = k.ordinal
            WHERE k.list = ?1 AND \(condition) AND \(column) >= ?5 AND \(column) < ?6
            ORDER BY \(column) LIMIT ?3
            """,
            .int(push.list),
            .int(campaign),
            .int(limit),
            .bool(push.carriesVariables),
            .int(cursor),
            .int(part?.end ?? .max)
        )
        return try rows.map { row in
            PlannableChunk(
                ordinal: row.uint32("ordinal"),
                firstIndex: row.uint32("first_index"),
                count: row.int("count"),
                provider: row.provider("provider"),
                environment: row.optionalText("environment"),
                locale: row.optionalText("locale"),
                devices: row.blob("devices"),
                known: KnownDevices(
                    dead: DeadBits(bytes: row.blob("bits")),
                    suspects: DeadBits(bytes: row.blob("suspects")),
                    optedOut: DeadBits(bytes: row.blob("opted_out"))
                ),
                position: row.uint32("place"),
                part: part
            )
        }
    }

    /// Marks rows whose messages were confirmed; a row whose generation or state has moved on stays as it is.
    public func markOut(_ shards: [(key: ShardKey, generation: UInt32)], now: Timestamp) throws(LedgerError) {
        for range in ConfirmedRange.ranges(of: shards) {
            try db.run(
                """
                UPDATE shards SET state = ?8, since = ?7
                WHERE campaign = ?1 AND part = ?2 AND ordinal BETWEEN ?3 AND ?4 AND child = ?5 AND generation = ?6
                    AND state = ?9
                """,
                .int(range.first.campaign),
                .int(range.first.part),
                .int(range.first.ordinal),
                .int(range.lastOrdinal),
                .int(range.first.child),
                .int(range.generation),
                .time(now),
                .int(ShardState.out.rawValue),
                .int(ShardState.unpublished.rawValue),
                scope: .shards
            )
        }
    }
}

/// A range of neighboring rows whose messages were confirmed: one statement updates all that were cut together.
private struct ConfirmedRange {
    var first: ShardKey
    var lastOrdinal: UInt32
    var generation: UInt32

    static func ranges(of shards: [(key: ShardKey, generation: UInt32)]) -> [ConfirmedRange] {
        var ranges: [ConfirmedRange] = []
        for (key, generation) in shards.sorted(by: { $0.key < $1.key }) {
            if let last = ranges.last, last.generation == generation, last.isFollowed(by: key) {
                ranges[ranges.count - 1].lastOrdinal = key.ordinal
            } else {
                ranges.append(ConfirmedRange(first: key, lastOrdinal: key.ordinal, generation: generation))
            }
        }
        return ranges
    }

    private func isFollowed(by key: ShardKey) -> Bool {
        key.campaign == first.campaign && key.part == first.part && key.child == first.child
            && key.ordinal <= lastOrdinal + 1
    }
}
