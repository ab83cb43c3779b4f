public import Campaigns
public import Delivery

extension LedgerReader {
    /// The devices on each rung of the retry ladder, of all campaigns; rungs without any are left out.
    public func rungWaits() throws(LedgerError) -> [Rung: RetryWait] {
        let rows = try db.rows(
            """
            SELECT s.rung, s.retry_reasons, count(*) AS rows, sum(s.count) AS devices, min(s.due_at) AS first_due,
                max(s.due_at) AS last_due
            FROM \(ShardRows.open) WHERE \(ShardRows.isIn(.unpublished, .out)) AND s.child > 0 AND s.rung IS NOT NULL
            GROUP BY s.rung, s.retry_reasons
            """
        )
        var waits: [Rung: RetryWait] = [:]
        while try rows.next() {
            guard let rung: Rung = rows.value("rung") else { continue }
            let devices = rows.int("devices")
            let reasons = ReasonCounts.counts(
                rows.optionalText("retry_reasons"),
                times: rows.int("rows"),
                of: devices
            )
            var wait = RetryWait()
            wait.add(devices, reasons: reasons, due: rows.optionalTime("first_due"))
            wait.extend(to: rows.optionalTime("last_due"))
            waits[rung, default: RetryWait()] += wait
        }
        return waits
    }
}
