import Campaigns
import Delivery

extension LedgerReader {
    /// A campaign's parts with the outcomes of their settled shards.
    func partsWithOutcomes(campaign: UInt32, now: Timestamp) throws(LedgerError) -> [PartStatus] {
        var parts = try parts(campaign: campaign, now: now)
        guard !parts.isEmpty else { return [] }
        let rows = try db.rows(
            """
            SELECT o.part, \(OutcomeSums.columns)
            FROM shards s JOIN chunk_order o ON o.campaign = s.campaign AND o.ordinal = s.chunk
            WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled)) GROUP BY o.part
            """,
            .int(campaign)
        )
        while try rows.next() {
            let part = rows.int("part")
            guard parts.indices.contains(part) else { continue }
            parts[part].counts = OutcomeSums.counts(rows)
        }
        return parts
    }
}
