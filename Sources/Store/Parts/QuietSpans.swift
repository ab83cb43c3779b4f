public import Campaigns
import Delivery

/// Pieces of queries that ask for quiet hours; a part that is over has none, so that the rest of it expires.
enum QuietSpans {
    /// A row of `parts p` has none at the instant of a placeholder.
    static func isOutside(at placeholder: Int) -> String {
        """
        NOT EXISTS (
            SELECT 1 FROM quiet_spans q
            WHERE q.campaign = p.campaign AND q.part = p.part AND p.expires_at > ?\(placeholder)
                AND q.begins_at <= ?\(placeholder) AND q.ends_at > ?\(placeholder)
        )
        """
    }

    /// Chunks with their parts and those's quiet hours.
    static let ofChunks = """
        chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part
        JOIN quiet_spans q ON q.campaign = o.campaign AND q.part = o.part
        """

    /// A row of `shards s` may get a turn at the instant of the placeholder 2.
    ///
    /// Turns are given away ahead, so none that may reach into quiet hours. Rows of campaigns without have nothing to
    /// look up.
    static func mayHaveTurn(_ campaign: CampaignFacts) -> String {
        guard campaign.hasQuietHours else { return "1 = 1" }
        // A slot begins within the lead, and is a few seconds long at the beginning of a ramp.
        let lead = (Pacing.lead + Pacing.notice) / 1000 + 3000
        return """
            NOT EXISTS (
                SELECT 1 FROM \(ofChunks)
                WHERE o.campaign = s.campaign AND o.ordinal = s.chunk AND p.expires_at > ?2
                    AND q.begins_at <= ?2 + \(lead) AND q.ends_at > ?2
            )
            """
    }
}

extension LedgerReader {
    /// Whether the time zone of a row's devices has quiet hours at an instant.
    func isQuiet(_ row: ShardRecord?, of campaign: CampaignFacts?, at now: Timestamp) throws(LedgerError) -> Bool {
        guard let row, campaign?.hasQuietHours == true else { return false }
        return try db.number(
            """
            SELECT 1 FROM \(QuietSpans.ofChunks)
            WHERE o.campaign = ?1 AND o.ordinal = ?2 AND q.begins_at <= ?3 AND q.ends_at > ?3 AND p.expires_at > ?3
            """,
            .int(row.id.key.campaign),
            .int(row.chunk),
            .time(now)
        ) != nil
    }

    /// The shards of a campaign that workers run although their time zones have quiet hours at an instant.
    public func runsInQuiet(_ campaign: UInt32, at now: Timestamp) throws(LedgerError) -> [ShardKey] {
        let rows = try db.rows(
            """
            SELECT s.campaign, s.part, s.ordinal, s.child FROM \(ShardRows.open)
            WHERE s.state = 2 AND s.state <> 4 AND s.campaign = ?1 AND EXISTS (
                SELECT 1 FROM \(QuietSpans.ofChunks)
                WHERE o.campaign = s.campaign AND o.ordinal = s.chunk AND q.begins_at <= ?2 AND q.ends_at > ?2
                    AND p.expires_at > ?2
            )
            """,
            .int(campaign),
            .time(now)
        )
        var keys: [ShardKey] = []
        while try rows.next() { keys.append(ShardRows.key(rows)) }
        return keys
    }
}
