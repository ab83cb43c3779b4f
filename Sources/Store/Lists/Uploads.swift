public import Campaigns
public import Delivery

/// An upload that has an id: one version of a list, on its way into the ledger or complete.
public struct UploadRecord: Sendable, Equatable {
    /// The upload's id, unique in its app.
    public var id: String
    /// The list's name.
    public var name: String
    /// The number of the list that is written, or that the complete upload is.
    public var list: UInt32
    /// The state of the upload.
    public var standing: UploadStanding
    /// The chunks in the ledger, and the hash of all of them.
    public var mark: UploadMark
    /// The parts that came over HTTP; nil for an upload that was not begun there.
    public var parts: Parts?

    /// The parts of an upload over HTTP.
    public struct Parts: Sendable, Equatable {
        /// The file's format.
        public var format: AudienceFileFormat
        /// The number of the parts in the ledger.
        public var count: Int
        /// Their bytes.
        public var bytes: Int64
    }
}

/// The result of a step of an upload that has an id.
public enum UploadStep: Sendable, Equatable {
    /// The ledger has what was given to it.
    case done
    /// Somebody else goes on with the upload, or it was abandoned; nothing was written.
    case taken
}

extension LedgerTransaction {
    /// Begins an upload, or goes on with the one of that id.
    ///
    /// The caller compares the name: an id belongs to one list. Campaigns that wait for an upload of that id which is
    /// gone fail.
    ///
    /// - Parameters:
    ///   - id: 1–128 of `[A-Za-z0-9._:-]`.
    ///   - app: The app.
    ///   - name: The list's name.
    ///   - start: The hash of no chunk.
    ///   - format: The format of the parts that come over HTTP; nil when the devices come from this process.
    ///   - now: The instant.
    public func beginUpload(
        _ id: String,
        app: String,
        name: String,
        start: [UInt8],
        format: AudienceFileFormat? = nil,
        now: Timestamp
    ) throws(LedgerError) -> UploadRecord {
        if let known = try reader.upload(id, app: app), known.standing != .gone {
            guard known.standing == .underWay, known.name == name else { return known }
            if try goOnWriting(known.list, chunks: Int(known.mark.chunks), now: now) { return known }
        }
        // A campaign that waits for the upload that is gone does not wait for this one, though it has the same id.
        try settleUploadWaits(of: id, app: app, now: now)
        let list = try beginList(app: app, name: name, now: now)
        try db.run("DELETE FROM uploads WHERE app = ?1 AND id = ?2", .text(app), .text(id))
        try db.run(
            "INSERT INTO uploads (app, id, list, name, digest, format) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .text(app),
            .text(id),
            .int(list),
            .text(name),
            .blob(start),
            .text(format?.rawValue)
        )
        guard let begun = try reader.upload(id, app: app) else { throw .failed("the upload \(id) was not begun") }
        return begun
    }

    /// Adds chunks to an upload, and moves its mark from `before` to `after`.
    ///
    /// Writes nothing unless the ledger is at `before`: two that go on with one upload never mix their chunks.
    public func append(
        _ chunks: [ListChunk],
        to upload: UploadRecord,
        app: String,
        from before: UploadMark,
        to after: UploadMark,
        now: Timestamp
    ) throws(LedgerError) -> UploadStep {
        let moved = try db.run(
            """
            UPDATE uploads SET chunks = ?4, digest = ?5 WHERE app = ?1 AND id = ?2 AND list = ?3 AND chunks = ?6
                AND EXISTS (SELECT 1 FROM lists l WHERE l.number = ?3 AND l.state = \(ListState.begun.sql))
            """,
            .text(app),
            .text(upload.id),
            .int(upload.list),
            .int(after.chunks),
            .blob(after.digest),
            .int(before.chunks)
        )
        guard moved == 1 else { return .taken }
        try appendChunks(chunks, to: upload.list, now: now)
        return .done
    }

    /// Completes an upload: its list becomes visible, and the campaigns that wait for it get their audience.
    ///
    /// Returns nil, and changes nothing, unless the ledger is at `mark` and the upload under way.
    public func finishUpload(
        _ upload: UploadRecord,
        app: String,
        at mark: UploadMark,
        version: String,
        duplicates: Int,
        now: Timestamp
    ) throws(LedgerError) -> ListRecord? {
        guard let known = try reader.upload(upload.id, app: app), known.list == upload.list,
            known.standing == .underWay, known.mark == mark
        else { return nil }
        let record = try finishList(known.list, version: version, duplicates: duplicates, now: now)
        // A version that existed already is what the upload is from now on.
        try db.run(
            "UPDATE uploads SET list = ?3 WHERE app = ?1 AND id = ?2",
            .text(app),
            .text(upload.id),
            .int(record.number)
        )
        try settleUploadWaits(now: now)
        return record
    }

    /// Abandons an upload that is under way: campaigns that wait for it fail.
    ///
    /// Returns false if there is no such upload under way.
    public func abandonUpload(_ id: String, app: String, now: Timestamp) throws(LedgerError) -> Bool {
        guard let known = try reader.upload(id, app: app), known.standing == .underWay else { return false }
        try abandonList(known.list)
        try settleUploadWaits(now: now)
        return true
    }

    /// Removes a piece of what uploads leave behind: parts of lists that are complete or gone, and rows of lists that
    /// are gone.
    ///
    /// Returns true if there is more to remove.
    func sweepUploads(partsMax: Int) throws(LedgerError) -> Bool {
        let left = try db.number(
            """
            SELECT p.list FROM upload_parts p
            WHERE NOT EXISTS (SELECT 1 FROM lists l WHERE l.number = p.list AND l.state = \(ListState.begun.sql))
            LIMIT 1
            """
        )
        if let left {
            try db.run(
                """
                DELETE FROM upload_parts
                WHERE number IN (SELECT number FROM upload_parts WHERE list = ?1 ORDER BY part LIMIT ?2)
                """,
                .integer(left),
                .int(partsMax)
            )
            return true
        }
        let removed = try db.run(
            """
            DELETE FROM uploads WHERE (app, id) IN (
                SELECT u.app, u.id FROM uploads u
                WHERE NOT EXISTS (SELECT 1 FROM lists l WHERE l.number = u.list) LIMIT 100
            )
            """
        )
        return removed > 0
    }
}

extension LedgerReader {
    /// An upload by its id; nil if there is none.
    public func upload(_ id: String, app: String) throws(LedgerError) -> UploadRecord? {
        let rows = try db.rows(
            """
            SELECT u.id, u.name, u.list, u.chunks, u.digest, u.format, u.parts, u.bytes, l.state
            FROM uploads u LEFT JOIN lists l ON l.number = u.list WHERE u.app = ?1 AND u.id = ?2
            """,
            .text(app),
            .text(id)
        )
        guard try rows.next() else { return nil }
        let format = rows.optionalText("format").flatMap { AudienceFileFormat(rawValue: $0) }
        return UploadRecord(
            id: rows.text("id"),
            name: rows.text("name"),
            list: rows.uint32("list"),
            standing: ListState.standing(rows.optionalInt64("state")),
            mark: UploadMark(chunks: rows.uint32("chunks"), digest: rows.blob("digest")),
            parts: format.map { UploadRecord.Parts(format: $0, count: rows.int("parts"), bytes: rows.int64("bytes")) }
        )
    }
}

extension ListState {
    /// The state of an upload whose list has this stored state; nil for a list that is gone.
    static func standing(_ stored: Int64?) -> UploadStanding {
        switch stored.flatMap({ ListState(rawValue: Int($0)) }) {
        case .begun: .underWay
        case .finished: .complete
        case .removed, nil: .gone
        }
    }
}
