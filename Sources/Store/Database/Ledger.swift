public import Campaigns
public import Delivery
import Logging

/// The record of campaigns, shards and outcomes in a SQLite file or a PostgreSQL database that several processes share.
///
/// One thread runs all writes of a process: it takes the bodies that are waiting and commits them as one transaction.
/// Reads run on a pool beside it and see the last commit. All methods may be called from any thread.
public final class Ledger: Sendable {
    /// The ledger's location: the file, or the database's URL without user, password and options.
    public var path: String { driver.location }
    /// Identifies this ledger, for example in a refusal of a job that names a list of another one.
    public let storeID: String

    let driver: any LedgerDriver
    private let writer: LedgerWriter

    init(
        _ driver: any LedgerDriver,
        storeID: String,
        logger: Logger,
        runner: any WriterRunner = WriterThread()
    ) {
        self.storeID = storeID
        self.driver = driver
        writer = LedgerWriter(driver, logger: logger, runner: runner)
    }

    /// The current instant on the time that all workers share; every stored or compared instant is on that time.
    ///
    /// It advances by the monotonic clock from the last reading: the database server's clock with each transaction, or
    /// a file's anchor once a second (`ServerClock`, `HostAnchor`). Costs no I/O and no lock.
    public func now() -> Timestamp { driver.clock.now() }

    /// The number of times that the shared time was set at once, as far as this process knows.
    ///
    /// A synced body knows of all of them. One that finds another number than its caller did has instants of the time
    /// before, and had better get new ones.
    public var timeSteps: Int { driver.clock.steps }

    /// The distance of this host's wall clock from the shared time, and what a worker here may do.
    public var standing: ClockStanding {
        let clock = driver.clock
        return ClockStanding(skew: WallClock.now().milliseconds - clock.now().milliseconds, source: clock.source)
    }

    /// The metrics of this process's writes.
    public var metrics: LedgerMetrics { writer.metrics }

    /// The failures that a commit survives.
    public enum Durability: Sendable {
        /// Survives a crash of the process; a power loss may undo the last commits. For claims and progress.
        ///
        /// A body that writes into an outbox, of shards or of events, is synced nevertheless: what is published must
        /// not be unknown to the ledger afterwards. It runs twice then, so it had better say `synced`.
        case normal
        /// Survives a power loss too, and so does everything that was committed before. For what is published or
        /// acked next: acceptance, cuts, settlement, an operator's orders.
        case synced
    }

    /// The rows that a body may change.
    public enum WriteScope: Sendable {
        /// Anything.
        case ledger
        /// The rows of the shards that it names, their retry shards and events: claims, progress, settlements,
        /// confirms.
        ///
        /// On PostgreSQL such bodies of several workers run concurrently; all others run alone. This is a hint: a body
        /// that turns out to change more is run again, alone.
        case shards
    }

    /// The priority of a body, the highest one first.
    public enum Priority: Sendable, Comparable {
        /// Before all waiting bodies; the current transaction ends early. For rare bodies that somebody waits for and
        /// that do not depend on anything submitted before them.
        case ahead
        /// As soon as the writer is free.
        case atOnce
        /// A few milliseconds later (`CommitPause.least`), with the bodies that arrive meanwhile: for work that writes
        /// again and again and waits for each write.
        case withOthers
        /// With what a worker's bulk sending brings meanwhile, for as long as the worker gathers (`CommitPause`).
        case bulk
    }

    /// Runs a body in a write transaction.
    ///
    /// The body may share its transaction with others, and it runs a second time if one of those fails. So it must have
    /// no effect outside the transaction. An error that it throws rolls back this body only.
    ///
    /// - Parameters:
    ///   - durability: One `synced` body makes its whole transaction synced.
    ///   - priority: One `atOnce` body takes all waiting bodies along; `ahead` bodies do not.
    ///   - scope: The rows that the body may change.
    ///   - caller: The submitting function, for the metrics.
    ///   - body: Runs on the writer's thread.
    ///   - completion: Called once on the writer's thread, after the commit; it must hand over and return.
    public func submit<T: Sendable>(
        _ durability: Durability = .normal,
        priority: Priority = .atOnce,
        scope: WriteScope = .ledger,
        caller: StaticString = #function,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, LedgerError>) -> Void
    ) {
        writer.submit(
            LedgerWriter.Job(
                durability: durability,
                priority: priority,
                scope: scope,
                caller: caller,
                body: { transaction in
                    let value = try body(transaction)
                    return { completion(.success(value)) }
                },
                fail: { completion(.failure($0)) }
            )
        )
    }

    /// Commits as soon as the writer is free what waits for others, because somebody has to wait for it now.
    public func hurry() { writer.hurry() }

    /// Runs a body in a write transaction, as `submit` does, for the control plane.
    @discardableResult
    public func write<T: Sendable>(
        _ durability: Durability = .normal,
        priority: Priority = .atOnce,
        scope: WriteScope = .ledger,
        caller: StaticString = #function,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            submit(durability, priority: priority, scope: scope, caller: caller, body) { waiter.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Runs a body in one read transaction, which sees one state of the ledger throughout.
    ///
    /// A long read keeps the write-ahead log from being reset, so reads that take over 100 ms must be paged.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (LedgerReader) throws -> T
    ) async throws(LedgerError) -> T {
        do throws(LedgerError) {
            return try await driver.read(body)
        } catch {
            throw writer.isClosed ? .closed : error
        }
    }

    /// Finishes all submitted bodies and closes the connections; later calls fail with `closed`.
    public func close() async {
        await writer.close()
    }
}

/// A write transaction; valid only inside the body that receives it.
public struct LedgerTransaction {
    let db: any LedgerConnection
    /// True if the commit of this transaction survives a power loss.
    let isSynced: Bool

    /// Demands that the commit survive a power loss; for a body that learns of this need only while it runs.
    ///
    /// An unsynced transaction is rolled back, and all its bodies run again in a synced one. Callers do not notice.
    func requireSynced() throws(LedgerError) {
        guard isSynced else { throw .unsynced }
    }

    /// The queries; they see the transaction's own writes.
    public var reader: LedgerReader { LedgerReader(db: db) }
}

/// A read transaction; valid only inside the body that receives it.
public struct LedgerReader {
    let db: any LedgerConnection
}
