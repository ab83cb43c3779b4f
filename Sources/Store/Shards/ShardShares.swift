public import Campaigns
public import Delivery

/// The share of a campaign that a shard belongs to.
extension LedgerReader {
    /// The facts of a campaign for a row's devices.
    func campaign(of row: ShardRecord) throws(LedgerError) -> CampaignFacts? {
        guard let facts = try campaign(row.id.key.campaign) else { return nil }
        // Nearly all campaigns need just one query, which matters because every claim asks this.
        guard facts.hasShares else { return facts }
        return try share(facts.number, of: try provider(of: row))
    }

    /// The provider of a row's devices.
    func provider(of row: ShardRecord) throws(LedgerError) -> ProviderName {
        let rows = try db.rows(
            """
            SELECT k.provider FROM campaigns c JOIN chunks k ON k.list = c.list AND k.ordinal = ?2 WHERE c.number = ?1
            """,
            .int(row.id.key.campaign),
            .int(row.chunk)
        )
        guard try rows.next() else { throw .failed("chunk \(row.chunk) of shard \(row.id) is gone") }
        return rows.provider("provider")
    }

    /// The running shards of a campaign of several providers, each with the facts of its share; empty for other
    /// campaigns.
    public func runsByShare(_ campaign: CampaignFacts) throws(LedgerError) -> [ShardKey: CampaignFacts] {
        guard campaign.hasShares else { return [:] }
        let shares = try shares(of: campaign)
        let rows = try db.rows(
            """
            SELECT s.campaign, s.part, s.ordinal, s.child, k.provider
            FROM \(ShardRows.open) JOIN campaigns c ON c.number = s.campaign
            JOIN chunks k ON k.list = c.list AND k.ordinal = s.chunk
            WHERE \(ShardRows.isIn(.running)) AND s.campaign = ?1
            """,
            .int(campaign.number)
        )
        var runs: [ShardKey: CampaignFacts] = [:]
        while try rows.next() {
            let provider = rows.provider("provider")
            runs[ShardRows.key(rows)] = shares.first { $0.share == provider }
        }
        return runs
    }
}
