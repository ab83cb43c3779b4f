public import Campaigns
public import Delivery

/// The new end of a campaign.
public enum NewEnd: Sendable, Equatable {
    /// One instant, for all parts too.
    case at(Timestamp)
    /// An instant for each part, by time zone ("" for devices without one).
    case byZone([String: Timestamp])
}

/// The changes that an operator may make to a campaign that is not over. Queued shards learn of them when they are
/// claimed.
extension LedgerTransaction {
    /// Changes the end of a campaign (use `synced`).
    ///
    /// Shards that are claimed from now on use the new end, also towards the provider. Running shards are handed over
    /// at the next poll. An end that was relative to the release becomes an instant.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - end: The end.
    ///   - storage: The longest time that the provider stores a push.
    ///   - actor: The operator, for the history.
    ///   - now: The instant.
    public func setEnd(
        campaign: UInt32,
        _ end: NewEnd,
        storage: Duration,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign) else { return .unknown }
        guard facts.stage.isLive, facts.ending(at: now) == nil else { return .over(facts) }
        guard !facts.isRepeated else { return .wrongEnd(facts, .repeated) }
        let parts = try reader.partEnds(campaign: campaign, end)
        guard case .at(let last) = end.last(of: parts) else { return .wrongEnd(facts, .notByZone) }
        let begins = parts.isEmpty ? [(facts.sendAt, last)] : parts.map { (Optional($0.releaseAt), $0.end) }
        for (begin, end) in begins {
            if let problem = ExpiryRule.problem(ofEnd: end, begin: begin, storage: storage, now: now) {
                return .wrongEnd(facts, problem)
            }
        }
        facts.expiresAt = last
        facts.endChanges += 1
        try db.run(
            """
            UPDATE campaigns SET expires_at = ?2, release_seconds = NULL, end_changes = end_changes + 1
            WHERE number = ?1
            """,
            .int(campaign),
            .time(last)
        )
        for (end, parts) in Dictionary(grouping: parts, by: \.end).sorted(by: { $0.key < $1.key }) {
            for range in RowBatches.ranges(parts.count) {
                let placeholders = range.indices.map { "?\($0 - range.lowerBound + 3)" }
                try db.run(
                    """
                    UPDATE parts SET expires_at = ?2 WHERE campaign = ?1 AND part IN (\(placeholders.joined(separator: ", ")))
                    """,
                    values: [.int(campaign), .time(end)] + parts[range].map { .int($0.number) }
                )
            }
        }
        try note(.changed, campaign: campaign, by: actor, ["expires_at": .string(last.rfc3339)], now: now)
        try bumpRevision()
        return .done(facts)
    }

    /// Moves a campaign to the other lane of its provider (use `synced`).
    ///
    /// Shards that are published from now on go there. Shards in a queue, on a rung or with a worker finish where they
    /// are.
    public func setUrgency(
        campaign: UInt32,
        _ urgency: Urgency,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard let facts = try reader.campaign(campaign) else { return .unknown }
        guard facts.stage.isLive, facts.ending(at: now) == nil else { return .over(facts) }
        let changed = try db.run(
            "UPDATE campaigns SET urgency = ?2 WHERE number = ?1 AND urgency <> ?2",
            .int(campaign),
            .text(urgency.rawValue)
        )
        if changed > 0 {
            try note(.changed, campaign: campaign, by: actor, ["urgency": .string(urgency.rawValue)], now: now)
            try bumpRevision()
        }
        return .done(try reader.campaign(campaign) ?? facts)
    }

    /// Changes or removes the rate of a campaign (use `synced`); turns that were given away stay.
    public func setPace(
        campaign: UInt32,
        _ pace: Pace?,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign) else { return .unknown }
        guard facts.stage.isLive, facts.ending(at: now) == nil else { return .over(facts) }
        facts.pace = pace
        try db.run(
            "UPDATE campaigns SET per_second = ?2, ramp_up = ?3 WHERE number = ?1",
            .int(campaign),
            .int(pace?.perSecond),
            .int(pace?.rampUp ?? 0)
        )
        let rate = pace.map { JSONValue.number(JSONNumber($0.perSecond)) } ?? .null
        try note(.changed, campaign: campaign, by: actor, ["per_second": rate], now: now)
        try bumpRevision()
        return .done(facts)
    }
}

/// A part with its new end.
private struct PartEnd {
    var number: UInt32
    var releaseAt: Timestamp
    var end: Timestamp
}

extension NewEnd {
    /// The end of the campaign: the latest end of its parts; `self` if it has no parts.
    fileprivate func last(of parts: [PartEnd]) -> NewEnd {
        parts.map(\.end).max().map { .at($0) } ?? self
    }
}

extension LedgerReader {
    /// The time zones of a campaign's parts, with nil for devices without one; empty if it is not split by time zone.
    public func partZones(campaign: UInt32) throws(LedgerError) -> [String?] {
        let rows = try db.rows(
            "SELECT time_zone FROM parts WHERE campaign = ?1 AND expires_at > 0 ORDER BY part",
            .int(campaign)
        )
        return try rows.map { $0.optionalText("time_zone") }
    }

    /// The parts with their new ends; empty if the parts have no ends of their own.
    ///
    /// A part whose zone `end` lacks keeps its end.
    fileprivate func partEnds(campaign: UInt32, _ end: NewEnd) throws(LedgerError) -> [PartEnd] {
        let rows = try db.rows(
            """
            SELECT part, time_zone, release_at, expires_at FROM parts
            WHERE campaign = ?1 AND expires_at > 0 ORDER BY part
            """,
            .int(campaign)
        )
        var parts: [PartEnd] = []
        while try rows.next() {
            var part = PartEnd(
                number: rows.uint32("part"),
                releaseAt: rows.time("release_at"),
                end: rows.time("expires_at")
            )
            switch end {
            case .at(let instant): part.end = instant
            case .byZone(let ends): part.end = ends[rows.optionalText("time_zone") ?? ""] ?? part.end
            }
            parts.append(part)
        }
        return parts
    }
}
