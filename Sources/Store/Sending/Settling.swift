public import Campaigns
public import Delivery

/// The result of a settlement.
public enum SettleResult: Sendable, Equatable {
    /// The settlement is written; the messages of these rows must be published before the ack.
    ///
    /// There are fewer than the settlement asked for if the campaign was over meanwhile, or if they wait for turns.
    case settled(children: [ShardRecord])
    /// Another run holds the row, or no run does; nothing was written.
    case fenced
    /// The settlement's devices do not add up to the row's: the row is parked, and the caller must raise an alarm.
    case violated
}

/// The result of setting a shard aside.
public enum AsideResult: Sendable, Equatable {
    /// The row waits; after a hand-over its message must be published.
    case aside(ShardRecord)
    /// The campaign is over; the row is settled with this outcome.
    case ended(Outcome)
    /// Another run holds the row, or no run does; nothing was written.
    case fenced
}

extension LedgerTransaction {
    /// Writes the progress of runs; returns the runs that must not write any more.
    public func saveProgress(_ runs: [(token: RunToken, progress: Progress)]) throws(LedgerError) -> [RunToken] {
        var fenced: [RunToken] = []
        for (token, progress) in runs {
            let changed = try db.run(
                "UPDATE shards SET progress = ?7 WHERE \(Self.isOfRun) AND count = ?9",
                .int(token.key.campaign),
                .int(token.key.part),
                .int(token.key.ordinal),
                .int(token.key.child),
                .int(token.epoch),
                .int(token.worker),
                .blob(progress.packed),
                .int(RunToken.state.rawValue),
                .int(progress.count),
                scope: .shards
            )
            if changed == 0 { fenced.append(token) }
        }
        return fenced
    }

    /// The SQL of `RunToken.holds` for a row of `shards`.
    private static let isOfRun =
        "campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4 AND epoch = ?5 AND owner = ?6 AND state = ?8"

    /// Writes a run's progress and gives up its row after the lease is lost; no stream of the run may be open any more.
    ///
    /// The row stays `running` without an owner until a worker gets the message and claims it.
    public func abandon(_ token: RunToken, _ progress: Progress) throws(LedgerError) {
        guard try saveProgress([(token, progress)]).isEmpty else { return }
        try giveUp(token)
    }

    /// Gives up a claimed row that has no run, or whose run is over, so that the next claim need not wait.
    public func giveUp(_ token: RunToken) throws(LedgerError) {
        try db.run(
            "UPDATE shards SET owner = ?7, claims = 0 WHERE \(Self.isOfRun)",
            .int(token.key.campaign),
            .int(token.key.part),
            .int(token.key.ordinal),
            .int(token.key.child),
            .int(token.epoch),
            .int(token.worker),
            .int(0),
            .int(RunToken.state.rawValue),
            scope: .shards
        )
    }

    /// Settles a run: outcomes, retry shards, dead tokens (use `synced`).
    public func settle(
        _ token: RunToken,
        _ settlement: Settlement,
        now: Timestamp
    ) throws(LedgerError) -> SettleResult {
        let (row, campaign) = try rowAndCampaign(of: token)
        switch SettlementPlan(token, settlement, row: row, campaign: campaign, now: now) {
        case .fenced: return .fenced
        case .parks(let row):
            try park(row, of: campaign, reason: "LawViolated", now: now)
            return .violated
        case .settles(let settled):
            let children = try settle(settled.settling, of: campaign, now: now)
            try learn(from: settled, asked: settlement, of: campaign, now: now)
            return .settled(children: SettlementPlan.published(children))
        }
    }

    /// Applies a settlement's findings about tokens and the campaign.
    private func learn(
        from settled: SettlementPlan.Settled,
        asked: Settlement,
        of campaign: CampaignFacts?,
        now: Timestamp
    ) throws(LedgerError) {
        let row = settled.settling.row
        if !settled.suspects.isEmpty { try suspect(settled.suspects, of: row, now: now) }
        if let campaign, let count = settled.guardCount { try updateGuard(count, of: campaign, now: now) }
        if let campaign, let count = settled.contentCount {
            try updateContentGuard(count, reasons: asked.reasons, of: campaign, now: now)
        }
        if !settled.dead.isEmpty { try bury(settled.dead, of: row) }
        if settled.clearsSuspects { try clear(row.progress, of: row) }
    }

    /// Saves a run's progress and sets its row aside until the reason ends (use `synced`: the ack of the message
    /// follows).
    public func setAside(
        _ token: RunToken,
        reason: AsideReason,
        progress: Progress,
        now: Timestamp
    ) throws(LedgerError) -> AsideResult {
        let (row, campaign) = try rowAndCampaign(of: token)
        let plan: AsidePlan
        do {
            plan = try AsidePlan(token, reason, progress, row: row, campaign: campaign, now: now)
        } catch { throw .failed("\(error)") }
        switch plan {
        case .fenced: return .fenced
        case .ends(let settling, let outcome):
            try settle(settling, of: campaign, now: now)
            return .ended(outcome)
        case .waits(let row):
            guard try saveProgress([(token, progress)]).isEmpty else { return .fenced }
            try move(row, since: now)
            return .aside(row)
        }
    }

    /// Parks a row for a person, for example because its run broke the law; returns false if the row is not this run's.
    public func parkShard(_ token: RunToken, reason: String, now: Timestamp) throws(LedgerError) -> Bool {
        let (row, campaign) = try rowAndCampaign(of: token)
        guard let parked = row.flatMap(token.parking) else { return false }
        try park(parked, of: campaign, reason: reason, now: now)
        return true
    }

    /// A run's row and its campaign; neither, and no second query, if the run does not hold the row any more.
    private func rowAndCampaign(of token: RunToken) throws(LedgerError) -> (ShardRecord?, CampaignFacts?) {
        guard let row = try reader.shard(token.key), token.holds(row) else { return (nil, nil) }
        return (row, try reader.campaign(of: row))
    }
}
