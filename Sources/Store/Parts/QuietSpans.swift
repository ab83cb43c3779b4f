public import Campaigns
import Delivery

/// Query fragments about quiet hours; a part that is over has none, so that its remaining devices expire.
///
/// Windows are known a few days ahead (`QuietHours.knownAhead`). Later instants count as quiet, because nobody knows
/// that they are not.
enum QuietSpans {
    /// The condition that a row of `parts p` has no quiet hours at a placeholder's instant.
    static func isOutside(at placeholder: Int) -> String {
        "NOT (\(isInside(from: "?\(placeholder)", to: "?\(placeholder)")))"
    }

    /// The condition that a row of `parts p` is not over and has quiet hours between two instants.
    private static func isInside(from: String, to: String) -> String {
        """
        p.expires_at > \(from) AND (coalesce(p.quiet_until, \(to) + 1) <= \(to) OR EXISTS (
            SELECT 1 FROM quiet_spans q
            WHERE q.campaign = p.campaign AND q.part = p.part AND q.begins_at <= \(to) AND q.ends_at > \(from)
        ))
        """
    }

    /// The chunks joined with their parts.
    private static let ofChunks = "chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part"

    /// The condition that a chunk's part has quiet hours at a placeholder's instant.
    static func isQuiet(campaign: String, chunk: String, at placeholder: Int) -> String {
        """
        EXISTS (
            SELECT 1 FROM \(ofChunks) WHERE o.campaign = \(campaign) AND o.ordinal = \(chunk)
                AND \(isInside(from: "?\(placeholder)", to: "?\(placeholder)"))
        )
        """
    }

    /// The condition that a row of `shards s` may get a turn at the instant of placeholder 2.
    ///
    /// Turns are given away ahead, so a turn must not reach into quiet hours. Campaigns without quiet hours need no
    /// lookup.
    static func mayHaveTurn(_ campaign: CampaignFacts) -> String {
        guard campaign.hasQuietHours else { return "1 = 1" }
        // A slot begins within the lead, and lasts a few seconds at the beginning of a ramp.
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
    /// Returns true if the time zone of a row's devices has quiet hours at an instant.
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
        return try rows.map { ShardRows.key($0) }
    }
}
