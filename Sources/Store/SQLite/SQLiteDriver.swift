import GRDB
import Synchronization

/// A ledger in a file, which several processes of one host may share: one of them writes at a time.
final class SQLiteDriver: LedgerDriver {
    private let pool: DatabasePool
    /// What the writing connection's `synchronous` stands at; touched on the writer's thread only.
    private let isFull = Atomic(false)
    private let time = SQLiteClock()

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    var clock: LedgerClock { time.clock }

    var place: String { pool.path }

    func transact(
        _ needs: TransactionNeeds,
        _ body: (LedgerTransaction) throws -> Void
    ) throws(LedgerError) {
        do {
            // On the calling thread: the pool's own queue only keeps others out.
            try pool.writeWithoutTransaction { db in
                do {
                    try setSynchronous(needs.isSynced, db)
                    try db.run("BEGIN IMMEDIATE")
                    if time.isLookDue { try time.look(db, isNoting: true) }
                    try body(LedgerTransaction(db: .sqlite(db), isSynced: needs.isSynced))
                    try db.run("COMMIT")
                } catch {
                    // SQLite has rolled back by itself after some errors.
                    if db.isInsideTransaction { try? db.rollback() }
                    throw error
                }
            }
        } catch { throw LedgerError(error, path: place) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T {
        do {
            return try await pool.read { [time] db in
                if time.isKept { try time.refresh(db) }
                return try body(LedgerReader(db: .sqlite(db)))
            }
        } catch { throw LedgerError(error, path: place) }
    }

    /// Sets the clock by the ledger, whose tables are up to date, and keeps it so; blocks.
    func keepTime() throws {
        try pool.writeWithoutTransaction { try time.look($0, isNoting: false) }
        time.keep()
    }

    func close() throws(LedgerError) {
        do { try pool.close() } catch { throw LedgerError(error, path: place) }
    }

    /// PRAGMA synchronous does nothing within a transaction, so it is chosen before.
    private func setSynchronous(_ full: Bool, _ db: Database) throws(LedgerError) {
        guard isFull.load(ordering: .relaxed) != full else { return }
        try db.run(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isFull.store(full, ordering: .relaxed)
    }
}
