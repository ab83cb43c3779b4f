public import Campaigns
import Delivery
public import PushProviders

/// The slots that each provider's quota has given away, for all senders of its holder.
extension LedgerTransaction {
    /// Counts requests that were made without a slot: urgent ones, and others that could not be made to wait.
    ///
    /// Requests with slots then wait longer.
    ///
    /// - Parameters:
    ///   - quota: The quota.
    ///   - requests: The number of requests.
    ///   - now: The clock that all workers share.
    public func charge(_ quota: ProviderQuota, requests: Int, now: Timestamp) throws(LedgerError) {
        var line = try quotaLine(quota)
        Pacing.charge(requests, to: &line, now: now)
        try writeQuotaLine(quota, line)
    }

    /// The line of a quota, locked because planners of other campaigns give turns away on the same line.
    func quotaLine(_ quota: ProviderQuota) throws(LedgerError) -> PaceLine {
        let rows = try db.rows("SELECT first, next FROM quotas WHERE key = ?1", .text(quota.key), locking: .untilCommit)
        guard try rows.next() else { return PaceLine(pace: Pace(quota)) }
        return PaceLine(pace: Pace(quota), first: rows.int64("first"), next: rows.int64("next"))
    }

    func writeQuotaLine(_ quota: ProviderQuota, _ line: PaceLine) throws(LedgerError) {
        guard let first = line.first else { return }
        try db.run(
            """
            INSERT INTO quotas (key, first, next) VALUES (?1, ?2, ?3)
            ON CONFLICT (key) DO UPDATE SET first = excluded.first, next = excluded.next
            """,
            .text(quota.key),
            .int(first),
            .int(line.next)
        )
    }
}
