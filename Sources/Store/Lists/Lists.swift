public import Campaigns

/// An immutable version of a list of devices, stored in the form that shards copy.
public struct ListRecord: Sendable, Equatable {
    /// The list's number in the ledger.
    public var number: UInt32
    /// The app that the list belongs to.
    public var app: String
    /// The list's name; nil for the devices of one job.
    public var name: String?
    /// The hash of the content.
    public var version: String
    /// Devices in the list's chunks.
    public var devices: Int
    /// Duplicate devices, which were left out.
    public var duplicates: Int
    /// The number of chunks.
    public var chunks: Int
    /// The instant when the list was written.
    public var createdAt: Timestamp
}

extension LedgerTransaction {
    /// Begins a list, which is not visible before `finishList`.
    ///
    /// The name is nil for the devices of one job.
    public func beginList(app: String, name: String?, now: Timestamp) throws(LedgerError) -> UInt32 {
        let number = try db.writtenNumber(
            "INSERT INTO lists (app, name, created_at, touched_at) VALUES (?1, ?2, ?3, ?3) RETURNING number",
            .text(app),
            .text(name),
            .time(now)
        )
        return UInt32(truncatingIfNeeded: number ?? 0)
    }

    /// Adds chunks to a list that is being written; a few hundred per transaction.
    ///
    /// Devices with dead or suspect tokens are marked; dead ones are never sent to.
    public func appendChunks(_ chunks: [ListChunk], to list: UInt32, now: Timestamp) throws(LedgerError) {
        try learnDeadTokens(chunksMax: 20)
        let hasDead =
            try db.number(
                "SELECT EXISTS (SELECT 1 FROM dead_tokens) OR EXISTS (SELECT 1 FROM suspect_tokens)"
            ) == 1
        let app = hasDead ? try listApp(list) : ""
        try write(chunks, list)
        for chunk in chunks {
            try note(chunk.devices.variables, of: list)
            if hasDead { try markKnownDead(chunk, list: list, app: app) }
        }
        try noteWriting(list, now: now)
    }

    /// Adds chunks whose tokens the registry knows to be good or suspect.
    func appendKnownChunks(_ chunks: [ListChunk], to list: UInt32, now: Timestamp) throws(LedgerError) {
        try write(chunks, list)
        for chunk in chunks {
            try markSuspect(chunk.suspects, list: list, ordinal: chunk.ordinal)
        }
        try noteWriting(list, now: now)
    }

    /// Notes that a list is written to; throws if it is complete, gone or being removed.
    private func noteWriting(_ list: UInt32, now: Timestamp) throws(LedgerError) {
        guard try touch(list, now: now) else { throw .failed("list \(list) is not being written") }
    }

    /// Sets the instant of the last write to a list; returns false unless it is being written.
    private func touch(_ list: UInt32, now: Timestamp) throws(LedgerError) -> Bool {
        try db.run(
            "UPDATE lists SET touched_at = ?2 WHERE number = ?1 AND state = \(ListState.begun.sql)",
            .int(list),
            .time(now)
        ) == 1
    }

    /// Keeps a list that is to be written on from the sweep; returns false if there is nothing to go on with: it is
    /// complete, gone or removed in part.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - chunks: The number of chunks that it has at least, from the first one on. Workers of earlier versions remove
    ///     chunks of a list that still counts as begun.
    ///   - now: The instant.
    func goOnWriting(_ list: UInt32, chunks: Int, now: Timestamp) throws(LedgerError) -> Bool {
        guard try touch(list, now: now) else { return false }
        let found = try db.number(
            "SELECT count(*) FROM chunks WHERE list = ?1 AND ordinal < ?2",
            .int(list),
            .int(chunks)
        )
        if found == Int64(chunks) { return true }
        try abandonList(list)
        return false
    }

    /// Adds chunks whose tokens the registry knows, of a list to which nobody else writes near their ordinals: changes
    /// rows of these chunks only.
    func appendOwnChunks(_ chunks: [ListChunk], to list: UInt32) throws(LedgerError) {
        try write(chunks, list, scope: .shards)
        for chunk in chunks {
            try markSuspect(chunk.suspects, list: list, ordinal: chunk.ordinal)
            try markOptedOut(chunk.optedOut, list: list, ordinal: chunk.ordinal)
        }
    }

    /// Makes a list visible.
    ///
    /// If the name already has this version, the old list is returned and the new one dropped.
    public func finishList(
        _ list: UInt32,
        version: String,
        duplicates: Int,
        now: Timestamp
    ) throws(LedgerError) -> ListRecord {
        let app = try listApp(list)
        let rows = try db.rows("SELECT name FROM lists WHERE number = ?1", .int(list))
        let name = try rows.next() ? rows.optionalText("name") : nil
        if let name, let old = try reader.list(app: app, name: name, version: version) {
            try abandonList(list)
            // The latest upload is the newest version, even if it repeats an old one.
            try db.run("UPDATE lists SET touched_at = ?2 WHERE number = ?1", .int(old.number), .time(now))
            return old
        }
        let providers = try reader.chunkProviders(list: list)
        try db.run(
            """
            UPDATE lists SET state = \(ListState.finished.sql), version = ?2, duplicates = ?3, touched_at = ?4,
                providers = ?5,
                devices = (SELECT coalesce(sum(count), 0) FROM chunks WHERE list = ?1),
                chunks = (SELECT count(*) FROM chunks WHERE list = ?1)
            WHERE number = ?1
            """,
            .int(list),
            .text(version),
            .int(duplicates),
            .time(now),
            .text(providers.map(\.rawValue).joined(separator: ","))
        )
        try bumpRevision()
        guard let record = try reader.list(number: list) else { throw .failed("list \(list) was never begun") }
        return record
    }

    /// Abandons a list that is being written; `sweepLists` removes its chunks.
    ///
    /// Returns false if it is not being written.
    @discardableResult
    public func abandonList(_ list: UInt32) throws(LedgerError) -> Bool {
        let abandoned = try db.run(
            "UPDATE lists SET state = ?2, touched_at = 0 WHERE number = ?1 AND state = ?3",
            .int(list),
            .int(ListState.removed.rawValue),
            .int(ListState.begun.rawValue)
        )
        return abandoned == 1
    }

    /// Removes a bounded piece of the lists that were abandoned, or not touched for an hour while being written, and of
    /// what uploads leave behind.
    ///
    /// A list that was being written is abandoned first, so that nobody goes on with what is left of it; campaigns that
    /// wait for its upload fail. Returns true if there is more to remove.
    public func sweepLists(now: Timestamp, chunksMax: Int = 200) throws(LedgerError) -> Bool {
        let old = now.milliseconds - 3_600_000
        let leftover = "state <> \(ListState.finished.sql) AND touched_at < ?1"
        guard let list = try db.number("SELECT number FROM lists WHERE \(leftover)", .int(old))
        else { return try sweepUploads(partsMax: 4) }
        if try abandonList(UInt32(truncatingIfNeeded: list)) { try settleUploadWaits(now: now) }
        for table in ["chunk_dead", "chunks"] {
            let removed = try db.run(
                """
                DELETE FROM \(table) WHERE list = ?1
                    AND ordinal IN (SELECT ordinal FROM \(table) WHERE list = ?1 LIMIT ?2)
                """,
                .int(list),
                .int(chunksMax)
            )
            guard removed < chunksMax else { return true }
        }
        try db.run("DELETE FROM list_variables WHERE list = ?1", .int(list))
        try db.run("DELETE FROM lists WHERE number = ?1", .int(list))
        return true
    }

    private func listApp(_ list: UInt32) throws(LedgerError) -> String {
        let rows = try db.rows(
            "SELECT app FROM lists WHERE number = ?1 AND state = ?2",
            .int(list),
            .int(ListState.begun.rawValue)
        )
        guard try rows.next() else { throw .failed("list \(list) is not being written") }
        return rows.text("app")
    }

    /// Writes chunks, many in a statement: on PostgreSQL each one is a round trip.
    private func write(
        _ chunks: [ListChunk],
        _ list: UInt32,
        scope: Ledger.WriteScope = .ledger
    ) throws(LedgerError) {
        for range in RowBatches.ranges(chunks.count, sizes: ChunkInsertion.sizes) {
            var values: [SQLValue] = []
            values.reserveCapacity(range.count * ChunkInsertion.columns)
            for chunk in chunks[range] { try ChunkInsertion.append(chunk, of: list, to: &values) }
            try db.run(ChunkInsertion.text(range.count), values: values, scope: scope)
        }
    }
}

/// The statements that insert several chunks at once; only a few, so that all of them stay prepared.
private enum ChunkInsertion {
    static let columns = 11
    /// The numbers of chunks in a statement, largest first.
    static let sizes = [32, 4, 1]

    private static let most = statement(32)
    private static let some = statement(4)
    private static let one = statement(1)

    static func text(_ count: Int) -> String {
        switch count {
        case 32: most
        case 4: some
        default: one
        }
    }

    private static func statement(_ count: Int) -> String {
        """
        INSERT INTO chunks (list, ordinal, first_index, count, provider, environment, locale, time_zone, bare,
            with_variables, device_ids)
        VALUES \(Placeholders.rows(count, columns: columns))
        """
    }

    /// Appends the values of a chunk's row.
    static func append(_ chunk: ListChunk, of list: UInt32, to values: inout [SQLValue]) throws(LedgerError) {
        let bare: [UInt8]
        var full: [UInt8]?
        do {
            bare = try chunk.devices.withoutVariables().encoded()
            if !chunk.devices.variables.isEmpty { full = try chunk.devices.encoded() }
        } catch { throw .failed("chunk \(chunk.ordinal) of list \(list): \(error)") }
        values.append(.int(list))
        values.append(.int(chunk.ordinal))
        values.append(.int(chunk.firstIndex))
        values.append(.int(chunk.devices.count))
        values.append(.text(chunk.group.provider.rawValue))
        values.append(.text(chunk.group.environment?.rawValue))
        values.append(.text(chunk.group.locale))
        values.append(.text(chunk.group.timeZone))
        values.append(.blob(bare))
        values.append(.blob(full))
        values.append(.blob(chunk.deviceIDs.isEmpty ? nil : chunk.deviceIDs.bytes))
    }
}

extension LedgerReader {
    private static let listColumns = "number, app, name, version, devices, duplicates, chunks, created_at"

    /// The lists of an app by name, newest version first; without an app, of all apps.
    public func lists(app: String?) throws(LedgerError) -> [ListRecord] {
        let rows = try db.rows(
            """
            SELECT \(Self.listColumns) FROM lists
            WHERE state = \(ListState.finished.sql) AND name IS NOT NULL AND (?1 IS NULL OR app = ?1)
            ORDER BY app, name, touched_at DESC, number DESC
            """,
            .text(app)
        )
        return try rows.map(ListRecord.init)
    }

    /// A list by name and version; nil if there is none.
    ///
    /// Without a version, returns the list that was uploaded last.
    public func list(app: String, name: String, version: String?) throws(LedgerError) -> ListRecord? {
        let rows = try db.rows(
            """
            SELECT \(Self.listColumns) FROM lists
            WHERE state = \(ListState.finished.sql) AND app = ?1 AND name = ?2 AND (?3 IS NULL OR version = ?3)
            ORDER BY touched_at DESC, number DESC LIMIT 1
            """,
            .text(app),
            .text(name),
            .text(version)
        )
        return try rows.next() ? ListRecord(rows) : nil
    }

    /// A finished list by its number.
    public func list(number: UInt32) throws(LedgerError) -> ListRecord? {
        let rows = try db.rows(
            "SELECT \(Self.listColumns) FROM lists WHERE number = ?1 AND state = ?2",
            .int(number),
            .int(ListState.finished.rawValue)
        )
        return try rows.next() ? ListRecord(rows) : nil
    }

    /// Returns true if a list is being written: it is neither complete nor removed.
    func isBegun(_ list: UInt32) throws(LedgerError) -> Bool {
        try db.number(
            "SELECT 1 FROM lists WHERE number = ?1 AND state = \(ListState.begun.sql)",
            .int(list)
        ) != nil
    }
}

extension ListRecord {
    fileprivate init(_ rows: borrowing Rows) {
        self.init(
            number: rows.uint32("number"),
            app: rows.text("app"),
            name: rows.optionalText("name"),
            version: rows.text("version"),
            devices: rows.int("devices"),
            duplicates: rows.int("duplicates"),
            chunks: rows.int("chunks"),
            createdAt: rows.time("created_at")
        )
    }
}
