public import Campaigns
public import Delivery

/// The outcomes of campaigns for lists and curves, which show many campaigns or many moments.
extension LedgerReader {
    /// The outcomes of a completed campaign as its history has them, without counting its shards.
    ///
    /// Nil before the end, and for a campaign that a worker of an earlier version completed.
    public func completedOutcomes(of number: UInt32) throws(LedgerError) -> OutcomeCounts? {
        let rows = try db.rows(
            """
            SELECT h.data FROM history h WHERE h.campaign = ?1 AND h.kind = \(HistoryEntry.Kind.completed.sql)
            ORDER BY h.seq DESC LIMIT 1
            """,
            .int(number)
        )
        guard try rows.next(), let data = JSONReader.read(Array(rows.text("data").utf8)).value,
            data[Outcome.accepted.name] != nil
        else { return nil }
        var counts = OutcomeCounts()
        for outcome in Outcome.allCases { counts[outcome] = data[outcome.name]?.integer.map { Int($0) } ?? 0 }
        return counts
    }

    /// The outcomes of a campaign, counted over its shards.
    public func countedOutcomes(of facts: CampaignFacts) throws(LedgerError) -> OutcomeCounts {
        var counters = Counters()
        try countOutcomes(facts, &counters)
        return counters.counts
    }

    /// The devices of a campaign's settled shards by the time of their settlement; nil if there is no such campaign.
    ///
    /// Devices that were never in a shard are not in it: duplicates, and those left when the campaign ended.
    public func rateCurve(campaign number: UInt32, now: Timestamp) throws(LedgerError) -> RateCurve? {
        let times = try db.rows(
            "SELECT accepted_at, started_at, completed_at FROM campaigns WHERE number = ?1",
            .int(number)
        )
        guard try times.next() else { return nil }
        let start = times.optionalTime("started_at") ?? times.time("accepted_at")
        var curve = RateCurve(from: start, until: times.optionalTime("completed_at") ?? now)
        let rows = try db.rows(
            """
            SELECT (s.since - ?2) / ?3 AS point, \(OutcomeSums.columns) FROM shards s
            WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled)) GROUP BY 1 ORDER BY 1
            """,
            .int(number),
            .time(curve.beginsAt),
            .integer(curve.step * 1000)
        )
        while try rows.next() { curve.add(OutcomeSums.counts(rows), to: rows.int("point")) }
        return curve
    }
}

extension LedgerTransaction {
    /// Writes a campaign's completion with its outcomes, which do not change any more; those of no device are left out,
    /// except for `accepted`.
    func noteCompletion(
        of campaign: UInt32,
        _ stage: CampaignStage,
        _ counts: OutcomeCounts,
        now: Timestamp
    ) throws(LedgerError) {
        func devices(_ count: Int) -> JSONValue? { count == 0 ? nil : .number(JSONNumber(count)) }
        let data: KeyValuePairs<String, JSONValue?> = [
            "state": .string(stage.rawValue), "accepted": .number(JSONNumber(counts.accepted)),
            "invalid": devices(counts.invalid), "failed": devices(counts.failed), "expired": devices(counts.expired),
            "superseded": devices(counts.superseded), "cancelled": devices(counts.cancelled),
            "skipped": devices(counts.skipped),
        ]
        try note(.completed, campaign: campaign, data, now: now)
    }
}
