public import Campaigns
public import Delivery

/// A share: the devices of one provider in a campaign of several.
///
/// A provider's own problems belong to its share: pauses, breaker and guards. The other shares go on. A campaign of one
/// provider has all of that in its own row, without a query here.
extension LedgerReader {
    /// The facts of a campaign for one provider's shards; nil if the campaign has no such provider.
    public func share(_ campaign: UInt32, of provider: ProviderName) throws(LedgerError) -> CampaignFacts? {
        let rows = try db.rows(CampaignRows.selectShare, .int(campaign), .text(provider.rawValue))
        return try rows.next() ? try CampaignRows.facts(rows) : nil
    }

    /// The facts of a campaign for each provider's shards; the campaign's own if it has one provider.
    public func shares(of campaign: CampaignFacts) throws(LedgerError) -> [CampaignFacts] {
        guard campaign.hasShares else { return [campaign] }
        let rows = try db.rows(CampaignRows.selectShares, .int(campaign.number))
        return try rows.map(CampaignRows.facts)
    }
}

extension LedgerTransaction {
    /// Updates columns of a share: in its own row, or in the campaign's row if that has one provider.
    ///
    /// The values of `change` begin at placeholder 3.
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
    /// Two numbers of a share, found where `LedgerTransaction.update` writes them.
    func numbers(_ campaign: CampaignFacts, _ first: String, _ second: String) throws(LedgerError) -> (Int, Int)? {
        let rows: Rows
        if let share = campaign.share {
            rows = try db.rows(
                """
                SELECT \(first) AS first, \(second) AS second FROM campaign_providers
                WHERE campaign = ?1 AND provider = ?2
                """,
                .int(campaign.number),
                .text(share.rawValue)
            )
        } else {
            rows = try db.rows(
                "SELECT \(first) AS first, \(second) AS second FROM campaigns WHERE number = ?1",
                .int(campaign.number)
            )
        }
        return try rows.next() ? (rows.int("first"), rows.int("second")) : nil
    }
}

/// Query fragments for rows of some providers.
enum ShareRows {
    /// The condition that a row of `shards s` belongs to one of these providers; true for every row if `providers` is
    /// nil.
    static func isOf(_ providers: Set<ProviderName>?, rows: String = "s") -> String {
        guard let providers else { return "1 = 1" }
        return """
            EXISTS (
                SELECT 1 FROM campaigns g JOIN chunks k ON k.list = g.list AND k.ordinal = \(rows).chunk
                WHERE g.number = \(rows).campaign AND k.provider IN (\(list(providers)))
            )
            """
    }

    /// The providers as literals, so that the placeholders do not depend on their number.
    static func list(_ providers: Set<ProviderName>) -> String {
        let names = providers.map(\.rawValue).sorted()
        guard !names.isEmpty else { return "NULL" }
        return names.map { name in
            "'" + String(name.flatMap { $0 == "'" ? ["'", "'"] : [$0] }) + "'"
        }.joined(separator: ", ")
    }
}

extension CampaignFacts {
    /// The providers whose rows these facts are about; nil for all of the campaign.
    var rows: Set<ProviderName>? { share.map { [$0] } }
}
