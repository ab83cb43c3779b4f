public import Campaigns

/// A completed campaign with devices that no push could reach.
public struct UnnotifiedCampaign: Sendable, Equatable {
    /// The number in the ledger.
    public var campaign: UInt32
    /// The app.
    public var app: String
    /// The instant of the first push.
    public var releasedAt: Timestamp
    /// The instant from which the app no longer tells of the campaign.
    public var expiresAt: Timestamp
}

extension LedgerTransaction {
    /// Records a completed campaign if its kind can be told of inside the app and some devices were not reached.
    func noteUnnotified(_ campaign: UInt32) throws(LedgerError) {
        let kinds = CampaignKind.allCases.filter(\.mayBeToldInside)
        try db.run(
            """
            INSERT INTO untold (campaign, expires_at)
            SELECT c.number, c.expires_at FROM campaigns c
            WHERE c.number = ?1 AND c.kind IN (\(kinds.sql)) AND c.repeats = 0
                AND c.push_type <> \(PushType.liveactivity.sql) AND EXISTS (
                SELECT 1 FROM shards s WHERE s.campaign = c.number AND (s.invalid > 0 OR s.failed > 0 OR s.skipped > 0)
            )
            ON CONFLICT (campaign) DO NOTHING
            """,
            .int(campaign)
        )
    }
}

extension LedgerReader {
    /// Campaigns that the app still has to tell devices of, newest first.
    public func unnotifiedCampaigns(now: Timestamp, limit: Int) throws(LedgerError) -> [UnnotifiedCampaign] {
        let rows = try db.rows(
            """
            SELECT u.campaign, c.app, coalesce(c.started_at, c.accepted_at) AS released_at, u.expires_at
            FROM untold u JOIN campaigns c ON c.number = u.campaign
            WHERE u.expires_at > ?1 ORDER BY u.campaign DESC LIMIT ?2
            """,
            .time(now),
            .int(limit)
        )
        return try rows.map { row in
            UnnotifiedCampaign(
                campaign: row.uint32("campaign"),
                app: row.text("app"),
                releasedAt: row.time("released_at"),
                expiresAt: row.time("expires_at")
            )
        }
    }

    /// The next chunks of a campaign that contain devices which no push could reach; empty after the last.
    public func unnotifiedChunks(campaign: UInt32, from chunk: UInt32, limit: Int) throws(LedgerError) -> [UInt32] {
        let rows = try db.rows(
            """
            SELECT DISTINCT s.chunk FROM shards s
            WHERE s.campaign = ?1 AND s.chunk >= ?2 AND (s.invalid > 0 OR s.failed > 0 OR s.skipped > 0)
            ORDER BY s.chunk LIMIT ?3
            """,
            .int(campaign),
            .int(chunk),
            .int(limit)
        )
        return try rows.map { $0.uint32("chunk") }
    }

    /// The campaigns for which a phone reported more than a push's arrival: its person has seen the message or never
    /// will.
    ///
    /// `device` is the index in the campaign's message id.
    public func told(_ asked: [(campaign: UInt32, device: UInt32)]) throws(LedgerError) -> Set<UInt32> {
        let types = TrackedType.allCases.filter { $0 != .received }
        let steps = TrackedSurface.allCases.flatMap { surface in types.map { TrackedStep(surface, $0).number } }
        let list = steps.map(String.init).joined(separator: ", ")
        var told: Set<UInt32> = []
        for (campaign, device) in asked {
            let found = try db.number(
                """
                SELECT 1 FROM tracked WHERE campaign = ?1 AND device = ?2 AND detail = '' AND step IN (\(list)) LIMIT 1
                """,
                .int(campaign),
                .int(device)
            )
            if found != nil { told.insert(campaign) }
        }
        return told
    }
}
