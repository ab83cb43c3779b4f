import Campaigns
import Delivery

/// The facts about a restored ledger.
public struct RestoredLedger: Sendable, Equatable {
    /// The ledger's location: the file, or the database's URL without user and password.
    public var path: String
    /// Shards that were on their way when the backup was made; they are published anew.
    public var shards: Int
    /// The devices in these shards.
    public var devices: Int
    /// The new location of the replaced ledger; nil if there was none, or if the database's own tools replaced it.
    public var replaced: String?
}

extension LedgerBackup {
    /// More than the generations that any row gained before the loss: even 20 set-asides of a shard would be many.
    static let generationsSkipped = 1000
    /// More than the campaigns, workers and events between the backup and the loss.
    static let numbersSkipped = 1_000_000
}

extension LedgerTransaction {
    /// Tells a restored ledger apart from the lost one; returns the numbers of shards and devices that are published
    /// anew.
    ///
    /// The broker still has messages from the time after the backup, and a worker of that time may wake up. So numbers
    /// rise above all those that the lost ledger may have given:
    /// - generations, so that each such message of a known shard is a superseded copy;
    /// - epochs, so that writes of an earlier run are refused;
    /// - numbers of campaigns, so that a shard of a campaign that the backup does not know is parked;
    /// - numbers of events, which are part of the ids by which readers detect repeats.
    ///
    /// Shards that were on their way are published anew. `now` is called after all workers are removed.
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
            .int(ShardState.settled.rawValue),
            scope: .shards
        )
        try db.run("UPDATE campaigns SET lease_owner = 0, lease_until = 0")
        try db.run("UPDATE audience_ranges SET owner = 0, lease_until = 0")
        try db.run("UPDATE breakers SET probe = NULL, probe_owner = 0, probe_until = NULL")
        try db.run("DELETE FROM worker_apps")
        try db.run("DELETE FROM workers")
        // Runs between the backup and now may have been made and sent. They were made by the shared time, which differs
        // from the host's clock if that was set.
        try db.run("UPDATE repeats SET restored_at = ?1", .time(try now()))
        for (table, column) in [("campaigns", "number"), ("workers", "id"), ("events", "seq")] {
            try db.skipNumbers(of: table, column: column, count: LedgerBackup.numbersSkipped)
        }
        try bumpRevision()
        return onTheirWay
    }

    /// The condition for rows whose messages may be anywhere.
    private static let isOnItsWay = ShardRows.isIn(.unpublished, .out, .running, rows: "")

    private func onTheirWay() throws(LedgerError) -> (shards: Int, devices: Int) {
        let open = try db.rows(
            "SELECT count(*) AS rows, coalesce(sum(count), 0) AS devices FROM shards WHERE \(Self.isOnItsWay)"
        )
        guard try open.next() else { throw .failed("a count without a row") }
        return (open.int("rows"), open.int("devices"))
    }
}
