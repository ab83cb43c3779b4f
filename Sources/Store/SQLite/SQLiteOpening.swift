import Delivery
import Dispatch
import GRDB
public import Logging

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Ledger {
    /// Opens a ledger, creating or migrating it; blocks.
    ///
    /// Processes take turns at set-up and migration under an advisory lock on `path` + `.lock`. A file that is damaged,
    /// not a ledger, or of a later version that this one cannot work with is left as it is.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - create: True to create a missing file; otherwise it is `LedgerError.missing`.
    ///   - busyTimeout: The longest wait of a transaction for other processes' before it fails with `busy`.
    ///   - logger: Receives only problems at closing.
    public static func open(
        path: String,
        create: Bool,
        busyTimeout: Duration = .seconds(5),
        logger: Logger = Logger(label: "ledger")
    ) throws(LedgerError) -> Ledger {
        try open(path: path, create: create, busyTimeout: busyTimeout, logger: logger, threads: .own)
    }

    /// Opens a ledger that works on given threads.
    package static func open(
        path: String,
        create: Bool,
        busyTimeout: Duration = .seconds(5),
        logger: Logger,
        threads: LedgerThreads
    ) throws(LedgerError) -> Ledger {
        if !create, access(path, F_OK) != 0 { throw .missing(path: path) }
        return try withSetUpLock(path) { () throws(LedgerError) -> Ledger in
            keepPrivate(path, create: create)
            do {
                let pool = try DatabasePool(path: path, configuration: configuration(busyTimeout: busyTimeout))
                try setUp(pool, path: path)
                let storeID = try pool.read { db in
                    try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'store_id'")
                }
                let driver = SQLiteDriver(pool, readsOnCaller: threads.readsOnCaller)
                try driver.keepTime()
                return Ledger(driver, storeID: storeID ?? "", logger: logger, runner: threads.writer())
            } catch {
                throw LedgerError(error, path: path)
            }
        }
    }

    /// Returns the migrations of a ledger in a file, compared with this program's; changes nothing.
    public static func schema(path: String) throws(LedgerError) -> SchemaStanding {
        if access(path, F_OK) != 0 { throw .missing(path: path) }
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let standing = try queue.read(SQLiteSchema.standing)
            try queue.close()
            return standing
        } catch {
            throw LedgerError(error, path: path)
        }
    }

    private static func configuration(busyTimeout: Duration) -> Configuration {
        var configuration = Configuration()
        // SQLite's own time-out sleeps up to 100 ms between tries, far longer than our transactions last.
        let tries = LockTries(for: busyTimeout)
        configuration.busyMode = .callback { failed in
            guard let pause = tries.pause(after: failed) else { return false }
            usleep(UInt32(pause / .microseconds(1)))
            return true
        }
        configuration.label = "ledger"
        configuration.maximumReaderCount = 4
        configuration.foreignKeysEnabled = false
        configuration.qos = .userInitiated
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    private static func setUp(_ pool: DatabasePool, path: String) throws {
        let (tables, application) = try pool.read { db in
            // By the table's name, because the index of GRDB's own table is not called after it.
            let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT LIKE 'grdb%'")
            return (tables ?? 0, try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0)
        }
        guard tables == 0 || application == SQLiteSchema.applicationID else {
            throw LedgerError.damaged(path: path, detail: "it is a database of another program")
        }
        let standing = try pool.read(SQLiteSchema.standing)
        if standing.isTooNew { throw LedgerError.newerVersion(path: path) }
        if !standing.missing.isEmpty { try SQLiteSchema.migrator.migrate(pool) }
    }

    /// Restricts a ledger to its owner, because it has tokens of devices and keys of users.
    ///
    /// SQLite gives its log and index the file's mode. An older file is fixed if this user owns it, and left as it is
    /// otherwise.
    private static func keepPrivate(_ path: String, create: Bool) {
        if create { closeLockFile(openPrivately(path)) }
        for suffix in ["", "-wal", "-shm", ".lock"] {
            var status = stat()
            guard stat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0, status.st_uid == geteuid() else {
                continue
            }
            chmod(path + suffix, 0o600)
        }
    }

    private static func withSetUpLock<T>(
        _ path: String,
        _ body: () throws(LedgerError) -> T
    ) throws(LedgerError) -> T {
        let descriptor = openPrivately(path + ".lock")
        guard descriptor >= 0 else { throw .unreachable(path: path, detail: String(cString: strerror(errno))) }
        defer { closeLockFile(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .unreachable(path: path, detail: String(cString: strerror(errno))) }
        }
        return try body()
    }
}

private func closeLockFile(_ descriptor: Int32) {
    close(descriptor)
}

/// Opens a file, creating a missing one for its owner only; an existing file is left as it is.
private func openPrivately(_ path: String) -> Int32 {
    open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
}
