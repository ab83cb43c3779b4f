import Campaigns
import Delivery

/// Dead tokens, which a provider has rejected for good and which are never sent to again, and suspect tokens, which a
/// provider has called wrong once.
///
/// A settlement marks their positions in the chunk, and other campaigns to the same list read these marks. For future
/// lists, their hashes are learned from the marks later and in bulk. Inserting each hash at its random position of an
/// index during settlement would cost more than the rest of the settlement.
extension LedgerTransaction {
    /// Marks the devices of a row's chunk that its settlement found dead.
    func bury(_ dead: [Settlement.DeadToken], of record: ShardRecord) throws(LedgerError) {
        try mark(record) { marks in
            for token in dead { marks.die(record.index(token.position), at: token.since) }
        }
    }

    /// Marks devices whose tokens were called wrong outside a tripped guard: suspect the first time, dead the second.
    func suspect(
        _ positions: some Sequence<UInt16>,
        of record: ShardRecord,
        now: Timestamp
    ) throws(LedgerError) {
        try mark(record) { marks in
            for position in positions {
                let index = record.index(position)
                if marks.suspects[index] {
                    marks.suspects.remove(index)
                    marks.die(index, at: now)
                } else {
                    marks.suspects.insert(index)
                }
            }
        }
    }

    /// Removes the mark from suspect devices whose tokens were accepted, because the token was not the problem.
    func clear(_ progress: Progress, of record: ShardRecord) throws(LedgerError) {
        let indexes = (0..<record.count).filter { progress.state(at: $0) == .outcome(.accepted) }
            .map { record.index(UInt16($0)) }
        guard !indexes.isEmpty else { return }
        try mark(record) { marks in
            for index in indexes { marks.suspects.remove(index) }
        }
        let rows = try db.rows(
            """
            SELECT l.app, k.provider, k.bare FROM campaigns c JOIN lists l ON l.number = c.list
            JOIN chunks k ON k.list = c.list AND k.ordinal = ?2 WHERE c.number = ?1
            """,
            .int(record.id.key.campaign),
            .int(record.chunk)
        )
        guard try rows.next() else { return }
        let prefix = TokenHash.prefix(app: rows.text("app"), provider: rows.text("provider"))
        let devices: DeviceBatch
        do { devices = try DeviceBatch(encoded: rows.blob("bare")) } catch {
            throw .failed("chunk \(record.chunk) of campaign \(record.id.key.campaign): \(error)")
        }
        for index in indexes {
            let hash = TokenHash.value(prefix: prefix, token: devices.tokens[devices.tokenRange(at: index)])
            try db.run("DELETE FROM suspect_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash)))
            for table in ["devices", "activity_tokens"] {
                try db.run("UPDATE \(table) SET suspect = 0 WHERE token_hash = ?1", .integer(TokenHash.short(hash)))
            }
        }
    }

    private func mark(_ record: ShardRecord, _ change: (inout ChunkMarks) -> Void) throws(LedgerError) {
        let list = try db.number("SELECT list FROM campaigns WHERE number = ?1", .int(record.id.key.campaign)) ?? 0
        // The chunk's row always exists, unlike the row of its marks.
        try db.lock("SELECT 1 FROM chunks WHERE list = ?1 AND ordinal = ?2", .integer(list), .int(record.chunk))
        let rows = try db.rows(
            "SELECT bits, suspects, died FROM chunk_dead WHERE list = ?1 AND ordinal = ?2",
            .integer(list),
            .int(record.chunk)
        )
        var marks = ChunkMarks()
        if try rows.next() {
            marks.dead = DeadBits(bytes: rows.blob("bits"))
            marks.suspects = DeadBits(bytes: rows.blob("suspects"))
            marks.died = ChunkMarks.deaths(rows.blob("died"))
        }
        change(&marks)
        try write(marks, list: list, ordinal: record.chunk, learnt: false)
    }

    /// Marks the devices of a new chunk whose tokens are known to be dead or suspect.
    func markKnownDead(_ chunk: ListChunk, list: UInt32, app: String) throws(LedgerError) {
        let prefix = TokenHash.prefix(app: app, provider: chunk.group.provider.rawValue)
        var marks = ChunkMarks()
        for position in 0..<chunk.devices.count {
            let token = chunk.devices.tokens[chunk.devices.tokenRange(at: position)]
            let hash = TokenHash.bytes(TokenHash.value(prefix: prefix, token: token))
            if try db.number("SELECT 1 FROM dead_tokens WHERE hash = ?1", .blob(hash)) != nil {
                marks.dead.insert(position)
            } else if try db.number("SELECT 1 FROM suspect_tokens WHERE hash = ?1", .blob(hash)) != nil {
                marks.suspects.insert(position)
            }
        }
        guard !marks.dead.isEmpty || !marks.suspects.isEmpty else { return }
        try write(marks, list: Int64(list), ordinal: chunk.ordinal, learnt: true)
    }

    private func write(_ marks: ChunkMarks, list: Int64, ordinal: UInt32, learnt: Bool) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO chunk_dead (list, ordinal, learnt, bits, suspects, died) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (list, ordinal) DO UPDATE SET bits = excluded.bits, learnt = excluded.learnt,
                suspects = excluded.suspects, died = excluded.died
            """,
            .integer(list),
            .int(ordinal),
            .bool(learnt),
            .blob(marks.dead.bytes),
            .blob(marks.suspects.bytes),
            .blob(marks.diedBytes),
            scope: .shards
        )
    }

    /// Marks the suspect devices of a new chunk.
    func markSuspect(_ positions: [Int], list: UInt32, ordinal: UInt32) throws(LedgerError) {
        guard !positions.isEmpty else { return }
        var marks = ChunkMarks()
        for position in positions { marks.suspects.insert(position) }
        try write(marks, list: Int64(list), ordinal: ordinal, learnt: true)
    }

    /// Marks devices of a chunk that are never sent to because their person opted out.
    func markOptedOut(_ positions: [Int], list: UInt32, ordinal: UInt32) throws(LedgerError) {
        guard !positions.isEmpty else { return }
        let rows = try db.rows(
            "SELECT opted_out FROM chunk_dead WHERE list = ?1 AND ordinal = ?2",
            .int(list),
            .int(ordinal)
        )
        var bits = DeadBits(bytes: try rows.next() ? rows.blob("opted_out") : [])
        for position in positions { bits.insert(position) }
        try db.run(
            """
            INSERT INTO chunk_dead (list, ordinal, learnt, bits, opted_out) VALUES (?1, ?2, 1, ?3, ?4)
            ON CONFLICT (list, ordinal) DO UPDATE SET opted_out = excluded.opted_out
            """,
            .int(list),
            .int(ordinal),
            .blob([]),
            .blob(bits.bytes),
            scope: .shards
        )
    }
}

/// The marks of a chunk's devices.
private struct ChunkMarks {
    var dead = DeadBits()
    var suspects = DeadBits()
    /// Deaths that are not learned yet.
    var died: [(index: Int, at: Int64)] = []

    mutating func die(_ index: Int, at instant: Timestamp?) {
        dead.insert(index)
        died.append((index, instant?.milliseconds ?? .max))
    }

    /// Two bytes for the position and eight for the instant of each death, least significant byte first.
    var diedBytes: [UInt8] {
        died.flatMap { death in
            [UInt8(truncatingIfNeeded: death.index), UInt8(truncatingIfNeeded: death.index >> 8)]
                + (0..<8).map { UInt8(truncatingIfNeeded: death.at >> ($0 * 8)) }
        }
    }

    static func deaths(_ bytes: [UInt8]) -> [(index: Int, at: Int64)] {
        stride(from: 0, to: bytes.count - bytes.count % 10, by: 10).map { start in
            let at = (0..<8).reduce(Int64(0)) { $0 | Int64(bytes[start + 2 + $1]) << ($1 * 8) }
            return (Int(bytes[start]) | Int(bytes[start + 1]) << 8, at)
        }
    }
}

extension ShardRecord {
    /// The position in the chunk of a position in the shard.
    func index(_ position: UInt16) -> Int {
        Int(positions.isEmpty ? position : positions[Int(position)])
    }
}

extension LedgerTransaction {
    /// Learns the tokens behind the marks of settlements, a bounded number of chunks per call.
    ///
    /// A token of the registry dies if it was not registered again after the provider's instant. Returns true if there
    /// is more. The planner role calls this about every second; uploads also learn some tokens.
    @discardableResult
    public func learnDeadTokens(chunksMax: Int = 100) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT d.list, d.ordinal, d.bits, l.app, k.provider, k.bare, d.suspects, d.died
            FROM chunk_dead d JOIN lists l ON l.number = d.list
            JOIN chunks k ON k.list = d.list AND k.ordinal = d.ordinal
            WHERE d.learnt = 0 LIMIT ?1
            """,
            .int(chunksMax)
        )
        var (deaths, suspects): ([UInt128: Int64?], Set<UInt128>) = ([:], [])
        var chunks: [(list: UInt32, ordinal: UInt32)] = []
        var isMore = false
        while try rows.next() {
            // A chunk with only dead tokens has as many of them as a hundred others or so.
            guard deaths.count + suspects.count < Self.tokensMax else {
                isMore = true
                break
            }
            let chunk = (list: rows.uint32("list"), ordinal: rows.uint32("ordinal"))
            let (bits, suspectBits) = (DeadBits(bytes: rows.blob("bits")), DeadBits(bytes: rows.blob("suspects")))
            let prefix = TokenHash.prefix(app: rows.text("app"), provider: rows.text("provider"))
            let devices: DeviceBatch
            do { devices = try DeviceBatch(encoded: rows.blob("bare")) } catch {
                throw .failed("chunk \(chunk.ordinal) of list \(chunk.list): \(error)")
            }
            let new = Dictionary(ChunkMarks.deaths(rows.blob("died")).map { ($0.index, $0.at) }, uniquingKeysWith: max)
            for position in 0..<devices.count where bits[position] || suspectBits[position] {
                let token = devices.tokens[devices.tokenRange(at: position)]
                let hash = TokenHash.value(prefix: prefix, token: token)
                if bits[position] { deaths[hash] = .some(new[position]) } else { suspects.insert(hash) }
            }
            chunks.append(chunk)
        }
        // The index's order, so that neighbors share pages.
        for (hash, at) in deaths.sorted(by: { $0.key < $1.key }) { try bury(hash, at: at) }
        for hash in suspects.sorted() { try distrust(hash) }
        for chunk in chunks {
            try db.run(
                "UPDATE chunk_dead SET learnt = 1, died = ?3 WHERE list = ?1 AND ordinal = ?2",
                .int(chunk.list),
                .int(chunk.ordinal),
                .blob([])
            )
        }
        return isMore || chunks.count == chunksMax
    }

    /// The limit of tokens learned in one transaction, which the last chunk may exceed.
    private static let tokensMax = 1_500
}
