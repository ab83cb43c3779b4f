import Campaigns

/// An entry of the history with the campaign that it is of.
public struct LedgerHistory: Sendable, Equatable {
    /// What happened.
    public var entry: HistoryEntry
    /// The campaign's number; 0 of what happened to a whole app.
    public var campaign: UInt32
    /// The app; empty is all of them.
    public var app: String
    /// The campaign's id; empty of what happened to a whole app.
    public var campaignID: String
}

extension LedgerReader {
    /// The last place in the history of all campaigns; 0 when nothing has happened.
    public func lastHistoryPlace() throws(LedgerError) -> Int64 {
        try db.number("SELECT coalesce(max(seq), 0) FROM history") ?? 0
    }

    /// What happened to all campaigns and apps behind a place, in its order.
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
            // A word of a later version is left out.
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
