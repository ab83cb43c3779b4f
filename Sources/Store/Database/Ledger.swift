public import Campaigns
public import Delivery
import Logging

/// The record of campaigns, shards and outcomes, in a SQLite file or a PostgreSQL database; several processes share it.
///
/// Writes of a process run on one thread, which takes whatever is waiting and commits it as one transaction; reads run
/// on a pool beside it and see the last commit. All methods may be called from any thread.
public final class Ledger: Sendable {
    /// Where it is: the file, or the database's URL without user, password and options.
    public var path: String { driver.place }
    /// Tells this ledger from others, for example in a refusal of a job that names a list it does not have.
    public let storeID: String

    let driver: any LedgerDriver
    private let writer: LedgerWriter

    init(_ driver: any LedgerDriver, storeID: String, logger: Logger) {
        self.storeID = storeID
        self.driver = driver
        writer = LedgerWriter(driver, logger: logger)
    }

    /// The instant on the time that all workers share; every instant that is stored or compared is one.
    ///
    /// It goes on by the monotonic clock from what was heard last: of the database server's clock with each transaction,
    /// of a file's anchor once a second (`ServerClock`, `HostAnchor`). Costs no I/O and no lock.
    public func now() -> Timestamp { driver.clock.now() }

    /// How far this host's wall clock is from the shared time, and what a worker here may do.
    public var standing: ClockStanding {
        let clock = driver.clock
        return ClockStanding(skew: WallClock.now().milliseconds - clock.now().milliseconds, source: clock.source)
    }

    /// What this process has written.
    public var metrics: LedgerMetrics { writer.metrics }

    /// How long a commit lasts.
    public enum Durability: Sendable {
        /// Survives a crash of the process; a power loss may take the last ones. For claims and progress.
        case normal
        /// Survives a power loss as well. For acceptance, settlement and an operator's orders.
        case synced
    }

    /// What a body may change.
    public enum Reach: Sendable {
        /// Anything.
        case ledger
        /// The rows of the shards that it names, their retry shards and events: claims, progress, settlements, confirms.
        ///
        /// On PostgreSQL such bodies of several workers run beside each other, all others alone. It is a hint: a body
        /// that turns out to change more is run again, alone.
        case shards
    }

    /// How soon a body is written.
    public enum Priority: Sendable {
        /// Before all that wait, and what is being written ends early: for what somebody waits for, seldom enough, and
        /// that depends on nothing that was submitted before it.
        case ahead
        /// As soon as the writer is free.
        case atOnce
        /// A few milliseconds later, if need be, with what comes meanwhile: for what bulk sending writes all the time.
        case withOthers
    }

    /// Runs a body in a write transaction.
    ///
    /// The body may share its transaction with others and may run a second time when one of those fails: it must have
    /// no effect besides the transaction's. What it throws rolls back nothing but itself.
    ///
    /// - Parameters:
    ///   - durability: One `synced` body makes its whole transaction synced.
    ///   - priority: One `atOnce` body takes all that wait along; those that go `ahead` do not.
    ///   - reach: What the body may change.
    ///   - caller: Who submits it, for the figures.
    ///   - body: Runs on the writer's thread.
    ///   - completion: Called once on the writer's thread, after the commit: hand over and return.
    public func submit<T: Sendable>(
        _ durability: Durability = .normal,
        priority: Priority = .atOnce,
        reach: Reach = .ledger,
        caller: StaticString = #function,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, LedgerError>) -> Void
    ) {
        writer.submit(
            LedgerWriter.Job(
                durability: durability,
                priority: priority,
                reach: reach,
                caller: caller,
                body: { transaction in
                    let value = try body(transaction)
                    return { completion(.success(value)) }
                },
                fail: { completion(.failure($0)) }
            )
        )
    }

    /// Runs a body in a write transaction; like `submit`, for the control plane.
    @discardableResult
    public func write<T: Sendable>(
        _ durability: Durability = .normal,
        priority: Priority = .atOnce,
        reach: Reach = .ledger,
        caller: StaticString = #function,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            submit(durability, priority: priority, reach: reach, caller: caller, body) { waiter.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Runs a body in one read transaction: it sees one state of the ledger throughout.
    ///
    /// A long read keeps the write-ahead log from being reset, so that what takes over 100 ms is to be paged.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (LedgerReader) throws -> T
    ) async throws(LedgerError) -> T {
        do throws(LedgerError) {
            return try await driver.read(body)
        } catch {
            throw writer.isClosed ? .closed : error
        }
    }

    /// Finishes what was submitted and closes the connections; later calls fail with `closed`.
    public func close() async {
        await writer.close()
    }
}

/// A write transaction; valid only within the body that it is handed to.
public struct LedgerTransaction {
    let db: LedgerConnection
    /// Whether its commit survives a power loss.
    let isSynced: Bool

    /// What a body learns only while it runs: its commit must survive a power loss.
    ///
    /// Then all bodies of its transaction are rolled back and run again in one that is synced, which a caller does not
    /// see.
    func requireSynced() throws(LedgerError) {
        guard isSynced else { throw .unsynced }
    }

    /// The queries, which see what the transaction has written.
    public var reader: LedgerReader { LedgerReader(db: db) }
}

/// A read transaction; valid only within the body that it is handed to.
public struct LedgerReader {
    let db: LedgerConnection
}
