public import Campaigns
public import Delivery

/// A campaign's outcomes for lists and curves, without all the rest of its status.
extension LedgerReader {
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
