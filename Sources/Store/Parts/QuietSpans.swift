public import Campaigns
import Delivery

/// Pieces of queries that ask for quiet hours; a part that is over has none, so that the rest of it expires.
///
/// Windows are known a few days ahead (`QuietHours.knownAhead`). Beyond that it is quiet: nobody can say that it is not.
enum QuietSpans {
    /// A row of `parts p` has none at the instant of a placeholder.
    static func isOutside(at placeholder: Int) -> String {
        "NOT (\(isInside(from: "?\(placeholder)", to: "?\(placeholder)")))"
    }

    /// A row of `parts p` that is not over has some between two instants.
    private static func isInside(from: String, to: String) -> String {
        """
        p.expires_at > \(from) AND (coalesce(p.quiet_until, \(to) + 1) <= \(to) OR EXISTS (
            SELECT 1 FROM quiet_spans q
            WHERE q.campaign = p.campaign AND q.part = p.part AND q.begins_at <= \(to) AND q.ends_at > \(from)
        ))
        """
    }

    /// Chunks with their parts.
    private static let ofChunks = "chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part"

    /// The part of a chunk has quiet hours at the instant of a placeholder.
    static func isQuiet(campaign: String, chunk: String, at placeholder: Int) -> String {
        """
        EXISTS (
            SELECT 1 FROM \(ofChunks) WHERE o.campaign = \(campaign) AND o.ordinal = \(chunk)
                AND \(isInside(from: "?\(placeholder)", to: "?\(placeholder)"))
        )
        """
    }

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
                SELECT 1 FROM \(ofChunks) WHERE o.campaign = s.campaign AND o.ordinal = s.chunk
                    AND \(isInside(from: "?2", to: "?2 + \(lead)"))
            )
            """
    }
}

extension LedgerReader {
    /// Whether the time zone of a row's devices has quiet hours at an instant.
    func isQuiet(_ row: ShardRecord?, of campaign: CampaignFacts?, at now: Timestamp) throws(LedgerError) -> Bool {
        guard let row, campaign?.hasQuietHours == true else { return false }
        return try db.number(
            "SELECT 1 WHERE \(QuietSpans.isQuiet(campaign: "?1", chunk: "?2", at: 3))",
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
            WHERE \(ShardRows.isIn(.running)) AND s.campaign = ?1
                AND \(QuietSpans.isQuiet(campaign: "s.campaign", chunk: "s.chunk", at: 2))
            """,
            .int(campaign),
            .time(now)
        )
        var keys: [ShardKey] = []
        while try rows.next() { keys.append(ShardRows.key(rows)) }
        return keys
    }
}
