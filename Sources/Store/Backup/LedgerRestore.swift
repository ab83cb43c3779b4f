import GRDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension LedgerBackup {
    /// Replaces a ledger with a backup; blocks.
    ///
    /// The restored ledger is told apart from the lost one (`LedgerTransaction.tellApart`), because the broker still
    /// has messages from the time after the backup.
    ///
    /// The old ledger is kept beside it under another name. Refused while a process has it open. A dry run changes
    /// nothing.
    public static func restore(
        _ file: String,
        to path: String,
        isDryRun: Bool = false
    ) throws(BackupError) -> RestoredLedger {
        guard access(file, F_OK) == 0 else { throw .ledger(.missing(path: file)) }
        try check(file)
        let partial = "\(path).partial-\(getpid())"
        defer { unlink(partial) }
        try copy(file, to: partial)
        let (shards, devices) = try tellApart(partial)
        var restored = RestoredLedger(path: path, shards: shards, devices: devices, replaced: nil)
        if isDryRun { return restored }
        if access(path, F_OK) == 0 {
            try leave(path)
            restored.replaced = try moveAway(path)
        }
        guard rename(partial, path) == 0 else { throw .file(path: path, detail: String(cString: strerror(errno))) }
        return restored
    }

    private static func tellApart(_ partial: String) throws(BackupError) -> (shards: Int, devices: Int) {
        do {
            let copy = try DatabaseQueue(path: partial)
            // A backup of an earlier version lacks tables that are written below.
            try SQLiteSchema.migrator.migrate(copy)
            let restored = try copy.write { db in
                try LedgerTransaction(db: db, isSynced: true)
                    .tellApart { () throws(LedgerError) in try SQLiteClock.now(of: db) }
            }
            try copy.close()
            return restored
        } catch {
            throw .ledger(LedgerError(error, path: partial))
        }
    }

    /// Merges the old ledger into one file, which only its sole user can do; leaves a damaged one as it is.
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
            // The old ledger is unreadable: its files are moved away together with its log.
            return
        }
    }

    private static func moveAway(_ path: String) throws(BackupError) -> String {
        var number = 1
        while access("\(path).before-restore-\(number)", F_OK) == 0 { number += 1 }
        let location = "\(path).before-restore-\(number)"
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, location + suffix) == 0 else {
                throw .file(path: path + suffix, detail: String(cString: strerror(errno)))
            }
        }
        return location
    }
}
