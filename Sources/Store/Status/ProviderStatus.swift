public import Campaigns
public import Delivery

/// The devices of one provider in a campaign, for `campaign status`.
public struct ProviderStatus: Sendable, Equatable {
    /// The provider.
    public var provider: ProviderName
    /// The provider's devices; duplicates and users without a device belong to no provider.
    public var audience: Int
    /// The provider's devices by outcome.
    public var counts = OutcomeCounts()
    /// The provider's devices without an outcome, by their present place in the flow.
    public var pending = PendingDevices()
    /// The reasons why they wait, including those of the whole campaign.
    public var pausedBy: Set<AsideReason> = []

    /// A violation of the law for these devices alone; nil if it holds.
    var violation: String? {
        guard audience != counts.total + pending.total else { return nil }
        return "\(provider.rawValue): audience \(audience), outcomes \(counts.total), pending \(pending.total)"
    }
}

extension LedgerReader {
    /// The reasons why a campaign is paused, plus those of its shares if every share with devices left has some.
    ///
    /// This equals `CampaignStatus.pausedBy`, without counting devices.
    func reasons(of facts: CampaignFacts) throws(LedgerError) -> Set<AsideReason> {
        guard facts.hasShares, facts.stage != .planning, !facts.isRepeated, !facts.isInApp else {
            return facts.pauseReasons
        }
        var common: Set<AsideReason> = []
        for share in try shares(of: facts) where try hasLeft(facts.number, of: share.share) {
            guard !share.pauseReasons.isEmpty else { return facts.pauseReasons }
            common.formUnion(share.pauseReasons)
        }
        return facts.pauseReasons.union(common)
    }

    /// Returns true if a share has devices without an outcome: in uncut chunks, or in rows that are not settled.
    private func hasLeft(_ campaign: UInt32, of provider: ProviderName?) throws(LedgerError) -> Bool {
        let isUncut = try db.number(
            """
            SELECT 1 FROM campaigns c JOIN parts p ON p.campaign = c.number
            WHERE c.number = ?1 AND c.cursor < c.chunks AND p.cursor < p.end_chunk AND p.provider = ?2 LIMIT 1
            """,
            .int(campaign),
            .text(provider?.rawValue)
        )
        if isUncut != nil { return true }
        return try !openShards(campaign: campaign, of: provider.map { [$0] }, limit: 1).isEmpty
    }

    /// The results of a campaign's devices by provider, in order of the names; empty until the audience is known.
    ///
    /// - Parameters:
    ///   - status: The campaign's counted status.
    ///   - facts: The campaign.
    ///   - open: Rows that are not settled, by provider; for a campaign of several.
    ///   - nobodys: Devices of the audience that belong to no provider: duplicates and users without a device.
    func providers(
        _ status: CampaignStatus,
        _ facts: CampaignFacts,
        open: [ProviderName: Counters],
        nobodys: Int
    ) throws(LedgerError) -> [ProviderStatus] {
        guard facts.stage != .planning, !facts.isRepeated, !facts.isInApp else { return [] }
        guard facts.hasShares else {
            var one = ProviderStatus(provider: status.lane.provider, audience: status.audience - nobodys)
            (one.counts, one.pending, one.pausedBy) = (status.counts, status.pending, facts.pauseReasons)
            one.counts.skipped -= nobodys
            return [one]
        }
        let reasons = try shares(of: facts).map { ($0.share, $0.pauseReasons) }
        let rows = try db.rows(
            """
            SELECT v.provider, v.devices, v.rest_devices, c.rest_outcome
            FROM campaign_providers v JOIN campaigns c ON c.number = v.campaign WHERE v.campaign = ?1 ORDER BY v.provider
            """,
            .int(facts.number)
        )
        var providers: [ProviderStatus] = []
        while try rows.next() {
            let name = rows.provider("provider")
            var one = ProviderStatus(provider: name, audience: rows.int("devices"))
            one.counts = open[name]?.counts ?? OutcomeCounts()
            one.pending = open[name]?.pending ?? PendingDevices()
            for part in status.parts where part.provider == name {
                one.counts += part.counts
                one.pending.unplanned += part.unplanned
            }
            if let rest: Outcome = rows.value("rest_outcome") {
                one.counts[rest] += rows.int("rest_devices")
            }
            one.pausedBy = reasons.first { $0.0 == name }?.1 ?? []
            providers.append(one)
        }
        return providers
    }
}
