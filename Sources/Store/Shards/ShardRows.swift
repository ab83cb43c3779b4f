public import Campaigns
public import Delivery

/// Reads and writes of rows of `shards`.
enum ShardRows {
    /// The columns that `record(_:)` reads.
    static let columns = """
        s.campaign, s.part, s.ordinal, s.child, s.path, s.count, s.state, s.generation, s.epoch, s.owner, s.attempt, \
        s.rung, s.not_before, s.due_at, s.chunk, s.positions, s.progress, s.aside, s.slot_at, s.slot_length
        """
    /// Rows that are not settled, by their own index.
    ///
    /// SQLite is told the index, because without statistics it walks all rows of the campaign, including settled ones.
    static let open = "shards s INDEXED BY open_shards"
    /// The condition that rows are in one of these states, as literals.
    ///
    /// The partial index of `open` applies only if the condition itself excludes settled rows.
    static func isIn(_ states: ShardState..., rows: String = "s.") -> String { isIn(states, rows: rows) }

    /// The condition of the index of `open`, for queries whose states are placeholders.
    static let isNotSettled = "s.state <> \(ShardState.settled.sql)"

    /// The condition that rows are not settled, by their states.
    static let isOpen = isIn(ShardState.allCases.filter { $0 != .settled }, rows: "s.")

    private static func isIn(_ states: [ShardState], rows: String) -> String {
        let isOne = states.count == 1 ? "\(rows)state = \(states.sql)" : "\(rows)state IN (\(states.sql))"
        return states.contains(.settled) ? isOne : "\(isOne) AND \(rows)state <> \(ShardState.settled.sql)"
    }

    /// One row, with its workers' deaths; a constant, because every claim runs it.
    static let selectOne = """
        SELECT \(columns), s.deaths FROM shards s
        WHERE s.campaign = ?1 AND s.part = ?2 AND s.ordinal = ?3 AND s.child = ?4
        """

    static func record(_ rows: borrowing Rows) throws(LedgerError) -> ShardRecord {
        let key = key(rows)
        let id = ShardID(key: key, path: rows.text("path"))
        let count = rows.int("count")
        guard let state: ShardState = rows.value("state") else {
            throw .failed("shard \(id) is in state \(rows.int64("state")), which this version does not know")
        }
        return ShardRecord(
            id: id,
            state: state,
            generation: rows.uint32("generation"),
            epoch: rows.uint32("epoch"),
            owner: rows.int64("owner"),
            attempt: rows.uint32("attempt"),
            rung: rows.value("rung"),
            notBefore: rows.optionalTime("not_before"),
            dueAt: rows.optionalTime("due_at"),
            chunk: rows.uint32("chunk"),
            positions: rows.positions("positions"),
            count: count,
            progress: try progress(rows, count: count, id: id),
            aside: rows.value("aside"),
            slot: rows.optionalInt64("slot_at").map { Slot(begins: $0, length: rows.int64("slot_length")) }
        )
    }

    static func key(_ rows: borrowing Rows) -> ShardKey {
        ShardKey(
            campaign: rows.uint32("campaign"),
            part: rows.uint32("part"),
            ordinal: rows.uint32("ordinal"),
            child: rows.uint32("child")
        )
    }

    /// The progress of a row; NULL means that all devices are pending.
    static func progress(
        _ rows: borrowing Rows,
        count: Int,
        id: ShardID
    ) throws(LedgerError) -> Progress {
        guard let packed = rows.optionalBlob("progress") else { return Progress(count: count) }
        guard let progress = Progress(packed: packed), progress.count == count else {
            throw .failed("the progress of shard \(id) cannot be read")
        }
        return progress
    }
}

extension LedgerReader {
    /// A shard's row; nil if the ledger does not know it.
    public func shard(_ key: ShardKey) throws(LedgerError) -> ShardRecord? { try shardWithDeaths(key)?.record }

    /// A shard's row, and the number of its workers that died; nil if the ledger does not know it.
    func shardWithDeaths(_ key: ShardKey) throws(LedgerError) -> (record: ShardRecord, deaths: Int)? {
        let rows = try db.rows(
            ShardRows.selectOne,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            locking: .untilCommit
        )
        return try rows.next() ? (try ShardRows.record(rows), rows.int("deaths")) : nil
    }

    /// Rows of a campaign that are not settled, in order of their keys.
    ///
    /// - Parameters:
    ///   - states: The states; nil for all but settled.
    ///   - providers: The providers of the rows, in a campaign of several; nil for all.
    ///   - limit: The largest number of rows.
    public func openShards(
        campaign: UInt32,
        states: Set<ShardState>? = nil,
        of providers: Set<ProviderName>? = nil,
        limit: Int = .max
    ) throws(LedgerError) -> [ShardRecord] {
        let wanted = { (state: ShardState) in
            SQLValue.integer(states?.contains(state) ?? true ? Int64(state.rawValue) : -1)
        }
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE s.state IN (?3, ?4, ?5, ?6, ?7) AND \(ShardRows.isNotSettled) AND s.campaign = ?1
                AND \(ShareRows.isOf(providers))
            ORDER BY s.part, s.ordinal, s.child LIMIT ?2
            """,
            .int(campaign),
            .int(limit),
            wanted(.unpublished),
            wanted(.out),
            wanted(.running),
            wanted(.aside),
            wanted(.parked)
        )
        return try rows.map(ShardRows.record)
    }
}

extension LedgerTransaction {
    /// Writes a new row; `reasons` are those for which the devices of a retry row are tried again.
    ///
    /// A row of the outbox makes the transaction synced.
    func insert(
        _ record: ShardRecord,
        parent: UInt32 = 0,
        reasons: [String: Int] = [:],
        since: Timestamp
    ) throws(LedgerError) {
        if record.state == .unpublished { try requireSynced() }
        let key = record.id.key
        let isFresh = record.progress == Progress(count: record.count)
        try db.run(
            """
            INSERT INTO shards (campaign, part, ordinal, child, state, generation, epoch, owner, claims, attempt, rung,
                not_before, due_at, since, chunk, count, path, positions, progress, parent, aside, cut_at, begun_at,
                retry_reasons)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                ?21, ?14, ?22, ?23)
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(record.state.rawValue),
            .int(record.generation),
            .int(record.epoch),
            .int(record.owner),
            .int(record.epoch),
            .int(record.attempt),
            .int(record.rung?.rawValue),
            .time(record.notBefore),
            .time(record.dueAt),
            .time(since),
            .int(record.chunk),
            .int(record.count),
            .text(record.id.path),
            .positions(record.positions),
            isFresh ? .null(.blob) : .blob(record.progress.packed),
            .int(parent),
            .text(record.aside?.rawValue),
            .time(record.state == .running ? since : nil),
            .text(ReasonCounts.text(reasons)),
            scope: .shards
        )
    }

    /// Writes a row's state, generation, epoch, owner and slot, and resets its workers' deaths.
    ///
    /// A row that goes to the outbox makes the transaction synced.
    func move(_ record: ShardRecord, since: Timestamp) throws(LedgerError) {
        if record.state == .unpublished { try requireSynced() }
        let key = record.id.key
        try db.run(
            """
            UPDATE shards SET state = ?5, generation = ?6, epoch = ?7, owner = ?8, aside = ?9, since = ?10, claims = 0, deaths = 0,
                slot_at = ?11, slot_length = ?12
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(record.state.rawValue),
            .int(record.generation),
            .int(record.epoch),
            .int(record.owner),
            .text(record.aside?.rawValue),
            .time(since),
            .int(record.slot?.begins),
            .int(record.slot?.length),
            scope: .shards
        )
    }

    /// Starts a worker's run of a row.
    private func run(_ record: ShardRecord, deaths: Int, since: Timestamp) throws(LedgerError) {
        let key = record.id.key
        try db.run(
            """
            UPDATE shards SET state = ?9, epoch = ?5, owner = ?6, deaths = ?8, claims = 0, since = ?7,
                begun_at = coalesce(begun_at, ?7)
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(record.epoch),
            .int(record.owner),
            .time(since),
            .int(deaths),
            .int(record.state.rawValue),
            scope: .shards
        )
    }

    /// Carries out a plan for one row; returns the rows that follow from it.
    func carryOut(
        _ write: RowWrite,
        of campaign: CampaignFacts?,
        now: Timestamp
    ) throws(LedgerError) -> [ShardRecord] {
        switch write {
        case .nothing: break
        case .runs(let row, let deaths): try run(row, deaths: deaths, since: now)
        case .moves(let row): try move(row, since: now)
        case .settles(let settling): return try settle(settling, of: campaign, now: now)
        }
        return []
    }

    /// Settles a row, then writes and returns the retry rows that follow from it.
    @discardableResult
    func settle(
        _ settling: RowSettling,
        of campaign: CampaignFacts?,
        now: Timestamp
    ) throws(LedgerError) -> [ShardRecord] {
        let row = settling.row
        let settlement = settling.settlement
        let (key, counts) = (row.id.key, settlement.counts)
        try db.run(
            """
            UPDATE shards SET state = ?18, owner = ?19, aside = NULL, since = ?5, progress = ?6, reasons = ?7,
                requests = ?8, retried = ?9, accepted = ?10, invalid = ?11, failed = ?12, expired = ?13,
                superseded = ?14, cancelled = ?15, skipped = ?16, unanswered = ?17,
                retry_reasons = coalesce(?20, retry_reasons)
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .time(now),
            .blob(row.progress.packed),
            .text(ReasonCounts.text(settlement.reasons)),
            .int(settlement.attempts),
            .int(row.count - counts.total),
            .int(counts.accepted),
            .int(counts.invalid),
            .int(counts.failed),
            .int(counts.expired),
            .int(counts.superseded),
            .int(counts.cancelled),
            .int(counts.skipped),
            .int(row.progress.unansweredCount),
            .int(row.state.rawValue),
            .int(row.owner),
            .text(ReasonCounts.text(settlement.expiredReasons)),
            scope: .shards
        )
        if let campaign, !campaign.askedEvents.isEmpty { try tell(settlement, of: row, campaign, now: now) }
        guard settling.hasChildren else { return [] }
        let last = try db.number(
            "SELECT max(child) FROM shards WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3",
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal)
        )
        let children = settling.children(behind: UInt32(truncatingIfNeeded: last ?? 0), now: now)
        for (place, child) in children.enumerated() {
            let reasons = place < settlement.retries.count ? settlement.retries[place].reasons : [:]
            try insert(child, parent: key.child, reasons: reasons, since: now)
        }
        return children
    }

    /// Ends all devices of a row that have no outcome yet with this one.
    func end(
        _ record: ShardRecord,
        _ outcome: Outcome,
        reason: String? = nil,
        of campaign: CampaignFacts?,
        now: Timestamp
    ) throws(LedgerError) {
        let settling: RowSettling
        do { settling = try RowSettling(record, endingAs: outcome, reason: reason) } catch { throw .failed("\(error)") }
        try settle(settling, of: campaign, now: now)
    }
}

extension LedgerReader {
    /// Calls `body` with each device of a chunk: the row, the place in the row, and the position in the chunk.
    ///
    /// Parents come before their children, so that the last call for a position is the current one. Under a rate, each
    /// shard is a piece of the chunk.
    func forEachPlace(
        ofChunk chunk: UInt32,
        of campaign: UInt32,
        _ body: (_ record: ShardRecord, _ place: Int, _ position: Int) -> Void
    ) throws(LedgerError) {
        var piece: UInt32? = chunk
        while let ordinal = piece {
            let rows = try db.rows(
                """
                SELECT \(ShardRows.columns) FROM shards s
                WHERE s.campaign = ?1 AND s.part IN (0, \(ShardKey.suspectPart)) AND s.ordinal = ?2
                ORDER BY s.part, s.child
                """,
                .int(campaign),
                .int(ordinal)
            )
            var isFound = false
            while try rows.next() {
                isFound = true
                let record = try ShardRows.record(rows)
                for place in 0..<record.count {
                    body(record, place, record.positions.isEmpty ? place : Int(record.positions[place]))
                }
            }
            piece = isFound ? ShardRecord.nextPiece(ordinal) : nil
        }
    }
}
