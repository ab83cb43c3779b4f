public import Campaigns

/// A part of a campaign whose quiet hours must be computed further ahead.
public struct QuietPart: Sendable, Equatable {
    /// The campaign.
    public var campaign: UInt32
    /// The part's number in the campaign.
    public var part: UInt32
    /// The rule to compute them from.
    public var rule: QuietRule
}

/// Quiet hours that are computed on demand. Any planner computes them, with or without a lease, because the result is
/// the same.
extension LedgerReader {
    /// Parts of live campaigns whose quiet hours must be computed further: soonest first, one page.
    public func quietToExtend(now: Timestamp, limit: Int = 100) throws(LedgerError) -> [QuietPart] {
        let rows = try db.rows(
            """
            SELECT p.campaign, p.part, p.quiet_from, p.quiet_to, p.quiet_zone, p.quiet_until
            FROM campaigns c JOIN parts p ON p.campaign = c.number
            WHERE c.completed_at IS NULL AND c.has_quiet_hours = 1 AND p.quiet_until < ?1 AND p.expires_at > ?2
                AND p.quiet_from IS NOT NULL AND p.quiet_to IS NOT NULL
            ORDER BY p.quiet_until LIMIT ?3
            """,
            .time(now.advanced(by: QuietHours.knownAtLeast)),
            .time(now),
            .int(limit)
        )
        var parts: [QuietPart] = []
        while try rows.next() {
            let hours = QuietHours(from: rows.int("quiet_from"), to: rows.int("quiet_to"))
            let rule = QuietRule(
                hours: hours,
                timeZone: rows.optionalText("quiet_zone"),
                knownUntil: rows.time("quiet_until")
            )
            parts.append(QuietPart(campaign: rows.uint32("campaign"), part: rows.uint32("part"), rule: rule))
        }
        return parts
    }
}

extension LedgerTransaction {
    /// Stores further quiet hours of parts and the instant up to which they are known; removes those that are over.
    ///
    /// A part that another planner has extended meanwhile stays as it is.
    public func extendQuiet(
        _ parts: [(part: QuietPart, windows: [Range<Timestamp>], until: Timestamp)],
        now: Timestamp
    ) throws(LedgerError) {
        for (part, windows, until) in parts {
            let changed = try db.run(
                "UPDATE parts SET quiet_until = ?3 WHERE campaign = ?1 AND part = ?2 AND quiet_until = ?4",
                .int(part.campaign),
                .int(part.part),
                .time(until),
                .time(part.rule.knownUntil)
            )
            guard changed == 1 else { continue }
            try db.run(
                "DELETE FROM quiet_spans WHERE campaign = ?1 AND part = ?2 AND ends_at <= ?3",
                .int(part.campaign),
                .int(part.part),
                .time(now)
            )
            try insertQuiet(
                windows.map {
                    [.int(part.campaign), .int(part.part), .time($0.lowerBound), .time($0.upperBound)]
                }
            )
        }
    }

    /// Inserts windows of parts, one per row; existing ones stay.
    func insertQuiet(_ rows: [[SQLValue]]) throws(LedgerError) {
        try db.insert(
            into: "quiet_spans (campaign, part, begins_at, ends_at)",
            rows,
            orElse: "ON CONFLICT (campaign, part, begins_at) DO NOTHING"
        )
    }
}
