public import Campaigns
public import Delivery

/// The fleet's breakers: one row per app and provider that ever had trouble. `Breaker` decides, and `ProbeChoice`
/// decides about probes.
extension LedgerTransaction {
    /// Opens the breaker of an app unless it is open already (use `synced`).
    ///
    /// Returns true if it opened now. Running shards learn of it at the next poll.
    @discardableResult
    public func tripBreaker(
        app: String,
        provider: ProviderName,
        _ trip: Breaker.Trip,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        var breaker: Breaker
        if let known = try reader.breaker(app: app, provider: provider) {
            breaker = known
            guard breaker.open(trip, now: now) else { return false }
        } else {
            breaker = Breaker(opening: trip, now: now)
        }
        try write(breaker, app: app, provider: provider)
        let data: KeyValuePairs<String, JSONValue?> = [
            "provider": .string(provider.rawValue), "reason": .string(breaker.reason),
        ]
        try note(.appSuspended, app: app, data, now: now)
        try addEvent(correlationID: "") { sequence in
            .suspended(app: app, provider: provider, reason: breaker.reason, sequence: sequence, at: now)
        }
        return true
    }

    /// Opens the breaker of a shard's app and provider.
    @discardableResult
    public func tripBreaker(of key: ShardKey, _ trip: Breaker.Trip, now: Timestamp) throws(LedgerError) -> Bool {
        guard let (app, provider) = try reader.account(of: key) else { return false }
        return try tripBreaker(app: app, provider: provider, trip, now: now)
    }

    /// Chooses a shard of a campaign as the probe of its app's open breaker, if a probe is due and none is under way.
    ///
    /// `ProbeChoice` decides which. Returns an empty array if no shard qualifies or this worker does not hold the
    /// campaign's lease.
    public func beginProbe(
        _ lease: LeaseToken,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> [ShardToPublish] {
        let campaign = lease.campaign
        guard try holdsLease(lease), let facts = try reader.campaign(campaign, share: lease.share),
            let (app, provider) = try reader.account(ofCampaign: campaign, share: lease.share),
            let choice = ProbeChoice(try reader.breaker(app: app, provider: provider), of: facts, now: now)
        else { return [] }
        let waiting = try reader.asideOldestFirst(campaign: campaign, of: facts.rows)
        let chosen = try choice.choose(among: waiting) { row throws(LedgerError) in
            try reader.isQuiet(row, of: facts, at: now)
        }
        let shards: [ShardToPublish]
        switch chosen {
        case .publishes(let row): shards = try publish(row, now: now)
        case .cuts(let retry):
            let new = try cut(campaign: campaign, of: facts.rows, shardsMax: 1, as: .unpublished, cap: cap, now: now)
            shards = new.isEmpty ? try retry.map { row throws(LedgerError) in try publish(row, now: now) } ?? [] : new
        }
        guard let probe = shards.first else { return [] }
        try write(choice.begun(probe.record.id.key), app: app, provider: provider)
        return shards
    }

    private func publish(_ row: ShardRecord, now: Timestamp) throws(LedgerError) -> [ShardToPublish] {
        try move(row, since: now)
        return try reader.complete([row])
    }

    /// Records the result of a probe; has no effect if another shard is the probe by now.
    ///
    /// Call it in the transaction that settles the shard or sets it aside.
    public func endProbe(_ key: ShardKey, _ result: Breaker.ProbeResult, now: Timestamp) throws(LedgerError) {
        guard let (app, provider) = try reader.account(of: key),
            var breaker = try reader.breaker(app: app, provider: provider), breaker.ended(key, result, now: now)
        else { return }
        try write(breaker, app: app, provider: provider)
        guard !breaker.isOpen else { return }
        try note(.appResumed, app: app, ["provider": .string(provider.rawValue)], now: now)
        try addEvent(correlationID: "") { sequence in
            .takenUp(app: app, provider: provider, sequence: sequence, at: now)
        }
    }

    /// Restarts the probe's lease when a worker claims it.
    func claimProbe(_ key: ShardKey, worker: Int64, now: Timestamp) throws(LedgerError) {
        guard let (app, provider) = try reader.account(of: key),
            var breaker = try reader.breaker(app: app, provider: provider)
        else { return }
        breaker.claimed(key, by: worker, now: now)
        try write(breaker, app: app, provider: provider)
    }

    /// Makes the probes of a campaign's app due at once, because a person has intervened.
    func expediteProbe(_ campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        for share in try reader.shares(of: campaign) {
            guard let (app, provider) = try reader.account(ofCampaign: campaign.number, share: share.share),
                var breaker = try reader.breaker(app: app, provider: provider), breaker.isOpen
            else { continue }
            breaker.expedite(now: now)
            try write(breaker, app: app, provider: provider)
        }
    }

    private func write(_ breaker: Breaker, app: String, provider: ProviderName) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO breakers (app, provider, is_open, since, reason, failures, probe_at, probe, probe_owner,
                probe_until)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (app, provider) DO UPDATE SET is_open = excluded.is_open, since = excluded.since,
                reason = excluded.reason, failures = excluded.failures, probe_at = excluded.probe_at,
                probe = excluded.probe, probe_owner = excluded.probe_owner, probe_until = excluded.probe_until
            """,
            .text(app),
            .text(provider.rawValue),
            .bool(breaker.isOpen),
            .time(breaker.since),
            .text(breaker.reason),
            .int(breaker.failures),
            .time(breaker.probeAt),
            .text(breaker.probe.map { ProbeKey.text($0.key) }),
            .int(breaker.probe?.owner ?? 0),
            .time(breaker.probe?.until)
        )
        try bumpRevision()
    }
}

extension LedgerReader {
    private static let breakerColumns =
        "app, provider, is_open, since, reason, failures, probe_at, probe, probe_owner, probe_until"

    /// The breaker of an app; nil if it never opened.
    public func breaker(app: String, provider: ProviderName) throws(LedgerError) -> Breaker? {
        let rows = try db.rows(
            "SELECT \(Self.breakerColumns) FROM breakers WHERE app = ?1 AND provider = ?2",
            .text(app),
            .text(provider.rawValue)
        )
        return try rows.next() ? Self.breaker(rows) : nil
    }

    /// The open breakers, by app and provider.
    public func openBreakers() throws(LedgerError) -> [BreakerRecord] {
        let rows = try db.rows(
            "SELECT \(Self.breakerColumns) FROM breakers WHERE is_open = 1 ORDER BY app, provider"
        )
        var records: [BreakerRecord] = []
        while try rows.next() {
            let provider = rows.provider("provider")
            records.append(BreakerRecord(app: rows.text("app"), provider: provider, breaker: Self.breaker(rows)))
        }
        return records
    }

    /// The set-aside shards of a campaign, oldest first, so that a failed probe comes last.
    ///
    /// `providers` limits them to rows of these providers; nil for all.
    func asideOldestFirst(
        campaign: UInt32,
        of providers: Set<ProviderName>?
    ) throws(LedgerError) -> [ShardRecord] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE \(ShardRows.isIn(.aside)) AND s.campaign = ?1 AND \(ShareRows.isOf(providers))
            ORDER BY s.since, s.part, s.ordinal, s.child
            """,
            .int(campaign)
        )
        return try rows.map(ShardRows.record)
    }

    /// Returns true if a probe of the campaign's app is due; `share` is the provider in a campaign of several.
    public func isProbeDue(
        campaign: UInt32,
        share: ProviderName? = nil,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        guard let (app, provider) = try account(ofCampaign: campaign, share: share) else { return false }
        return try breaker(app: app, provider: provider)?.isProbeDue(now: now) ?? false
    }

    private static func breaker(_ rows: borrowing Rows) -> Breaker {
        Breaker(
            isOpen: rows.bool("is_open"),
            since: rows.time("since"),
            reason: rows.text("reason"),
            failures: rows.int("failures"),
            probeAt: rows.time("probe_at"),
            probe: rows.optionalText("probe").flatMap { ProbeKey.key($0) }.map {
                Breaker.Probe(key: $0, owner: rows.int64("probe_owner"), until: rows.time("probe_until"))
            }
        )
    }

    /// The app and provider of a campaign; `share` is the provider in a campaign of several.
    func account(
        ofCampaign number: UInt32,
        share: ProviderName?
    ) throws(LedgerError) -> (app: String, provider: ProviderName)? {
        let rows = try db.rows("SELECT app, provider FROM campaigns WHERE number = ?1", .int(number))
        return try rows.next() ? (rows.text("app"), share ?? rows.provider("provider")) : nil
    }

    /// The app of a shard and the provider of its devices.
    fileprivate func account(of key: ShardKey) throws(LedgerError) -> (app: String, provider: ProviderName)? {
        guard let account = try account(ofCampaign: key.campaign, share: nil) else { return nil }
        guard account.provider.rawValue.isEmpty else { return account }
        return try shard(key).map { row throws(LedgerError) in (account.app, try provider(of: row)) }
    }
}
