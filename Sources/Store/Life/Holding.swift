public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Cuts the first shards of a campaign that waits for `fire`, or takes those that were cut already.
    ///
    /// Its rows are set aside, and `fire` lets them go in its own transaction: whoever has them in memory publishes them
    /// without asking again. `waits`: it is not held any more. None of a campaign with something to count for each device.
    ///
    /// `share`: of which provider, in a campaign of several.
    public func prepare(
        campaign: UInt32,
        share: ProviderName? = nil,
        leaseEpoch: UInt32,
        worker: Int64,
        shardsMax: Int,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> PlanResult {
        guard try holdsLease(campaign: campaign, worker: worker, epoch: leaseEpoch) else { return .fenced }
        guard let facts = try reader.campaign(campaign, share: share), facts.stage == .held,
            facts.ending(at: now) == nil
        else { return .waits }
        precondition(facts.hasShares == (share != nil), "shares are prepared one by one")
        let cut = try reader.openShards(campaign: campaign, states: [.aside], of: facts.rows)
            .filter { $0.aside == .held }
        if !cut.isEmpty { return .planned(try reader.complete(cut)) }
        let room = try roomUnderGuard(facts)
        return .planned(
            try self.cut(
                campaign: campaign,
                of: facts.rows,
                shardsMax: shardsMax,
                devicesMax: room,
                as: .held,
                cap: cap,
                now: now
            )
        )
    }

    /// Lets a held campaign go: a compare-and-set, so that fired twice is fired once (use `synced`).
    ///
    /// What counts from its release begins now. A campaign that is paused as well, or whose `send_at` has not come, begins
    /// when that is over; one that supersedes another when that one's runs have stopped.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - shared: The instant on the clock that all workers share; nil when it is `now`.
    ///   - actor: Who wants it, for the history.
    ///   - now: The instant.
    public func fire(
        campaign: UInt32,
        shared: Timestamp? = nil,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign) else { return .unknown }
        guard facts.stage.isLive, facts.ending(at: now) == nil else { return .over(facts) }
        let rows = try db.rows(
            "SELECT hold, created_at, release_seconds, fired_at FROM campaigns WHERE number = ?1",
            .int(campaign)
        )
        guard try rows.next(), rows.bool(0) else { return .notHeld(facts) }
        guard rows.isNull(3) else { return .done(facts) }
        let release = ExpiryRule.release(
            createdAt: rows.time(1),
            sendAt: facts.sendAt,
            firedAt: now,
            acceptedAt: now
        )
        if let seconds = rows.optionalInt64(2) { facts.expiresAt = release.advanced(by: .seconds(seconds)) }
        // One whose audience is still being written begins when that is done.
        if facts.stage == .held { facts.stage = .scheduled }
        try db.run(
            """
            UPDATE campaigns SET stage = ?4, fired_at = ?2, expires_at = ?3 WHERE number = ?1
            """,
            .int(campaign),
            .time(now),
            .time(facts.expiresAt),
            .text(facts.stage.rawValue)
        )
        try note(.fired, campaign: campaign, by: actor, ["expires_at": .string(facts.expiresAt.rfc3339)], now: now)
        try bumpRevision()
        if !facts.isReleased, facts.mayRelease(at: now) {
            let result = try self.release(campaign: campaign, shared: shared ?? now, now: now).result
            facts.isReleased = result == .released
        }
        guard facts.mayPlan(at: now) else { return .done(facts) }
        // Of several providers those that may go now; a planner lets the others go when their trouble is over.
        let shares = try reader.shares(of: facts).filter { $0.mayPlan(at: now) }
        let providers = facts.hasShares ? Set(shares.compactMap(\.share)) : nil
        let released = try db.run(
            """
            UPDATE shards SET state = 0, aside = NULL, since = ?2
            WHERE campaign = ?1 AND state = 3 AND state <> 4 AND aside = 'held'
                AND \(ShareRows.isOf(providers, rows: "shards"))
            """,
            .int(campaign),
            .time(now)
        )
        if released > 0 {
            facts.stage = .sending
            try begin(campaign: campaign, now: now)
        }
        return .done(facts)
    }
}

/// Connections that a held campaign will want at the moment it is fired.
public struct HeldRoute: Sendable, Hashable {
    /// The app.
    public var app: String
    /// The provider.
    public var provider: ProviderName
    /// nil is the app's own environment.
    public var environment: PushEnvironment?
    /// Urgent and bulk have connections of their own.
    public var urgency: Urgency
}

extension LedgerReader {
    /// Where the first shards of all held campaigns will go.
    public func heldRoutes() throws(LedgerError) -> Set<HeldRoute> {
        let rows = try db.rows(
            """
            SELECT DISTINCT c.app, k.provider, c.urgency, k.environment
            FROM campaigns c
            JOIN \(ShardRows.open) ON s.state = 3 AND s.state <> 4 AND s.campaign = c.number AND s.aside = 'held'
            JOIN chunks k ON k.list = c.list AND k.ordinal = s.chunk
            WHERE c.completed_at IS NULL AND c.stage = 'held'
            """
        )
        var routes: Set<HeldRoute> = []
        while try rows.next() {
            guard let urgency = Urgency(rawValue: rows.text(2)) else { continue }
            let environment = rows.optionalText(3).flatMap { PushEnvironment(rawValue: $0) }
            let provider = ProviderName(rawValue: rows.text(1))
            routes.insert(HeldRoute(app: rows.text(0), provider: provider, environment: environment, urgency: urgency))
        }
        return routes
    }
}
