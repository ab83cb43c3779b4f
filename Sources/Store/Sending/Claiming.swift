public import Campaigns
public import Delivery

/// The ledger's answer to a claim, whose decision is already carried out.
public struct ClaimResult: Sendable, Equatable {
    /// The worker's next step.
    public var decision: Claim.Decision
    /// The row after the decision; with `run`, its epoch and progress are this run's.
    public var record: ShardRecord?
    /// The campaign.
    public var campaign: CampaignFacts?
    /// The number of workers that have died with the row.
    public var deaths: Int
    /// Devices that the run ended by this claim may have sent to without reporting it.
    public var maybeSent = 0
    /// Rows whose messages must be published before the ack: retry shards of a row that is already settled, or the row
    /// itself.
    public var unpublished: [ShardToPublish]
    /// The end of the run's devices if an operator changed it; the message has the old one.
    public var newEnd: Timestamp?
}

extension LedgerTransaction {
    /// Claims a shard for a worker and carries out the rules of section 7, in one transaction.
    ///
    /// A claim that ends the row or sets it aside makes its transaction synced, because the ack of the message follows.
    public func claim(_ claim: Claim, now: Timestamp) throws(LedgerError) -> ClaimResult {
        let facts = try facts(of: claim, now: now)
        let plan: ClaimPlan
        do { plan = try ClaimPlan(claim, facts, now: now) } catch { throw .failed("\(error)") }
        if plan.isFinal { try requireSynced() }
        try addMaybeSent(plan.maybeSent, claim.key)
        _ = try carryOut(plan.write, of: facts.campaign, now: now)
        switch plan.probe {
        case .stays: break
        case .isClaimed: try claimProbe(claim.key, worker: claim.worker, now: now)
        case .ends(let result): try endProbe(claim.key, result, now: now)
        }
        let record = plan.write.row ?? facts.row
        return ClaimResult(
            decision: plan.decision,
            record: record,
            campaign: facts.campaign,
            deaths: plan.deaths,
            maybeSent: plan.maybeSent,
            unpublished: try unpublished(record, plan),
            newEnd: plan.tellsEnd(of: facts.campaign) ? try end(of: record, in: facts.campaign) : nil
        )
    }

    private func unpublished(_ record: ShardRecord?, _ plan: ClaimPlan) throws(LedgerError) -> [ShardToPublish] {
        guard let record else { return [] }
        if plan.publishesAnew { return try reader.complete([record]) }
        return plan.publishesChildren ? try unpublishedChildren(of: record) : []
    }

    private func facts(of claim: Claim, now: Timestamp) throws(LedgerError) -> ClaimPlan.Facts {
        guard let (row, deaths) = try reader.shardWithDeaths(claim.key) else {
            return ClaimPlan.Facts(row: nil, campaign: nil)
        }
        let owner = try reader.owner(of: row, now: now)
        let campaign = try reader.campaign(of: row)
        let isQuiet = try reader.isQuiet(row, of: campaign, at: now)
        return ClaimPlan.Facts(row: row, campaign: campaign, owner: owner, deaths: deaths, isQuiet: isQuiet)
    }

    /// The present end of a row's devices.
    private func end(of row: ShardRecord?, in campaign: CampaignFacts?) throws(LedgerError) -> Timestamp? {
        guard let row, let campaign else { return nil }
        return try reader.partEnd(campaign: campaign.number, chunk: row.chunk) ?? campaign.expiresAt
    }

    /// Adds to the devices that may have been sent to beyond the counted attempts; this number is kept for good.
    func addMaybeSent(_ devices: Int, _ key: ShardKey) throws(LedgerError) {
        guard devices > 0 else { return }
        try db.run(
            """
            UPDATE shards SET maybe_sent = maybe_sent + ?5
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(devices),
            scope: .shards
        )
    }

    /// The unpublished retry shards of a settled row, left by a crash between settlement and publish.
    private func unpublishedChildren(of record: ShardRecord) throws(LedgerError) -> [ShardToPublish] {
        let key = record.id.key
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM shards s
            WHERE s.campaign = ?1 AND s.part = ?2 AND s.ordinal = ?3 AND s.parent = ?4 AND s.child > ?4
                AND s.state = ?5
            ORDER BY s.child
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(ShardState.unpublished.rawValue)
        )
        var children: [ShardRecord] = []
        while try rows.next() {
            children.append(try ShardRows.record(rows))
        }
        return try reader.complete(children)
    }
}
