import Delivery
import GRDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a restored ledger begins with.
public struct RestoredLedger: Sendable, Equatable {
    /// Shards that were on their way when the backup was made, and are published anew.
    public var shards: Int
    /// Their devices without an outcome.
    public var devices: Int
    /// Where the ledger is that was there before; nil when there was none.
    public var replaced: String?
}

extension LedgerBackup {
    /// Above all generations that rows had reached when the ledger was lost: 20 set-asides a shard would be many.
    static let generationsSkipped = 1000
    /// Above all campaigns that were accepted between the backup and the loss.
    static let numbersSkipped = 1_000_000

    /// Puts a backup in a ledger's place; blocks.
    ///
    /// The broker still has messages of the time after the backup, so the restored ledger is told apart from the lost
    /// one: generations rise above all that were given, so that every such message of a known shard is a superseded
    /// copy, and numbers of campaigns begin above those that were given, so that a shard of a campaign that the backup
    /// does not know is parked. What was on its way is published anew.
    ///
    /// The ledger that was there is kept beside it under another name. Refused while a process has it open.
    public static func restore(_ file: String, to path: String) throws(BackupError) -> RestoredLedger {
        guard access(file, F_OK) == 0 else { throw .ledger(.missing(path: file)) }
        try check(file)
        let partial = "\(path).partial-\(getpid())"
        defer { unlink(partial) }
        try copy(file, to: partial)
        var restored = try tellApart(partial)
        if access(path, F_OK) == 0 {
            try leave(path)
            restored.replaced = try moveAway(path)
        }
        guard rename(partial, path) == 0 else { throw .file(path: path, detail: String(cString: strerror(errno))) }
        return restored
    }

    private static func tellApart(_ partial: String) throws(BackupError) -> RestoredLedger {
        do {
            let copy = try DatabaseQueue(path: partial)
            // A backup of an earlier version lacks tables that are written to below.
            try SQLiteSchema.migrator.migrate(copy)
            let restored = try copy.write { db in
                let open = try Row.fetchOne(
                    db,
                    sql: "SELECT count(*), coalesce(sum(count), 0) FROM shards WHERE state IN (0, 1, 2)"
                )
                try db.execute(
                    sql: """
                        UPDATE shards SET generation = generation + ?, epoch = epoch + 1, owner = 0, claims = 0,
                            aside = CASE WHEN state IN (0, 1, 2) THEN ? ELSE aside END,
                            state = CASE WHEN state IN (0, 1, 2) THEN ? ELSE state END
                        WHERE state <> 4
                        """,
                    arguments: [generationsSkipped, AsideReason.handOver.rawValue, ShardState.aside.rawValue]
                )
                try db.execute(sql: "UPDATE campaigns SET lease_owner = 0, lease_until = 0")
                try db.execute(sql: "UPDATE breakers SET probe = NULL, probe_owner = 0, probe_until = NULL")
                try db.execute(sql: "DELETE FROM worker_apps; DELETE FROM workers")
                try db.execute(
                    sql: "UPDATE sqlite_sequence SET seq = seq + ? WHERE name IN ('campaigns', 'workers')",
                    arguments: [numbersSkipped]
                )
                try db.execute(sql: "UPDATE meta SET value = value + 1 WHERE key = 'revision'")
                return RestoredLedger(shards: open?[0] ?? 0, devices: open?[1] ?? 0, replaced: nil)
            }
            try copy.close()
            return restored
        } catch {
            throw .ledger(LedgerError(error, path: partial))
        }
    }

    /// Makes one file of the old ledger, which only its sole user can; a damaged one is left as it is.
    private static func leave(_ path: String) throws(BackupError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            let old = try DatabaseQueue(path: path, configuration: configuration)
            try old.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try old.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw .inUse(path: path)
        } catch {
            // It cannot be read: what is there of it is moved away with its log.
            return
        }
    }

    private static func moveAway(_ path: String) throws(BackupError) -> String {
        var number = 1
        while access("\(path).before-restore-\(number)", F_OK) == 0 { number += 1 }
        let place = "\(path).before-restore-\(number)"
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, place + suffix) == 0 else {
                throw .file(path: path + suffix, detail: String(cString: strerror(errno)))
            }
        }
        return place
    }
}
