public import Campaigns
public import Delivery

/// What the ledger answers to a claim; the decision is carried out already.
public struct ClaimResult: Sendable, Equatable {
    /// What the worker does now.
    public var decision: Claim.Decision
    /// The row as it stands after the decision: with `run` its epoch and progress are this run's.
    public var record: ShardRecord?
    /// The campaign.
    public var campaign: CampaignFacts?
    /// Workers that have died with the row.
    public var deaths: Int
    /// Devices that the run which this claim ended may have sent to without having said so.
    public var maybeSent = 0
    /// Rows whose messages are still to be published before the ack: retry shards of one that is settled already.
    public var unpublished: [ShardToPublish]
    /// The end of the run's devices when an operator changed it: the message has the one of then.
    public var newEnd: Timestamp?
}

extension LedgerTransaction {
    /// Claims a shard for a worker and carries out what section 7 says, in one transaction.
    ///
    /// A claim that ends or sets aside makes its transaction synced: the message is acked next.
    public func claim(_ claim: Claim, now: Timestamp) throws(LedgerError) -> ClaimResult {
        let (row, recorded) = try shardWithDeaths(claim.key)
        let owner = claim.believed(
            try row.map { row throws(LedgerError) in try reader.owner(of: row, now: now) } ?? .nobody
        )
        let deaths = Claim.deaths(recorded, owner: owner)
        let campaign = try row.map { row throws(LedgerError) in try reader.campaign(of: row) } ?? nil
        let isQuiet = try reader.isQuiet(row, of: campaign, at: now)
        let decision = claim.decide(
            shard: row,
            campaign: campaign,
            owner: owner,
            deaths: recorded,
            isQuiet: isQuiet,
            now: now
        )
        var result = ClaimResult(
            decision: decision,
            record: row,
            campaign: campaign,
            deaths: deaths,
            unpublished: []
        )
        guard var record = row else { return result }
        if decision.endsFormerRun {
            result.maybeSent = claim.mayBeSent(record, owner: owner, now: now)
            try addMaybeSent(result.maybeSent, claim.key)
        }
        switch decision {
        case .park, .drop, .runAlone, .waits: break
        case .quarantine:
            try requireSynced()
            record.state = .parked
            record.epoch += 1
            record.owner = 0
            try move(record, since: now)
        case .settledAlready: result.unpublished = try unpublishedChildren(of: record)
        case .end(let outcome):
            try requireSynced()
            try end(&record, outcome, of: campaign, now: now)
        case .setAside(let reason):
            try requireSynced()
            try moveAside(&record, reason, now: now)
        case .run:
            // A run that goes on with another delivery was not left behind.
            if claim.isAdopting(record) { result.deaths = recorded }
            try run(&record, worker: claim.worker, deaths: result.deaths, now: now)
            if let campaign, campaign.endChanges > 0 {
                let part = try reader.partEnd(campaign: campaign.number, chunk: record.chunk)
                result.newEnd = part ?? campaign.expiresAt
            }
        }
        if let campaign, campaign.breaker.isProbe(claim.key) {
            switch decision {
            case .run: try claimProbe(claim.key, worker: claim.worker, now: now)
            case .end, .setAside, .quarantine: try endProbe(claim.key, .nothing, now: now)
            case .park, .drop, .settledAlready, .runAlone, .waits: break
            }
        }
        result.record = record
        return result
    }

    /// Notes for good that so many devices may have been sent to beyond what is counted as attempts.
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
            .int(devices)
        )
    }

    private func shardWithDeaths(_ key: ShardKey) throws(LedgerError) -> (ShardRecord?, Int) {
        let rows = try db.lockedRows(
            ShardRows.selectOne,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child)
        )
        guard try rows.next() else { return (nil, 0) }
        return (try ShardRows.record(rows), rows.int(ShardRows.deathsColumn))
    }

    private func run(
        _ record: inout ShardRecord,
        worker: Int64,
        deaths: Int,
        now: Timestamp
    ) throws(LedgerError) {
        record.state = .running
        record.epoch += 1
        record.owner = worker
        let key = record.id.key
        try db.run(
            """
            UPDATE shards SET state = 2, epoch = ?5, owner = ?6, deaths = ?8, claims = 0, since = ?7,
                begun_at = coalesce(begun_at, ?7)
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child),
            .int(record.epoch),
            .int(worker),
            .time(now),
            .int(deaths)
        )
    }

    /// The retry shards of a settled row that are not published: what a crash between settle and publish left.
    private func unpublishedChildren(of record: ShardRecord) throws(LedgerError) -> [ShardToPublish] {
        let key = record.id.key
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM shards s
            WHERE s.campaign = ?1 AND s.part = ?2 AND s.ordinal = ?3 AND s.parent = ?4 AND s.child > ?4
                AND s.state = 0
            ORDER BY s.child
            """,
            .int(key.campaign),
            .int(key.part),
            .int(key.ordinal),
            .int(key.child)
        )
        var children: [ShardRecord] = []
        while try rows.next() {
            children.append(try ShardRows.record(rows))
        }
        return try reader.complete(children)
    }

    /// Settles a row of a campaign with an outcome for all that have none.
    func end(
        _ record: inout ShardRecord,
        _ outcome: Outcome,
        of campaign: CampaignFacts?,
        now: Timestamp
    ) throws(LedgerError) {
        guard let settlement = record.ended(outcome) else { throw .failed("shard \(record.id) cannot be ended") }
        _ = try writeSettlement(record, settlement, of: campaign, now: now)
        record.state = .settled
        record.owner = 0
        record.aside = nil
        record.progress = settlement.progress
    }

    /// Takes a row out of the queues until its reason ends: generation and epoch + 1, nobody's.
    func moveAside(_ record: inout ShardRecord, _ reason: AsideReason, now: Timestamp) throws(LedgerError) {
        record.state = reason.rowState
        record.generation += 1
        record.epoch += 1
        record.owner = 0
        record.aside = reason.rowState == .aside ? reason : nil
        try move(record, since: now)
    }
}
