public import Campaigns
public import Delivery

/// The devices of one provider in a campaign that has several: their share.
///
/// What is one provider's own trouble is the share's: its pauses, its breaker, its guards. The other shares go on. A
/// campaign of one provider has all of that in its own row, and nothing here is asked.
extension LedgerReader {
    /// A campaign as the shards of one of its providers meet it; nil when it has none of that provider.
    public func share(_ campaign: UInt32, of provider: ProviderName) throws(LedgerError) -> CampaignFacts? {
        let rows = try db.rows(CampaignRows.selectShare, .int(campaign), .text(provider.rawValue))
        return try rows.next() ? try CampaignRows.facts(rows) : nil
    }

    /// A campaign as the shards of each of its providers meet it: itself, when it has one.
    public func shares(of campaign: CampaignFacts) throws(LedgerError) -> [CampaignFacts] {
        guard campaign.hasShares else { return [campaign] }
        let rows = try db.rows(CampaignRows.selectShares, .int(campaign.number))
        var shares: [CampaignFacts] = []
        while try rows.next() { shares.append(try CampaignRows.facts(rows)) }
        return shares
    }

    /// A campaign as a row's devices meet it.
    func campaign(of row: ShardRecord) throws(LedgerError) -> CampaignFacts? {
        guard let facts = try campaign(row.id.key.campaign) else { return nil }
        // One query for nearly all of them: this is asked for at every claim.
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
        return ProviderName(rawValue: rows.text(0))
    }

    /// The shards of a campaign that workers run, each with the campaign as it meets it: for those of several providers.
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
            let provider = ProviderName(rawValue: rows.text(4))
            runs[ShardRows.key(rows)] = shares.first { $0.share == provider }
        }
        return runs
    }
}

extension LedgerTransaction {
    /// Changes what is a share's: in its own row, or in the campaign's when that has one provider.
    ///
    /// Values of `change` begin at the placeholder 3.
    func update(_ campaign: CampaignFacts, _ change: String, _ values: SQLValue...) throws(LedgerError) {
        if let share = campaign.share {
            try db.run(
                "UPDATE campaign_providers SET \(change) WHERE campaign = ?1 AND provider = ?2",
                values: [.int(campaign.number), .text(share.rawValue)] + values
            )
        } else {
            try db.run(
                "UPDATE campaigns SET \(change) WHERE number = ?1 AND ?2 = ''",
                values: [.int(campaign.number), .text("")] + values
            )
        }
    }
}

extension LedgerReader {
    /// Two numbers of a share; see `LedgerTransaction.update`.
    func numbers(_ campaign: CampaignFacts, _ first: String, _ second: String) throws(LedgerError) -> (Int, Int)? {
        let rows: Rows
        if let share = campaign.share {
            rows = try db.rows(
                "SELECT \(first), \(second) FROM campaign_providers WHERE campaign = ?1 AND provider = ?2",
                .int(campaign.number),
                .text(share.rawValue)
            )
        } else {
            rows = try db.rows("SELECT \(first), \(second) FROM campaigns WHERE number = ?1", .int(campaign.number))
        }
        return try rows.next() ? (rows.int(0), rows.int(1)) : nil
    }
}

/// Pieces of queries that ask for rows of some providers.
enum ShareRows {
    /// A row of `shards s` is of one of these providers; of a campaign with one every row is (nil).
    static func isOf(_ providers: Set<ProviderName>?, rows: String = "s") -> String {
        guard let providers else { return "1 = 1" }
        return """
            EXISTS (
                SELECT 1 FROM campaigns g JOIN chunks k ON k.list = g.list AND k.ordinal = \(rows).chunk
                WHERE g.number = \(rows).campaign AND k.provider IN (\(list(providers)))
            )
            """
    }

    /// The providers as literals, so that statements with any number of them have the same placeholders.
    static func list(_ providers: Set<ProviderName>) -> String {
        let names = providers.map(\.rawValue).sorted()
        guard !names.isEmpty else { return "NULL" }
        return names.map { name in
            "'" + String(name.flatMap { $0 == "'" ? ["'", "'"] : [$0] }) + "'"
        }.joined(separator: ", ")
    }
}

extension CampaignFacts {
    /// The rows that these facts are about; nil for all of the campaign.
    var rows: Set<ProviderName>? { share.map { [$0] } }
}
