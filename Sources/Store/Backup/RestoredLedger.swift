import Campaigns
import Delivery

/// What a restored ledger begins with.
public struct RestoredLedger: Sendable, Equatable {
    /// Where it is: the file, or the database's URL without user and password.
    public var path: String
    /// Shards that were on their way when the backup was made, and are published anew.
    public var shards: Int
    /// The devices in them.
    public var devices: Int
    /// Where the ledger is that was there before; nil when there was none, or when the database's tools took its place.
    public var replaced: String?
}

extension LedgerBackup {
    /// Above all generations that rows had reached when the ledger was lost: 20 set-asides a shard would be many.
    static let generationsSkipped = 1000
    /// Above all campaigns, workers and events between the backup and the loss.
    static let numbersSkipped = 1_000_000
}

extension LedgerTransaction {
    /// Tells a restored ledger apart from the one that was lost: the broker still has messages of the time after the
    /// backup, and a worker of that time may wake up.
    ///
    /// Generations rise above all that were given, so that every such message of a known shard is a superseded copy, and
    /// epochs, so that an earlier run's writes are refused. Numbers of campaigns begin above those that were given, so
    /// that a shard of a campaign that the backup does not know is parked; those of events are parts of ids by which
    /// their readers tell repeats. What was on its way is published anew: so many shards, with so many devices.
    ///
    /// `now` is asked when no worker is known any more.
    func tellApart(now: () throws(LedgerError) -> Timestamp) throws(LedgerError) -> (shards: Int, devices: Int) {
        let onTheirWay = try onTheirWay()
        try db.run(
            """
            UPDATE shards SET generation = generation + ?1, epoch = epoch + 1, owner = 0, claims = 0, deaths = 0,
                aside = CASE WHEN \(Self.isOnItsWay) THEN ?2 ELSE aside END,
                state = CASE WHEN \(Self.isOnItsWay) THEN ?3 ELSE state END
            WHERE state <> ?4
            """,
            .int(LedgerBackup.generationsSkipped),
            .text(AsideReason.handOver.rawValue),
            .int(ShardState.aside.rawValue),
            .int(ShardState.settled.rawValue)
        )
        try db.run("UPDATE campaigns SET lease_owner = 0, lease_until = 0")
        try db.run("UPDATE breakers SET probe = NULL, probe_owner = 0, probe_until = NULL")
        try db.run("DELETE FROM worker_apps")
        try db.run("DELETE FROM workers")
        // Runs between the backup and now may have been made and sent. They were made by the shared time, which on a host
        // whose clock was set is not the host's.
        try db.run("UPDATE repeats SET restored_at = ?1", .time(try now()))
        for (table, column) in [("campaigns", "number"), ("workers", "id"), ("events", "seq")] {
            try skipNumbers(of: table, column)
        }
        try bumpRevision()
        return onTheirWay
    }

    /// Rows whose messages may be anywhere.
    private static let isOnItsWay = ShardRows.isIn(.unpublished, .out, .running, rows: "")

    private func onTheirWay() throws(LedgerError) -> (shards: Int, devices: Int) {
        let open = try db.rows("SELECT count(*), coalesce(sum(count), 0) FROM shards WHERE \(Self.isOnItsWay)")
        guard try open.next() else { throw .failed("a count without a row") }
        return (open.int(0), open.int(1))
    }

    /// The next row of a table gets a number far above those that the lost ledger may have given.
    private func skipNumbers(of table: String, _ column: String) throws(LedgerError) {
        let skipped = SQLValue.int(LedgerBackup.numbersSkipped)
        switch db {
        case .sqlite:
            // A table that never had a row has no number yet either.
            try db.run(
                """
                INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0
                WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
                """,
                .text(table)
            )
            try db.run("UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1", .text(table), skipped)
        #if PostgreSQL
        case .postgreSQL:
            let sequence = "pg_get_serial_sequence('\(table)', '\(column)')"
            _ = try db.number("SELECT setval(\(sequence), nextval(\(sequence)) + ?1)", skipped)
        #endif
        }
    }
}
