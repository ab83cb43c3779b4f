/// An entry of the history with its campaign.
public struct LedgerHistory: Sendable, Equatable {
    /// The entry.
    public var entry: HistoryEntry
    /// The campaign's number; 0 for an event of a whole app.
    public var campaign: UInt32
    /// The app; empty for all apps.
    public var app: String
    /// The campaign's id; empty for an event of a whole app.
    public var campaignID: String
}

extension LedgerReader {
    /// The last position in the history of all campaigns; 0 if it is empty.
    public func lastHistoryPosition() throws(LedgerError) -> Int64 {
        try db.number("SELECT coalesce(max(seq), 0) FROM history") ?? 0
    }

    /// The history of all campaigns and apps after a position, in order.
    public func history(after sequence: Int64, limit: Int) throws(LedgerError) -> [LedgerHistory] {
        let rows = try db.rows(
            """
            SELECT \(HistoryEntry.columns), h.campaign, coalesce(c.app, h.app) AS app,
                coalesce(c.id, '') AS campaign_id
            FROM history h LEFT JOIN campaigns c ON c.number = h.campaign
            WHERE h.seq > ?1 ORDER BY h.seq LIMIT ?2
            """,
            .integer(sequence),
            .int(limit)
        )
        var found: [LedgerHistory] = []
        while try rows.next() {
            guard let entry = HistoryEntry(rows) else { continue }
            found.append(
                LedgerHistory(
                    entry: entry,
                    campaign: rows.uint32("campaign"),
                    app: rows.text("app"),
                    campaignID: rows.text("campaign_id")
                )
            )
        }
        return found
    }
}
