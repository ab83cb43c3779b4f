import GRDB
import Synchronization

/// A ledger in a file that several processes of one host may share; one of them writes at a time.
final class SQLiteDriver: LedgerDriver {
    private let pool: DatabasePool
    private let readsOnCaller: Bool
    /// The writing connection's `synchronous` setting; used only on the writer's thread.
    private let isFull = Atomic(false)
    private let time = SQLiteClock()

    init(_ pool: DatabasePool, readsOnCaller: Bool = false) {
        self.pool = pool
        self.readsOnCaller = readsOnCaller
    }

    var clock: LedgerClock { time.clock }

    var location: String { pool.path }

    func transact(
        _ needs: TransactionNeeds,
        _ body: (LedgerTransaction) throws -> Void
    ) throws(LedgerError) {
        do {
            // The body runs on the calling thread: the pool's queue only keeps others out.
            try pool.writeWithoutTransaction { db in
                do {
                    try setSynchronous(needs.isSynced, db)
                    try db.run("BEGIN IMMEDIATE")
                    if time.isCheckDue {
                        try time.check(db, isNoting: true)
                    } else if needs.isSynced {
                        try time.refresh(db, atOnce: true)
                    }
                    try body(LedgerTransaction(db: db, isSynced: needs.isSynced))
                    try db.run("COMMIT")
                } catch {
                    // SQLite itself has rolled back after some errors.
                    if db.isInsideTransaction { try? db.rollback() }
                    throw error
                }
            }
        } catch { throw LedgerError(error, path: location) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T {
        do {
            return readsOnCaller ? try readHere(body) : try await pool.read { [time] in try Self.read($0, time, body) }
        } catch { throw LedgerError(error, path: location) }
    }

    /// Reads on the calling thread; blocks.
    private func readHere<T>(_ body: (LedgerReader) throws -> T) throws -> T {
        try pool.read { try Self.read($0, time, body) }
    }

    private static func read<T>(
        _ db: Database,
        _ time: SQLiteClock,
        _ body: (LedgerReader) throws -> T
    ) throws -> T {
        try time.refresh(db)
        return try body(LedgerReader(db: db))
    }

    /// Sets the clock from an up-to-date ledger and keeps it right from now on; blocks.
    func keepTime() throws {
        try pool.writeWithoutTransaction { try time.check($0, isNoting: false) }
        time.keep()
    }

    func close() throws(LedgerError) {
        do { try pool.close() } catch { throw LedgerError(error, path: location) }
    }

    /// Sets `synchronous` before a transaction, because the pragma has no effect inside one.
    private func setSynchronous(_ full: Bool, _ db: Database) throws(LedgerError) {
        guard isFull.load(ordering: .relaxed) != full else { return }
        try db.run(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isFull.store(full, ordering: .relaxed)
    }
}
