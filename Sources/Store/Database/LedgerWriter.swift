import Delivery
import Dispatch
import Logging
import Synchronization

/// The one writer of a process: runs all bodies that are waiting in one transaction.
///
/// A commit costs the same for one body and for ten. So between two commits it rests for a moment, in which nobody
/// has to wake it, unless a body comes that is to be written at once. The first body after a quiet time never waits.
/// For a body that is to go ahead of others, the transaction that is under way ends early.
final class LedgerWriter: Sendable {
    /// A body and whom to tell.
    struct Job: Sendable {
        let durability: Ledger.Durability
        let priority: Ledger.Priority
        let reach: Ledger.Reach
        /// Who submitted it.
        let caller: StaticString
        /// Returns what to call after the commit.
        let body: @Sendable (LedgerTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (LedgerError) -> Void
    }

    private let queue: WriterQueue
    private let thread: WriterThread
    private let logger: Logger

    /// A writer; `rest` is what `withOthers` adds to a body's way at most, and `clock` counts nanoseconds.
    init(
        _ driver: any LedgerDriver,
        logger: Logger,
        rest: DispatchTimeInterval = .milliseconds(5),
        clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        let queue = WriterQueue(driver, rest: rest, clock: clock)
        self.queue = queue
        self.logger = logger
        thread = WriterThread { queue.drain() }
    }

    deinit { thread.end() }

    var isClosed: Bool { queue.isClosed }

    var metrics: LedgerMetrics { queue.metrics }

    func submit(_ job: Job) {
        switch queue.add(job) {
        case .refused: job.fail(.closed)
        case .first: thread.wake()
        case .behindOthers: break
        }
    }

    /// Refuses what comes from now on; returns when all that came before is done and the connections are closed.
    func close() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            queue.close { waiter.resume() }
            queue.driver.hurry()
            thread.end()
        }
        do { try queue.driver.close() } catch { logger.warning("closing the ledger: \(error)") }
    }
}

/// What waits for the writer, and its transactions; `drain` is called by one thread.
private final class WriterQueue: Sendable {
    typealias Job = LedgerWriter.Job

    /// What became of a job that was added.
    enum Addition {
        case refused
        /// The thread has to be woken.
        case first
        case behindOthers
    }

    private struct State {
        /// These go ahead of the others, in a transaction of their own.
        var ahead: [Job] = []
        var waiting: [Job] = []
        /// One of those that wait is to be written at once.
        var isUrgent = false
        var isScheduled = false
        /// The thread waits for `restEnded`, or until its rest is over.
        var isResting = false
        var isClosed = false
        /// Nothing will be done any more.
        var isOver = false
        var closed: [@Sendable () -> Void] = []
        var metrics = LedgerMetrics()

        var isEmpty: Bool { ahead.isEmpty && waiting.isEmpty }

        /// What goes into the next transaction; empty when nothing waits.
        mutating func take() -> [Job] {
            if !ahead.isEmpty {
                defer { ahead = [] }
                return ahead
            }
            isUrgent = false
            defer { waiting = [] }
            return waiting
        }
    }

    let driver: any LedgerDriver
    private let rest: DispatchTimeInterval
    private let clock: @Sendable () -> UInt64
    private let restEnded = DispatchSemaphore(value: 0)
    private let state = Mutex(State())
    /// Bodies wait that go ahead of others: what is under way ends early.
    private let hasAhead = Atomic(false)

    init(_ driver: any LedgerDriver, rest: DispatchTimeInterval, clock: @escaping @Sendable () -> UInt64) {
        self.driver = driver
        self.rest = rest
        self.clock = clock
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var metrics: LedgerMetrics {
        state.withLock { state in
            var metrics = state.metrics
            metrics.waiting = state.waiting.count + state.ahead.count
            return metrics
        }
    }

    func add(_ job: Job) -> Addition {
        let (addition, endsCooldown) = state.withLock { state -> (Addition, Bool) in
            if state.isClosed { return (.refused, false) }
            switch job.priority {
            case .ahead:
                state.ahead.append(job)
                state.isUrgent = true
                hasAhead.store(true, ordering: .relaxed)
            case .atOnce:
                state.waiting.append(job)
                state.isUrgent = true
            case .withOthers: state.waiting.append(job)
            }
            defer { state.isScheduled = true }
            let endsCooldown = state.isResting && state.isUrgent
            if endsCooldown { state.isResting = false }
            return (state.isScheduled ? .behindOthers : .first, endsCooldown)
        }
        if endsCooldown { restEnded.signal() }
        return addition
    }

    /// Takes nothing more; `completion` is called after all that was taken, at once when that is long ago.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let (isOver, endsCooldown) = state.withLock { state in
            state.isClosed = true
            if !state.isOver { state.closed.append(completion) }
            defer { state.isResting = false }
            return (state.isOver, state.isResting)
        }
        if endsCooldown { restEnded.signal() }
        if isOver { completion() }
    }

    /// Does all that waits.
    func drain() {
        while true {
            let jobs = state.withLock { state in
                if state.isEmpty { state.isScheduled = false }
                hasAhead.store(false, ordering: .relaxed)
                return state.take()
            }
            if jobs.isEmpty { break }
            run(jobs)
            takeRest()
        }
        let closed = state.withLock { state in
            guard state.isClosed, state.isEmpty else { return [@Sendable () -> Void]() }
            state.isOver = true
            defer { state.closed = [] }
            return state.closed
        }
        for completion in closed { completion() }
    }

    private func takeRest() {
        let mayRest = state.withLock { state in
            state.isResting = !state.isUrgent && !state.isClosed
            return state.isResting
        }
        guard mayRest, restEnded.wait(timeout: .now() + rest) == .timedOut else { return }
        let isEnded = state.withLock { state in
            defer { state.isResting = false }
            return !state.isResting
        }
        // Whoever ended the rest at its very end has signalled, or is about to.
        if isEnded { restEnded.wait() }
    }

    private func run(_ jobs: [Job]) {
        let began = clock()
        do {
            let completions = try commit(jobs, isSynced: jobs.contains { $0.durability == .synced })
            state.withLock {
                $0.metrics.committed(completions.count, nanoseconds: clock() - began)
            }
            // The others keep their place.
            let rest = jobs.dropFirst(completions.count)
            if !rest.isEmpty {
                state.withLock { state in
                    state.waiting.insert(contentsOf: rest, at: 0)
                    state.isUrgent = true
                }
            }
            for completion in completions { completion() }
        } catch  where jobs.count > 1 && error.isOfOneBody {
            // One of them failed, so none was written: each gets a transaction of its own.
            for job in jobs { run([job]) }
        } catch {
            state.withLock { $0.metrics.failures += 1 }
            for job in jobs { job.fail(error) }
        }
    }

    /// Writes the first of these or all; returns what to call for those that were written.
    private func commit(_ jobs: [Job], isSynced: Bool) throws(LedgerError) -> [@Sendable () -> Void] {
        do {
            return try write(jobs, isSynced: isSynced)
        } catch {
            // One of the bodies found out only now.
            guard error == .unsynced else { throw error }
            return try write(jobs, isSynced: true)
        }
    }

    private func write(_ jobs: [Job], isSynced: Bool) throws(LedgerError) -> [@Sendable () -> Void] {
        var completions: [@Sendable () -> Void] = []
        var longest = LongestBodies()
        let needs = TransactionNeeds(isSynced: isSynced, isOfShards: jobs.allSatisfy { $0.reach == .shards })
        try driver.transact(needs) { transaction in
            completions.removeAll(keepingCapacity: true)
            longest = LongestBodies()
            completions.reserveCapacity(jobs.count)
            let began = clock()
            var begins = began
            for job in jobs {
                completions.append(try job.body(transaction))
                let ended = clock()
                longest.note(job.caller, nanoseconds: ended - begins)
                begins = ended
                if job.priority != .ahead, hasAhead.load(ordering: .relaxed) { break }
                // Others wait for the rows that it holds, and for the lock on a file.
                if ended - began >= Self.longest { break }
            }
        }
        state.withLock { $0.metrics.longest.add(longest) }
        return completions
    }

    /// After so many nanoseconds of bodies a transaction ends, and those that are left are another.
    private static let longest = UInt64(WorkPiece.longest / .nanoseconds(1))
}

extension LedgerError {
    /// Whether the same transaction without one of its bodies could succeed.
    fileprivate var isOfOneBody: Bool {
        switch self {
        case .busy, .closed, .damaged, .disconnected, .readOnly, .refused, .unreachable: false
        default: true
        }
    }
}
