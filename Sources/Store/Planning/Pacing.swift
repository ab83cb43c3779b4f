public import Campaigns
public import Delivery
public import PushProviders

/// What a planner's look at a campaign under a rate came to.
public struct PacedStep: Sendable, Equatable {
    /// Shards that have a turn now, to be published.
    public var shards: [ShardToPublish] = []
    /// When to look again, in microseconds from now; nothing is to be given away before.
    public var rest: Int64 = 0
    /// Whether another worker plans this campaign now.
    public var isFenced = false

    /// A step; nothing to be done by default.
    public init(shards: [ShardToPublish] = [], rest: Int64 = 0, isFenced: Bool = false) {
        self.shards = shards
        self.rest = rest
        self.isFenced = isFenced
    }
}

extension LedgerTransaction {
    /// Gives turns to what a campaign has waiting, and cuts what is to wait next (design, section 10, Rate).
    ///
    /// Retries that are due come before new shards. The campaign's line, its app's and its providers' move on in this
    /// transaction, so that planners of several campaigns keep the rate of an app, and the quota of a project, together.
    /// Only the devices of a provider with a quota wait for that.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - appPace: The rate of its app; nil when that has none.
    ///   - quotas: Those of its providers that have one; of a campaign of one provider no other's.
    ///   - cap: The frequency cap of its app.
    ///   - leaseEpoch: Fences the write.
    ///   - worker: Whose lease it is.
    ///   - now: The clock that all workers share.
    public func givePacedTurns(
        campaign: UInt32,
        appPace: Pace?,
        quotas: [ProviderName: ProviderQuota] = [:],
        cap: FrequencyCap = FrequencyCap(),
        leaseEpoch: UInt32,
        worker: Int64,
        now: Timestamp
    ) throws(LedgerError) -> PacedStep {
        guard try holdsLease(campaign: campaign, worker: worker, epoch: leaseEpoch) else {
            return PacedStep(isFenced: true)
        }
        guard let facts = try reader.campaign(campaign), facts.mayPlan(at: now) else { return PacedStep() }
        // Of several providers those that are in trouble leave their turns to the others.
        let shares = try reader.shares(of: facts).filter { $0.mayPlan(at: now) }
        let paces = [facts.pace, appPace].compactMap { $0 }
        var queues = TurnQueue.queues(shares, quotas, hasRate: !paces.isEmpty)
        guard !queues.isEmpty else { return PacedStep() }
        for index in queues.indices {
            try fill(&queues[index], facts, paces, cap, now: now)
            // Without a common rate none takes anything from another.
            guard queues.count > 1, !paces.isEmpty else { continue }
            (queues[index].devices, queues[index].taken) = try reader.progress(of: queues[index], facts, now: now)
        }
        let isIdle = queues.allSatisfy(\.rows.isEmpty)
        var lines = try paceLines(facts, appPace)
        let turns = try turns(&queues, &lines, now: now)
        if !turns.isEmpty {
            try writePaceLines(facts, appPace, lines)
            for queue in queues {
                if let quota = queue.quota, let line = queue.line { try writeQuotaLine(quota, line) }
            }
        }
        let rest = queues.map { Pacing.rest(lines, quota: $0.line, now: now) }.min() ?? 0
        return PacedStep(shards: try reader.complete(turns), rest: isIdle ? max(rest, Pacing.idleRest) : rest)
    }

    /// Cuts what a queue needs, and looks what waits in it.
    private func fill(
        _ queue: inout TurnQueue,
        _ facts: CampaignFacts,
        _ paces: [Pace],
        _ cap: FrequencyCap,
        now: Timestamp
    ) throws(LedgerError) {
        try cutAhead(facts, queue.shares, queue.paces(paces), cap, now: now)
        let rows = try reader.waitingForTurn(facts, of: queue.providers, now: now, limit: Self.turnsMax)
        queue.rows = rows[...]
        if let quota = queue.quota { queue.line = try quotaLine(quota) }
    }

    /// Gives slots to the rows whose turn it is, as far as their limits have some.
    private func turns(
        _ queues: inout [TurnQueue],
        _ lines: inout [PaceLine],
        now: Timestamp
    ) throws(LedgerError) -> [ShardRecord] {
        var turns: [ShardRecord] = []
        while turns.count < Self.turnsMax, let next = TurnQueue.next(queues), var row = queues[next].rows.popFirst() {
            let slot = Pacing.slot(devices: row.count, lines: &lines, quota: &queues[next].line, now: now)
            guard let slot else {
                // Its quota's, or everybody's: the others see for themselves.
                queues[next].rows = []
                continue
            }
            (row.state, row.aside, row.slot) = (.unpublished, nil, slot)
            try move(row, since: now)
            turns.append(row)
            queues[next].taken += Double(row.count) / Double(queues[next].devices)
        }
        return turns
    }

    /// Shards that get a turn in one transaction at most.
    private static let turnsMax = 256

    /// Cuts chunks until what waits is worth more than the turns that can be given away now.
    private func cutAhead(
        _ facts: CampaignFacts,
        _ shares: [CampaignFacts],
        _ paces: [Pace],
        _ cap: FrequencyCap,
        now: Timestamp
    ) throws(LedgerError) {
        var open = shares
        func providers() -> Set<ProviderName>? { facts.hasShares ? Set(open.compactMap(\.share)) : nil }
        var missing = Pacing.devicesAhead(paces)
        missing -= Int(try reader.devicesWaitingForTurn(facts, of: providers(), now: now))
        while missing > 0, let (next, provider) = try reader.nextChunk(facts.number, of: providers(), now: now),
            let share = open.firstIndex(where: { $0.share == provider })
        {
            guard try roomUnderGuard(open[share]) >= next else {
                open.remove(at: share)
                continue
            }
            _ = try cut(
                campaign: facts.number,
                of: open[share].rows,
                shardsMax: 1,
                as: .unpublished,
                pieceMax: Pacing.devicesMax(paces),
                cap: cap,
                now: now
            )
            missing -= next
        }
    }

    private func paceLines(_ facts: CampaignFacts, _ appPace: Pace?) throws(LedgerError) -> [PaceLine] {
        var lines: [PaceLine] = []
        if let pace = facts.pace {
            let rows = try db.rows("SELECT pace_first, pace_next FROM campaigns WHERE number = ?1", .int(facts.number))
            guard try rows.next() else { throw .failed("campaign \(facts.number) is gone") }
            lines.append(PaceLine(pace: pace, first: rows.optionalInt64(0), next: rows.int64(1)))
        }
        if let appPace {
            // Locked: planners of other campaigns give turns away on the same line.
            let rows = try db.lockedRows("SELECT next FROM app_paces WHERE app = ?1", .text(facts.app))
            lines.append(PaceLine(pace: appPace, next: try rows.next() ? rows.int64(0) : 0))
        }
        return lines
    }

    private func writePaceLines(
        _ facts: CampaignFacts,
        _ appPace: Pace?,
        _ lines: [PaceLine]
    ) throws(LedgerError) {
        var rest = lines[...]
        if facts.pace != nil, let line = rest.popFirst() {
            try db.run(
                "UPDATE campaigns SET pace_first = ?2, pace_next = ?3 WHERE number = ?1",
                .int(facts.number),
                .int(line.first),
                .int(line.next)
            )
        }
        if appPace != nil, let line = rest.popFirst() {
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
    /// Rows that wait for a turn and may have it: retries that are due first, the longest due at the front.
    ///
    /// `providers`: only rows of these, in a campaign of several; nil for all.
    func waitingForTurn(
        _ campaign: CampaignFacts,
        of providers: Set<ProviderName>?,
        now: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE s.state = 3 AND s.state <> 4 AND s.campaign = ?1 AND s.aside = 'rate'
                AND (coalesce(s.due_at, 0) <= ?2 OR s.due_at > ?4) AND coalesce(s.not_before, 0) <= ?2
                AND \(QuietSpans.mayHaveTurn(campaign)) AND \(ShareRows.isOf(providers))
            ORDER BY s.due_at IS NULL, s.due_at, s.chunk, s.part, s.ordinal, s.child LIMIT ?3
            """,
            .int(campaign.number),
            .time(now),
            .int(limit),
            .time(Ahead.rung.limit(now))
        )
        var records: [ShardRecord] = []
        while try rows.next() { records.append(try ShardRows.record(rows)) }
        return records
    }

    func devicesWaitingForTurn(
        _ campaign: CampaignFacts,
        of providers: Set<ProviderName>?,
        now: Timestamp
    ) throws(LedgerError) -> Int64 {
        try db.number(
            """
            SELECT coalesce(sum(s.count), 0) FROM \(ShardRows.open)
            WHERE s.state = 3 AND s.state <> 4 AND s.campaign = ?1 AND s.aside = 'rate' AND s.child = 0
                AND ?2 IS NOT NULL AND \(QuietSpans.mayHaveTurn(campaign)) AND \(ShareRows.isOf(providers))
            """,
            .int(campaign.number),
            .time(now)
        ) ?? 0
    }

    /// Devices of the next chunk that is to be cut, with its provider in a campaign of several; nil when all are.
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
