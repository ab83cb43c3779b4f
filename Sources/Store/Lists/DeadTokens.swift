import Campaigns
import Delivery

/// Tokens that a provider has called dead, never sent to again, and those that it has called wrong once: suspect.
///
/// A settle marks their places in the chunk, which is what other campaigns to the same list read. For lists to come
/// their hashes are learnt from those marks later and in bulk: inserting each at its random place of an index within
/// the settle would cost more than the rest of it.
extension LedgerTransaction {
    /// Learns the tokens behind marks that settles have made, a bounded number of chunks a call.
    ///
    /// Returns whether there is more. The planner role calls it every second or so; uploads learn some by themselves.
    @discardableResult
    public func learnDeadTokens(chunksMax: Int = 100) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT d.list, d.ordinal, d.bits, l.app, k.provider, k.bare, d.suspects
            FROM chunk_dead d JOIN lists l ON l.number = d.list
            JOIN chunks k ON k.list = d.list AND k.ordinal = d.ordinal
            WHERE d.learnt = 0 LIMIT ?1
            """,
            .int(chunksMax)
        )
        var (hashes, suspectHashes): ([UInt128], [UInt128]) = ([], [])
        var chunks: [(list: UInt32, ordinal: UInt32)] = []
        while try rows.next() {
            let chunk = (list: rows.uint32(0), ordinal: rows.uint32(1))
            let (bits, suspects) = (DeadBits(bytes: rows.blob(2)), DeadBits(bytes: rows.blob(6)))
            let prefix = TokenHash.prefix(app: rows.text(3), provider: rows.text(4))
            let devices: DeviceBatch
            do { devices = try DeviceBatch(encoded: rows.blob(5)) } catch {
                throw .failed("chunk \(chunk.ordinal) of list \(chunk.list): \(error)")
            }
            for position in 0..<devices.count where bits[position] || suspects[position] {
                let token = devices.tokens[devices.tokenRange(at: position)]
                let hash = TokenHash.value(prefix: prefix, token: token)
                if bits[position] { hashes.append(hash) } else { suspectHashes.append(hash) }
            }
            chunks.append(chunk)
        }
        // In the order of the index, so that neighbours share pages.
        for hash in hashes.sorted() {
            try db.run(
                "INSERT INTO dead_tokens (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
                .blob(TokenHash.bytes(hash))
            )
        }
        for hash in suspectHashes.sorted() {
            try db.run(
                "INSERT INTO suspect_tokens (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
                .blob(TokenHash.bytes(hash))
            )
        }
        for chunk in chunks {
            try db.run(
                "UPDATE chunk_dead SET learnt = 1 WHERE list = ?1 AND ordinal = ?2",
                .int(chunk.list),
                .int(chunk.ordinal)
            )
        }
        return chunks.count == chunksMax
    }

    /// Marks devices of a row's chunk that its settlement found dead.
    func bury(_ dead: [Settlement.DeadToken], of record: ShardRecord) throws(LedgerError) {
        try mark(record) { bits, _ in
            for token in dead { bits.insert(record.place(token.position)) }
        }
    }

    /// Marks devices whose tokens were called wrong, outside a tripped guard: suspect the first time, dead the second.
    func suspect(_ positions: some Sequence<UInt16>, of record: ShardRecord) throws(LedgerError) {
        try mark(record) { bits, suspects in
            for position in positions {
                let place = record.place(position)
                if suspects[place] {
                    suspects.remove(place)
                    bits.insert(place)
                } else {
                    suspects.insert(place)
                }
            }
        }
    }

    /// Takes the mark from suspect devices whose tokens were accepted: what was wrong was not the token.
    func clear(_ progress: Progress, of record: ShardRecord) throws(LedgerError) {
        let places = (0..<record.count).filter { progress.state(at: $0) == .outcome(.accepted) }
            .map { record.place(UInt16($0)) }
        guard !places.isEmpty else { return }
        try mark(record) { _, suspects in
            for place in places { suspects.remove(place) }
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
        let prefix = TokenHash.prefix(app: rows.text(0), provider: rows.text(1))
        let devices: DeviceBatch
        do { devices = try DeviceBatch(encoded: rows.blob(2)) } catch {
            throw .failed("chunk \(record.chunk) of campaign \(record.id.key.campaign): \(error)")
        }
        for place in places {
            let hash = TokenHash.value(prefix: prefix, token: devices.tokens[devices.tokenRange(at: place)])
            try db.run("DELETE FROM suspect_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash)))
        }
    }

    private func mark(
        _ record: ShardRecord,
        _ change: (_ dead: inout DeadBits, _ suspects: inout DeadBits) -> Void
    ) throws(LedgerError) {
        let list = try db.number("SELECT list FROM campaigns WHERE number = ?1", .int(record.id.key.campaign)) ?? 0
        // The chunk's row is always there, unlike that of its marks.
        try db.lock("SELECT 1 FROM chunks WHERE list = ?1 AND ordinal = ?2", .integer(list), .int(record.chunk))
        let rows = try db.rows(
            "SELECT bits, suspects FROM chunk_dead WHERE list = ?1 AND ordinal = ?2",
            .integer(list),
            .int(record.chunk)
        )
        var (bits, suspects) = (DeadBits(), DeadBits())
        if try rows.next() { (bits, suspects) = (DeadBits(bytes: rows.blob(0)), DeadBits(bytes: rows.blob(1))) }
        change(&bits, &suspects)
        try write(bits, suspects, list: list, ordinal: record.chunk, learnt: false)
    }

    /// Marks devices of a new chunk whose tokens are known to be dead or suspect.
    func markKnownDead(_ chunk: ListChunk, list: UInt32, app: String) throws(LedgerError) {
        let prefix = TokenHash.prefix(app: app, provider: chunk.group.provider.rawValue)
        var (bits, suspects) = (DeadBits(), DeadBits())
        for position in 0..<chunk.devices.count {
            let token = chunk.devices.tokens[chunk.devices.tokenRange(at: position)]
            let hash = TokenHash.bytes(TokenHash.value(prefix: prefix, token: token))
            if try db.number("SELECT 1 FROM dead_tokens WHERE hash = ?1", .blob(hash)) != nil {
                bits.insert(position)
            } else if try db.number("SELECT 1 FROM suspect_tokens WHERE hash = ?1", .blob(hash)) != nil {
                suspects.insert(position)
            }
        }
        guard !bits.isEmpty || !suspects.isEmpty else { return }
        try write(bits, suspects, list: Int64(list), ordinal: chunk.ordinal, learnt: true)
    }

    private func write(
        _ bits: DeadBits,
        _ suspects: DeadBits,
        list: Int64,
        ordinal: UInt32,
        learnt: Bool
    ) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO chunk_dead (list, ordinal, learnt, bits, suspects) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (list, ordinal) DO UPDATE SET bits = excluded.bits, learnt = excluded.learnt,
                suspects = excluded.suspects
            """,
            .integer(list),
            .int(ordinal),
            .bool(learnt),
            .blob(bits.bytes),
            .blob(suspects.bytes)
        )
    }
}

extension ShardRecord {
    /// The place in the chunk of a position in the shard.
    fileprivate func place(_ position: UInt16) -> Int {
        Int(positions.isEmpty ? position : positions[Int(position)])
    }
}
