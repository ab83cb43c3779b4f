import GRDB
import Logging
import Synchronization

/// The one writer of a process: runs all bodies that are waiting in one transaction and never waits for company.
final class LedgerWriter: Sendable {
    /// A body and whom to tell.
    struct Job: Sendable {
        let durability: Ledger.Durability
        /// Returns what to call after the commit.
        let body: @Sendable (LedgerTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (LedgerError) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isScheduled = false
        var isClosed = false
    }

    private let pool: DatabasePool
    private let logger: Logger
    private let state = Mutex(State())
    /// What the connection's `synchronous` stands at; touched on the writer's queue only.
    private let isFull = Atomic(false)

    init(pool: DatabasePool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func submit(_ job: Job) {
        let (isRefused, mustSchedule) = state.withLock { state in
            if state.isClosed { return (true, false) }
            state.waiting.append(job)
            defer { state.isScheduled = true }
            return (false, !state.isScheduled)
        }
        if isRefused { job.fail(.closed) }
        if mustSchedule { pool.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    /// Refuses what comes from now on; returns when all that came before is done and the file is closed.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            // Behind the last drain on the same queue.
            pool.asyncWriteWithoutTransaction { _ in waiter.resume() }
        }
        do { try pool.close() } catch { logger.warning("closing the ledger: \(error)") }
    }

    private func drain(_ db: Database) {
        while true {
            let jobs = state.withLock { state in
                if state.waiting.isEmpty { state.isScheduled = false }
                defer { state.waiting = [] }
                return state.waiting
            }
            if jobs.isEmpty { return }
            run(jobs, db)
        }
    }

    private func run(_ jobs: [Job], _ db: Database) {
        do {
            let completions = try commit(jobs, db)
            for completion in completions { completion() }
        } catch  where jobs.count > 1 && error.isOfOneBody {
            // One of them failed, so none was written: each gets a transaction of its own.
            for job in jobs { run([job], db) }
        } catch {
            for job in jobs { job.fail(error) }
        }
    }

    private func commit(_ jobs: [Job], _ db: Database) throws(LedgerError) -> [@Sendable () -> Void] {
        let transaction = LedgerTransaction(db: db)
        var completions: [@Sendable () -> Void] = []
        completions.reserveCapacity(jobs.count)
        do {
            try setSynchronous(jobs.contains { $0.durability == .synced }, db)
            try db.run("BEGIN IMMEDIATE")
            for job in jobs { completions.append(try job.body(transaction)) }
            try db.run("COMMIT")
        } catch {
            // SQLite has rolled back by itself after some errors.
            if db.isInsideTransaction { try? db.rollback() }
            throw LedgerError(error, path: pool.path)
        }
        return completions
    }

    /// PRAGMA synchronous does nothing within a transaction, so it is chosen before.
    private func setSynchronous(_ full: Bool, _ db: Database) throws(LedgerError) {
        guard isFull.load(ordering: .relaxed) != full else { return }
        try db.run(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isFull.store(full, ordering: .relaxed)
    }
}

extension LedgerError {
    /// Whether the same transaction without one of its bodies could succeed.
    fileprivate var isOfOneBody: Bool {
        switch self {
        case .busy, .closed, .damaged, .readOnly, .unreachable: false
        default: true
        }
    }
}
