public import Campaigns
public import Delivery

/// When a campaign ends from now on.
public enum NewEnd: Sendable, Equatable {
    /// At an instant, all its parts too.
    case at(Timestamp)
    /// Each part at an instant of its own, by time zone ("" for devices that say none).
    case byZone([String: Timestamp])
}

/// What an operator changes of a campaign that is not over. What lies in queues learns of it when it is claimed.
extension LedgerTransaction {
    /// Gives a campaign another end (use `synced`).
    ///
    /// Shards that are claimed from now on have it, with what the provider is told; those that run are handed over at the
    /// next poll. What counted from the release counts no longer: the end is an instant now.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - end: The end.
    ///   - storage: How long its provider keeps a push at most.
    ///   - actor: Who wants it, for the history.
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
                let places = range.indices.map { "?\($0 - range.lowerBound + 3)" }
                try db.run(
                    """
                    UPDATE parts SET expires_at = ?2 WHERE campaign = ?1 AND part IN (\(places.joined(separator: ", ")))
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
    /// What is published from now on goes there; what is in a queue, on a rung or with a worker finishes where it is.
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

    /// Gives a campaign another rate, or none (use `synced`); turns that were given away stay.
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

/// A part with the end that it is to get.
private struct PartEnd {
    var number: UInt32
    var releaseAt: Timestamp
    var end: Timestamp
}

extension NewEnd {
    /// The campaign's: that of the part that ends last; `byZone` of one that has no parts.
    fileprivate func last(of parts: [PartEnd]) -> NewEnd {
        parts.map(\.end).max().map { .at($0) } ?? self
    }
}

extension LedgerReader {
    /// The time zones of a campaign's parts, nil among them for devices that say none; none when it is not cut by those.
    public func partZones(campaign: UInt32) throws(LedgerError) -> [String?] {
        let rows = try db.rows(
            "SELECT time_zone FROM parts WHERE campaign = ?1 AND expires_at > 0 ORDER BY part",
            .int(campaign)
        )
        var zones: [String?] = []
        while try rows.next() { zones.append(rows.optionalText(0)) }
        return zones
    }

    /// None for a campaign whose parts have no ends of their own; a part whose zone `end` does not name keeps its own.
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
            var part = PartEnd(number: rows.uint32(0), releaseAt: rows.time(2), end: rows.time(3))
            switch end {
            case .at(let instant): part.end = instant
            case .byZone(let ends): part.end = ends[rows.optionalText(1) ?? ""] ?? part.end
            }
            parts.append(part)
        }
        return parts
    }
}
