public import Campaigns
import Delivery

extension LedgerTransaction {
    /// Stores uploaded content under its id and replaces the old content (use `synced`).
    public func putContent(
        _ content: NewContent,
        app: String,
        id: String,
        now: Timestamp
    ) throws(LedgerError) -> ContentResult {
        let known = try reader.contentHead(app: app, id: id)
        if known?.isOfCampaign == true { return .ofCampaign }
        if let known, known.version == content.version, known.type == content.type,
            known.contentType == content.contentType
        {
            return .unchanged
        }
        try write(content, app: app, id: id, campaign: 0, now: now)
        return known == nil ? .added : .replaced
    }

    /// Removes uploaded content (use `synced`).
    public func removeContent(app: String, id: String) throws(LedgerError) -> ContentRemoval {
        guard let known = try reader.contentHead(app: app, id: id) else { return .missing }
        if known.isOfCampaign { return .ofCampaign }
        try db.run("DELETE FROM contents WHERE app = ?1 AND id = ?2", .text(app), .text(id))
        return .removed
    }

    /// Stores a campaign's content in the transaction that accepts it; it is removed with the campaign.
    func write(
        _ content: NewContent,
        app: String,
        id: String,
        campaign: UInt32,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO contents (app, id, type, content_type, version, campaign, at, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (app, id) DO UPDATE SET type = excluded.type, content_type = excluded.content_type,
                version = excluded.version, campaign = excluded.campaign, at = excluded.at, bytes = excluded.bytes
            """,
            .text(app),
            .text(id),
            .text(content.type),
            .text(content.contentType.rawValue),
            .text(content.version),
            .int(campaign),
            .time(now),
            .blob(content.bytes)
        )
    }
}

extension LedgerReader {
    /// Content with its bytes; nil if the id has none.
    public func content(app: String, id: String) throws(LedgerError) -> StoredContent? {
        let rows = try db.rows(
            "SELECT \(ContentRows.columns), bytes FROM contents WHERE app = ?1 AND id = ?2",
            .text(app),
            .text(id)
        )
        guard try rows.next(), var content = ContentRows.content(rows) else { return nil }
        content.bytes = rows.blob("bytes")
        return content
    }

    /// Content without its bytes, for checks before the bytes are needed.
    public func contentHead(app: String, id: String) throws(LedgerError) -> StoredContent? {
        let rows = try db.rows(
            "SELECT \(ContentRows.columns) FROM contents WHERE app = ?1 AND id = ?2",
            .text(app),
            .text(id)
        )
        return try rows.next() ? ContentRows.content(rows) : nil
    }

    /// The contents of an app, or of all apps, without their bytes, by app and id.
    public func contents(app: String? = nil) throws(LedgerError) -> [StoredContent] {
        let rows = try db.rows(
            "SELECT \(ContentRows.columns) FROM contents WHERE ?1 = '' OR app = ?1 ORDER BY app, id",
            .text(app ?? "")
        )
        var contents: [StoredContent] = []
        while try rows.next() { if let content = ContentRows.content(rows) { contents.append(content) } }
        return contents
    }
}

/// The columns of content without its bytes.
private enum ContentRows {
    static let columns = """
        app, id, type, content_type, version, campaign, at, length(bytes) AS byte_count, \
        EXISTS (SELECT 1 FROM campaigns c WHERE c.number = contents.campaign AND c.started_at IS NOT NULL) \
        AS is_released
        """

    /// Returns the content of a row; nil if its type is of a later version, which this one cannot serve.
    static func content(_ rows: borrowing Rows) -> StoredContent? {
        guard let contentType: ContentType = rows.value("content_type") else { return nil }
        return StoredContent(
            app: rows.text("app"),
            id: rows.text("id"),
            type: rows.text("type"),
            contentType: contentType,
            version: rows.text("version"),
            byteCount: rows.int("byte_count"),
            owner: rows.int64("campaign") == 0
                ? .operator : .campaign(rows.uint32("campaign"), isReleased: rows.bool("is_released")),
            at: rows.time("at"),
            bytes: []
        )
    }
}
