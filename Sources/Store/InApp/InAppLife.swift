public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Makes an in-app campaign live if its time has come, it is not paused and its lists are ready (use `synced`).
    ///
    /// Returns true if the campaign goes live.
    public func beginInApp(_ lease: LeaseToken, now: Timestamp) throws(LedgerError) -> Bool {
        let campaign = lease.campaign
        guard try holdsLease(lease), let facts = try reader.campaign(campaign), facts.isInApp,
            facts.stage == .scheduled, facts.isDue(at: now), facts.ending(at: now) == nil, facts.pauseReasons.isEmpty,
            try db.number(
                "SELECT 1 FROM in_app_campaigns WHERE campaign = ?1 AND prepared = 1",
                .int(campaign)
            ) != nil
        else { return false }
        try begin(campaign: campaign, now: now)
        return true
    }

    /// Counts devices that receive a campaign's message, each once; devices are numbers of the registry.
    ///
    /// The audience and the number of accepted devices grow together, so that the law always holds. A campaign that is
    /// over keeps its final count.
    public func countGiven(_ given: [(campaign: UInt32, device: Int64)]) throws(LedgerError) {
        var counts: [UInt32: Int] = [:]
        for (campaign, device) in given {
            counts[campaign, default: 0] += try db.run(
                """
                INSERT INTO in_app_given (campaign, device)
                SELECT i.campaign, ?2 FROM in_app_campaigns i WHERE i.campaign = ?1 AND i.ended = 0
                ON CONFLICT (campaign, device) DO NOTHING
                """,
                .int(campaign),
                .integer(device)
            )
        }
        // The same order everywhere prevents deadlocks between two servers.
        for (campaign, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
            try db.run(
                "UPDATE in_app_campaigns SET given = given + ?2 WHERE campaign = ?1",
                .int(campaign),
                .int(count)
            )
            try db.run("UPDATE campaigns SET audience = audience + ?2 WHERE number = ?1", .int(campaign), .int(count))
        }
    }
}

/// An in-app campaign whose message devices receive now.
public struct LiveInApp: Sendable, Equatable {
    /// The number in the ledger.
    public var campaign: UInt32
    /// The app.
    public var app: String
    /// The id in its app.
    public var id: String
    /// The start of the campaign; nil for none.
    public var startsAt: Timestamp?
    /// The end of the campaign, exclusive; far in the future for one without an end.
    public var endsAt: Timestamp
    /// The list of the audience; nil if the job describes the audience.
    public var list: UInt32?
    /// The excluded list; nil if the job describes the excluded devices or excludes none.
    public var excludedList: UInt32?
    /// The instant at which it went live.
    public var releasedAt: Timestamp
}

extension LedgerReader {
    /// All in-app campaigns that are live and not paused, in order of acceptance.
    public func liveInApp() throws(LedgerError) -> [LiveInApp] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.list, i.excluded, coalesce(c.started_at, c.accepted_at) AS released_at
            FROM in_app_campaigns i JOIN campaigns c ON c.number = i.campaign
            WHERE i.ended = 0 AND c.stage = \(CampaignStage.sending.sql) ORDER BY i.campaign
            """
        )
        var live: [LiveInApp] = []
        while try rows.next() {
            let facts = try CampaignRows.facts(rows)
            guard facts.pauseReasons.isEmpty else { continue }
            live.append(
                LiveInApp(
                    campaign: facts.number,
                    app: facts.app,
                    id: facts.id,
                    startsAt: facts.sendAt,
                    endsAt: facts.expiresAt,
                    list: rows.uint32("list") == 0 ? nil : rows.uint32("list"),
                    excludedList: rows.optionalUInt32("excluded"),
                    releasedAt: rows.time("released_at")
                )
            )
        }
        return live
    }

    /// The number of devices that received an in-app campaign's message; 0 for any other campaign.
    func givenInApp(_ campaign: UInt32) throws(LedgerError) -> Int {
        Int(try db.number("SELECT given FROM in_app_campaigns WHERE campaign = ?1", .int(campaign)) ?? 0)
    }
}
