import GRDB
import Synchronization

/// A ledger in a file that several processes of one host may share; one of them writes at a time.
final class SQLiteDriver: LedgerDriver {
    private let pool: DatabasePool
    /// The writing connection's `synchronous` setting; used only on the writer's thread.
    private let isFull = Atomic(false)
    private let time = SQLiteClock()

    init(_ pool: DatabasePool) {
        self.pool = pool
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
                    if time.isCheckDue { try time.check(db, isNoting: true) }
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
            return try await pool.read { [time] db in
                if time.isKept { try time.refresh(db) }
                return try body(LedgerReader(db: db))
            }
        } catch { throw LedgerError(error, path: location) }
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
