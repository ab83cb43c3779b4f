public import Campaigns
public import Delivery

/// The jobs that servers have published, for the answer to a repeat before a worker's verdict (`SentJob`).
extension LedgerTransaction {
    /// Notes a published job; another one under its key is forgotten.
    public func note(_ sent: SentJob, app: String, id: String) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO sent_jobs (app, id, identity, at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (app, id) DO UPDATE SET identity = excluded.identity, at = excluded.at
            """,
            .text(app),
            .text(id),
            .blob(sent.identity),
            .time(sent.at)
        )
    }

    /// Removes some jobs that are no longer remembered; returns the number of removed rows.
    public func purgeSentJobs(now: Timestamp, max: Int = 500) throws(LedgerError) -> Int {
        try db.run(
            "DELETE FROM sent_jobs WHERE (app, id) IN (SELECT app, id FROM sent_jobs WHERE at < ?1 LIMIT ?2)",
            .time(now.advanced(by: .zero - SentJob.time)),
            .int(max)
        )
    }
}

extension LedgerReader {
    /// The last job that a server has published under a key; nil if there is none.
    public func sentJob(app: String, id: String) throws(LedgerError) -> SentJob? {
        let rows = try db.rows("SELECT identity, at FROM sent_jobs WHERE app = ?1 AND id = ?2", .text(app), .text(id))
        return try rows.next() ? SentJob(identity: rows.blob("identity"), at: rows.time("at")) : nil
    }
}
