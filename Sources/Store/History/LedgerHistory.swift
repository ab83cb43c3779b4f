import Campaigns

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
    public func lastHistoryPlace() throws(LedgerError) -> Int64 {
        try db.number("SELECT coalesce(max(seq), 0) FROM history") ?? 0
    }

    /// The history of all campaigns and apps after a position, in order.
    public func history(after sequence: Int64, limit: Int) throws(LedgerError) -> [LedgerHistory] {
        let rows = try db.rows(
            """
            SELECT h.seq, h.kind, h.actor, h.at, h.data, h.campaign, coalesce(c.app, h.app), coalesce(c.id, '')
            FROM history h LEFT JOIN campaigns c ON c.number = h.campaign
            WHERE h.seq > ?1 ORDER BY h.seq LIMIT ?2
            """,
            .integer(sequence),
            .int(limit)
        )
        var found: [LedgerHistory] = []
        while try rows.next() {
            // Kinds of a later version are left out.
            guard let kind = HistoryEntry.Kind(rawValue: rows.text(1)) else { continue }
            let entry = HistoryEntry(
                sequence: rows.int64(0),
                kind: kind,
                actor: rows.text(2),
                at: rows.time(3),
                data: JSONReader.read(Array(rows.text(4).utf8)).value ?? .object([])
            )
            found.append(
                LedgerHistory(entry: entry, campaign: rows.uint32(5), app: rows.text(6), campaignID: rows.text(7))
            )
        }
        return found
    }
}
