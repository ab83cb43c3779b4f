public import Campaigns
import Delivery

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

    /// The outcomes of a completed campaign as its history has them, without counting its shards.
    ///
    /// Nil before the end, and for a campaign that a worker of an earlier version completed.
    public func completedOutcomes(of number: UInt32) throws(LedgerError) -> OutcomeCounts? {
        let rows = try db.rows(
            """
            SELECT h.data FROM history h WHERE h.campaign = ?1 AND h.kind = \(HistoryEntry.Kind.completed.sql)
            ORDER BY h.seq DESC LIMIT 1
            """,
            .int(number)
        )
        guard try rows.next(), let data = JSONReader.read(Array(rows.text("data").utf8)).value,
            data[Outcome.accepted.name] != nil
        else { return nil }
        var counts = OutcomeCounts()
        for outcome in Outcome.allCases { counts[outcome] = data[outcome.name]?.integer.map { Int($0) } ?? 0 }
        return counts
    }
}

extension LedgerTransaction {
    /// Writes a campaign's completion with its outcomes, which do not change any more; those of no device are left out,
    /// except for `accepted`.
    func noteCompletion(
        of campaign: UInt32,
        _ stage: CampaignStage,
        _ counts: OutcomeCounts,
        now: Timestamp
    ) throws(LedgerError) {
        func devices(_ count: Int) -> JSONValue? { count == 0 ? nil : .number(JSONNumber(count)) }
        let data: KeyValuePairs<String, JSONValue?> = [
            "state": .string(stage.rawValue), "accepted": .number(JSONNumber(counts.accepted)),
            "invalid": devices(counts.invalid), "failed": devices(counts.failed), "expired": devices(counts.expired),
            "superseded": devices(counts.superseded), "cancelled": devices(counts.cancelled),
            "skipped": devices(counts.skipped),
        ]
        try note(.completed, campaign: campaign, data, now: now)
    }
}
