import Campaigns

extension HistoryEntry.Kind: NamedInSQL {}

extension LedgerReader {
    /// The operator who cancelled a campaign, and the codes of what its devices waited for when it expired.
    func notesOfEnd(_ number: UInt32) throws(LedgerError) -> (cancelledBy: String?, waitedFor: [String]) {
        let kinds: [HistoryEntry.Kind] = [.cancelled, .expired]
        let rows = try db.rows(
            "SELECT \(HistoryEntry.columns) FROM history h WHERE h.campaign = ?1 AND h.kind IN (\(kinds.sql))",
            .int(number)
        )
        var (actor, codes): (String?, [String]) = (nil, [])
        while try rows.next() {
            guard let entry = HistoryEntry(rows) else { continue }
            switch entry.kind {
            case .cancelled where entry.actor != HistoryEntry.fleet: actor = entry.actor
            case .expired: codes = (entry.data["reasons"]?.array ?? []).compactMap(\.string)
            default: break
            }
        }
        return (actor, codes)
    }
}
