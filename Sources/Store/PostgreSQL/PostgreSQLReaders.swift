#if PostgreSQL
import Foundation
import Synchronization

/// The reading threads, each with its own connection; they start on demand.
final class PostgreSQLReaders: Sendable {
    private typealias Job = @Sendable (PostgreSQLReader) -> Void

    private struct State {
        var waiting: [Job] = []
        var threads = 0
        var idle = 0
        var isClosed = false
    }

    private static let threadsMax = 4

    private let address: PostgreSQLAddress
    private let timeout: Duration
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let stopSignal = StopSignal()
    private let clock: LedgerClock

    init(_ address: PostgreSQLAddress, timeout: Duration, clock: LedgerClock) {
        self.address = address
        self.timeout = timeout
        self.clock = clock
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            let isTaken = submit { reader in
                do throws(LedgerError) {
                    waiter.resume(returning: .success(try reader.read(body)))
                } catch { waiter.resume(returning: .failure(error)) }
            }
            if !isTaken { waiter.resume(returning: .failure(.closed)) }
        }
        return try result.get()
    }

    /// Finishes the waiting reads, then ends the threads.
    func close() {
        stopSignal.give()
        let threads = state.withLock { state in
            state.isClosed = true
            return state.threads
        }
        for _ in 0..<threads { signal.signal() }
    }

    private func submit(_ job: @escaping Job) -> Bool {
        let (isTaken, isThreadMissing) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.waiting.append(job)
            let isMissing = state.idle < state.waiting.count && state.threads < Self.threadsMax
            if isMissing { state.threads += 1 }
            return (true, isMissing)
        }
        guard isTaken else { return false }
        if isThreadMissing { start() }
        signal.signal()
        return true
    }

    private func start() {
        let thread = Thread { [self] in
            let reader = PostgreSQLReader(address, timeout: timeout, stopSignal: stopSignal, clock: clock)
            while true {
                state.withLock { $0.idle += 1 }
                signal.wait()
                let (job, isOver) = state.withLock { state in
                    state.idle -= 1
                    return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
                }
                if let job { job(reader) } else if isOver { return }
            }
        }
        thread.start()
    }
}

/// A reading connection; confined to its thread.
final class PostgreSQLReader {
    private let address: PostgreSQLAddress
    private let timeout: Duration
    private let stopSignal: StopSignal
    private let clock: LedgerClock
    private var connection: PostgreSQLConnection?

    init(_ address: PostgreSQLAddress, timeout: Duration, stopSignal: StopSignal, clock: LedgerClock) {
        self.address = address
        self.timeout = timeout
        self.stopSignal = stopSignal
        self.clock = clock
    }

    /// Runs a body on one snapshot; starts again after a lost connection, until the timeout.
    func read<T>(_ body: (LedgerReader) throws -> T) throws(LedgerError) -> T {
        var backoff = ConnectBackoff()
        let end = ContinuousClock.now + timeout
        while true {
            do throws(PostgreSQLFailure) {
                return try attempt(body)
            } catch {
                guard error.remedy == .reconnect, !stopSignal.isGiven, ContinuousClock.now < end else {
                    throw error.error
                }
                stopSignal.wait(backoff.next())
            }
        }
    }

    private func attempt<T>(_ body: (LedgerReader) throws -> T) throws(PostgreSQLFailure) -> T {
        let connection = try connected()
        do {
            connection.begun(alone: true)
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            if clock.isDue {
                try connection.command("\(begin); \(PostgreSQLConnection.clockQuery)", telling: clock)
            } else {
                try connection.command(begin)
            }
            let value = try body(LedgerReader(db: connection))
            try connection.command("COMMIT")
            return value
        } catch {
            let failure =
                connection.failure ?? error as? PostgreSQLFailure
                ?? PostgreSQLFailure(remedy: .none, error: error as? LedgerError ?? .failed("\(error)"))
            if failure.remedy == .reconnect || connection.isLost {
                self.connection = nil
            } else {
                connection.rollback()
            }
            throw failure
        }
    }

    private func connected() throws(PostgreSQLFailure) -> PostgreSQLConnection {
        if let connection { return connection }
        let new = try PostgreSQLConnection(address, lockTimeout: timeout)
        connection = new
        return new
    }
}
#endif
