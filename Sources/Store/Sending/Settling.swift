public import Campaigns
public import Delivery

/// A run's right to write: the row, the epoch of its claim, and the worker that claimed it.
public struct RunToken: Hashable, Sendable {
    /// The row.
    public var key: ShardKey
    /// The epoch that the claim raised.
    public var epoch: UInt32
    /// The worker.
    public var worker: Int64

    /// A token from what a claim returned.
    public init(key: ShardKey, epoch: UInt32, worker: Int64) {
        self.key = key
        self.epoch = epoch
        self.worker = worker
    }
}

/// What became of a settlement.
public enum SettleResult: Sendable, Equatable {
    /// It is in the ledger; these rows' messages are to be published before the ack.
    ///
    /// Fewer than the settlement asked for when the campaign was over meanwhile, or when they wait for their turns.
    case settled(children: [ShardRecord])
    /// The row is another run's, or nobody's: nothing was written.
    case fenced
    /// The settlement does not have as many devices as the row: the row is parked, raise an alarm.
    case violated
}

/// What became of setting a shard aside.
public enum AsideResult: Sendable, Equatable {
    /// The row waits, or, when it was handed over, its message is to be published.
    case aside(ShardRecord)
    /// The campaign is over: the row is settled with this outcome.
    case ended(Outcome)
    /// The row is another run's, or nobody's: nothing was written.
    case fenced
}

extension LedgerTransaction {
    /// Writes what runs know of their devices; returns those runs that may not write any more.
    public func saveProgress(_ runs: [(token: RunToken, progress: Progress)]) throws(LedgerError) -> [RunToken] {
        var fenced: [RunToken] = []
        for (token, progress) in runs {
            let changed = try db.run(
                """
                UPDATE shards SET progress = ?7
                WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
                    AND epoch = ?5 AND owner = ?6 AND state = 2 AND count = ?8
                """,
                .int(token.key.campaign),
                .int(token.key.part),
                .int(token.key.ordinal),
                .int(token.key.child),
                .int(token.epoch),
                .int(token.worker),
                .blob(progress.packed),
                .int(progress.count)
            )
            if changed == 0 { fenced.append(token) }
        }
        return fenced
    }

    /// A run gives its row up with all that it knows, because its lease is lost: no stream of it is open any more.
    ///
    /// The row stays `running`, nobody's, until whoever gets the message claims it.
    public func abandon(_ token: RunToken, _ progress: Progress) throws(LedgerError) {
        guard try saveProgress([(token, progress)]).isEmpty else { return }
        try giveUp(token)
    }

    /// A claim that no run came of, or whose run is over, gives its row up: whoever claims it next need not wait.
    public func giveUp(_ token: RunToken) throws(LedgerError) {
        try db.run(
            """
            UPDATE shards SET owner = 0, claims = 0
            WHERE campaign = ?1 AND part = ?2 AND ordinal = ?3 AND child = ?4
                AND epoch = ?5 AND owner = ?6 AND state = 2
            """,
            .int(token.key.campaign),
            .int(token.key.part),
            .int(token.key.ordinal),
            .int(token.key.child),
            .int(token.epoch),
            .int(token.worker)
        )
    }

    /// Settles a run: outcomes, retry shards, dead tokens (use `synced`).
    ///
    /// When the campaign is over meanwhile, devices that would be sent to again, and those that the guard would hold
    /// back, end with its outcome instead.
    public func settle(
        _ token: RunToken,
        _ settlement: Settlement,
        now: Timestamp
    ) throws(LedgerError) -> SettleResult {
        guard let (record, campaign) = try held(token) else { return .fenced }
        guard settlement.isLawful(count: record.count) else {
            try parkRow(record, of: campaign, reason: "LawViolated", now: now)
            return .violated
        }
        var final = settlement
        if !settlement.retries.isEmpty || !settlement.held.isEmpty, let outcome = campaign.ending(at: now) {
            guard let ended = settlement.endingRetries(outcome, attempt: record.attempt) else { return .violated }
            final = ended
        }
        let suspects = campaign.isGuardPassed ? final.held : []
        if !suspects.isEmpty {
            guard let ended = final.endingHeld(.invalid, attempt: record.attempt) else { return .violated }
            final = ended
        }
        let children = try settle(RowSettling(record, final, of: campaign), of: campaign, now: now)
        if !suspects.isEmpty { try suspect(suspects, of: record, now: now) }
        // What is known to be suspect says nothing of the environment.
        if !campaign.isGuardPassed, record.id.key.part != ShardKey.suspectPart {
            try watch(final, of: campaign, now: now)
        }
        if settlement.contentFaults > 0 { try watchContent(settlement, of: campaign, now: now) }
        if !final.dead.isEmpty { try bury(final.dead, of: record) }
        if record.id.key.part == ShardKey.suspectPart { try clear(final.progress, of: record) }
        return .settled(children: children.filter { $0.state == .unpublished })
    }

    /// Saves a run's progress and lets its row wait until the reason ends (use `synced`: the message is acked next).
    public func setAside(
        _ token: RunToken,
        reason: AsideReason,
        progress: Progress,
        now: Timestamp
    ) throws(LedgerError) -> AsideResult {
        guard let (row, campaign) = try held(token) else { return .fenced }
        var record = row
        guard progress.count == record.count else { return .fenced }
        record.progress = progress
        if let outcome = campaign.ending(at: now) {
            try end(record, outcome, of: campaign, now: now)
            return .ended(outcome)
        }
        guard try saveProgress([(token, progress)]).isEmpty else { return .fenced }
        record = record.setAside(reason)
        try move(record, since: now)
        return .aside(record)
    }

    /// Lets a row wait for a person, for example because its run broke the law; false when it is not this run's.
    public func parkShard(_ token: RunToken, reason: String, now: Timestamp) throws(LedgerError) -> Bool {
        guard let (record, campaign) = try held(token) else { return false }
        try parkRow(record, of: campaign, reason: reason, now: now)
        return true
    }

    /// The row of a run with its campaign; nil when it is not that run's.
    private func held(_ token: RunToken) throws(LedgerError) -> (ShardRecord, CampaignFacts)? {
        guard let record = try reader.shard(token.key), record.state == .running, record.epoch == token.epoch,
            record.owner == token.worker, let campaign = try reader.campaign(of: record)
        else { return nil }
        return (record, campaign)
    }
}
