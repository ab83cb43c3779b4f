public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Cuts the first shards of a campaign that waits for `fire`, or returns those that are cut already.
    ///
    /// The rows are set aside, and `fire` releases them in its own transaction. So a planner that has them in memory
    /// publishes them without another query. Returns `waits` if the campaign is not held any more, and no shards if
    /// something is counted for each device.
    public func prepare(
        _ lease: LeaseToken,
        shardsMax: Int,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> PlanResult {
        try whileLeased(lease, if: { $0.mayPrepare(at: now) }) { facts throws(LedgerError) in
            let cut = try reader.openShards(campaign: lease.campaign, states: [.aside], of: facts.rows)
                .filter { $0.aside == .held }
            if !cut.isEmpty { return .planned(try reader.complete(cut)) }
            let room = try roomUnderGuard(facts)
            let held = try self.cut(
                campaign: lease.campaign,
                of: facts.rows,
                shardsMax: shardsMax,
                devicesMax: room,
                as: .held,
                cap: cap,
                now: now
            )
            return .planned(held)
        }
    }

    /// Fires a held campaign: a compare-and-set, so that firing twice has the effect of once (use `synced`).
    ///
    /// An end relative to the release counts from now. A campaign that is also paused, or whose `send_at` lies ahead,
    /// begins after that. A campaign that supersedes another begins when the other's runs have stopped.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - shared: The instant on the clock that all workers share; nil if it is `now`.
    ///   - actor: The operator, for the history.
    ///   - now: The instant.
    public func fire(
        campaign: UInt32,
        shared: Timestamp? = nil,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign), let held = try reader.firing(campaign) else { return .unknown }
        switch FirePlan(facts, held, now: now) {
        case .isOver: return .over(facts)
        case .isNotHeld: return .notHeld(facts)
        case .wasFired: return .done(facts)
        case .fires(let stage, let expiresAt): (facts.stage, facts.expiresAt) = (stage, expiresAt)
        }
        try db.run(
            """
            UPDATE campaigns SET stage = ?4, fired_at = ?2, expires_at = ?3 WHERE number = ?1
            """,
            .int(campaign),
            .time(now),
            .time(facts.expiresAt),
            .text(facts.stage.rawValue)
        )
        let end = facts.expiresAt.asEnd.map { JSONValue.string($0.rfc3339) }
        try note(.fired, campaign: campaign, by: actor, ["expires_at": end], now: now)
        try bumpRevision()
        if !facts.isReleased, facts.mayRelease(at: now) {
            let result = try self.release(campaign: campaign, shared: shared ?? now, now: now).result
            facts.isReleased = result == .released
        }
        guard facts.mayPlan(at: now) else { return .done(facts) }
        if try releaseHeld(facts, now: now) > 0 {
            facts.stage = .sending
            try begin(campaign: campaign, now: now)
        }
        return .done(facts)
    }

    /// Releases the rows that were cut before the campaign was fired; returns their number.
    private func releaseHeld(_ campaign: CampaignFacts, now: Timestamp) throws(LedgerError) -> Int {
        try requireSynced()
        let providers = FirePlan.releases(try reader.shares(of: campaign), now: now)
        return try db.run(
            """
            UPDATE shards SET state = ?3, aside = NULL, since = ?2
            WHERE campaign = ?1 AND \(ShardRows.isIn(.aside, rows: "")) AND aside = ?4
                AND \(ShareRows.isOf(providers, rows: "shards"))
            """,
            .int(campaign.number),
            .time(now),
            .int(FirePlan.releasedState.rawValue),
            .text(AsideReason.held.rawValue),
            scope: .shards
        )
    }
}

extension LedgerReader {
    /// The facts about a campaign's release.
    fileprivate func firing(_ campaign: UInt32) throws(LedgerError) -> FirePlan.Facts? {
        let rows = try db.rows(
            "SELECT hold, created_at, release_seconds, fired_at FROM campaigns WHERE number = ?1",
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        return FirePlan.Facts(
            isHeld: rows.bool("hold"),
            createdAt: rows.time("created_at"),
            releaseSeconds: rows.optionalInt64("release_seconds"),
            isFired: !rows.isNull("fired_at")
        )
    }
}

/// A connection that a held campaign needs at the moment it is fired.
public struct HeldRoute: Sendable, Hashable {
    /// The app.
    public var app: String
    /// The provider.
    public var provider: ProviderName
    /// The environment; nil for the app's own.
    public var environment: PushEnvironment?
    /// The urgency; urgent and bulk have connections of their own.
    public var urgency: Urgency
}

extension LedgerReader {
    /// The connections that the first shards of all held campaigns need.
    public func heldRoutes() throws(LedgerError) -> Set<HeldRoute> {
        let rows = try db.rows(
            """
            SELECT DISTINCT c.app, k.provider, c.urgency, k.environment
            FROM campaigns c
            JOIN \(ShardRows.open) ON \(ShardRows.isIn(.aside)) AND s.campaign = c.number
                AND s.aside = \(AsideReason.held.sql)
            JOIN chunks k ON k.list = c.list AND k.ordinal = s.chunk
            WHERE c.completed_at IS NULL AND c.stage = \(CampaignStage.held.sql)
            """
        )
        var routes: Set<HeldRoute> = []
        while try rows.next() {
            guard let urgency: Urgency = rows.value("urgency") else { continue }
            let environment: PushEnvironment? = rows.value("environment")
            let provider = rows.provider("provider")
            routes.insert(
                HeldRoute(app: rows.text("app"), provider: provider, environment: environment, urgency: urgency)
            )
        }
        return routes
    }
}
