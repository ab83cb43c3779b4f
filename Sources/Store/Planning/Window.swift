public import Campaigns
public import Delivery

extension LedgerReader {
    /// The published, unclaimed shards by campaign; campaigns without any are left out.
    public func windowUse() throws(LedgerError) -> [WindowUse] {
        let rows = try db.rows(
            """
            SELECT c.number, c.app, c.provider, c.urgency, u.first_attempts, u.retries,
                CASE WHEN c.per_second IS NULL THEN 0 ELSE 1 END AS is_paced
            FROM (
                SELECT s.campaign, count(*) FILTER (WHERE s.child = 0) AS first_attempts,
                    count(*) FILTER (WHERE s.child > 0) AS retries
                FROM \(ShardRows.open) WHERE \(ShardRows.isIn(.unpublished, .out)) GROUP BY s.campaign
            ) u
            JOIN campaigns c ON c.number = u.campaign ORDER BY c.number
            """
        )
        var uses: [WindowUse] = []
        var several: [WindowUse] = []
        while try rows.next() {
            guard let urgency: Urgency = rows.value("urgency") else { continue }
            let lane = Lane(provider: rows.provider("provider"), urgency: urgency)
            let use = WindowUse(
                campaign: rows.uint32("number"),
                app: rows.text("app"),
                lane: lane,
                isPaced: rows.int("is_paced") == 1,
                firstAttempts: rows.int("first_attempts"),
                retries: rows.int("retries")
            )
            if lane.provider.rawValue.isEmpty { several.append(use) } else { uses.append(use) }
        }
        for use in several { uses += try windowUses(use) }
        return uses
    }

    /// The window use of a campaign of several providers, by lane.
    private func windowUses(_ whole: WindowUse) throws(LedgerError) -> [WindowUse] {
        let rows = try db.rows(
            """
            SELECT k.provider, count(*) FILTER (WHERE s.child = 0) AS first_attempts,
                count(*) FILTER (WHERE s.child > 0) AS retries
            FROM \(ShardRows.open) JOIN campaigns c ON c.number = s.campaign
            JOIN chunks k ON k.list = c.list AND k.ordinal = s.chunk
            WHERE \(ShardRows.isIn(.unpublished, .out)) AND s.campaign = ?1
            GROUP BY k.provider ORDER BY k.provider
            """,
            .int(whole.campaign)
        )
        var uses: [WindowUse] = []
        while try rows.next() {
            var use = whole
            use.lane.provider = rows.provider("provider")
            (use.firstAttempts, use.retries) = (rows.int("first_attempts"), rows.int("retries"))
            uses.append(use)
        }
        return uses
    }

    /// The number of a lane's first-attempt shards that are published, or about to be, and unclaimed.
    public func windowUse(of lane: Lane) throws(LedgerError) -> Int {
        try windowUse().reduce(0) { $0 + ($1.lane == lane ? $1.firstAttempts : 0) }
    }
}
