public import Campaigns
public import Delivery

/// The parts of uploads over HTTP, which the ledger keeps until the list is complete.
extension LedgerTransaction {
    /// Keeps a part of an upload, if it is the next one; returns the decision, or nil if the upload takes no parts.
    public func putPart(
        _ number: Int,
        of id: String,
        app: String,
        digest: [UInt8],
        bytes: [UInt8],
        now: Timestamp
    ) throws(LedgerError) -> UploadParts? {
        guard let upload = try reader.upload(id, app: app), let parts = upload.parts, upload.standing != .gone else {
            return nil
        }
        // Of a complete upload the parts may be gone; the client asks for its state.
        guard upload.standing == .underWay else { return number < parts.count ? .again : .differs }
        let known = try reader.partDigest(number, of: upload.list)
        let decision = UploadParts.decide(number: number, digest: digest, count: parts.count, known: known)
        guard decision == .take else { return decision }
        try db.run(
            "INSERT INTO upload_parts (list, part, digest, bytes) VALUES (?1, ?2, ?3, ?4)",
            .int(upload.list),
            .int(number),
            .blob(digest),
            .blob(bytes)
        )
        try db.run(
            "UPDATE uploads SET parts = parts + 1, bytes = bytes + ?3 WHERE app = ?1 AND id = ?2",
            .text(app),
            .text(id),
            .int(bytes.count)
        )
        try db.run("UPDATE lists SET touched_at = ?2 WHERE number = ?1", .int(upload.list), .time(now))
        return decision
    }
}

extension LedgerReader {
    /// The bytes of a part of an upload that is under way; nil if the ledger does not have it.
    public func part(_ number: Int, of upload: UploadRecord) throws(LedgerError) -> [UInt8]? {
        let rows = try db.rows(
            "SELECT bytes FROM upload_parts WHERE list = ?1 AND part = ?2",
            .int(upload.list),
            .int(number)
        )
        return try rows.next() ? rows.blob("bytes") : nil
    }

    func partDigest(_ number: Int, of list: UInt32) throws(LedgerError) -> [UInt8]? {
        let rows = try db.rows(
            "SELECT digest FROM upload_parts WHERE list = ?1 AND part = ?2",
            .int(list),
            .int(number)
        )
        return try rows.next() ? rows.blob("digest") : nil
    }
}
