import Delivery
import Dispatch
import Logging
import Synchronization

/// The only writer of a process; runs all waiting bodies in one transaction.
///
/// A commit costs the same for one body and for ten. So the writer pauses between two commits (`CommitPause`), and
/// bodies that arrive then need not wake it. A body that is to be written at once ends the pause, and one that waits
/// with others ends it after the first milliseconds. The first body after an idle time never waits. A body that goes
/// ahead of others ends the current transaction early.
final class LedgerWriter: Sendable {
    /// A body and its callbacks.
    struct Job: Sendable {
        let durability: Ledger.Durability
        let priority: Ledger.Priority
        let scope: Ledger.WriteScope
        /// The submitting function.
        let caller: StaticString
        /// Returns the function to call after the commit.
        let body: @Sendable (LedgerTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (LedgerError) -> Void
    }

    private let queue: WriterQueue
    private let runner: any WriterRunner
    private let logger: Logger

    /// A writer; `clock` counts nanoseconds.
    init(
        _ driver: any LedgerDriver,
        logger: Logger,
        pause: CommitPause = CommitPause(),
        runner: any WriterRunner = WriterThread(),
        clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        let queue = WriterQueue(driver, pause: pause, runner: runner, clock: clock)
        self.queue = queue
        self.logger = logger
        self.runner = runner
        runner.start(WriterWork(turn: { queue.turn() }, pauseOver: { queue.pauseOver() }))
    }

    deinit { runner.end() }

    var isClosed: Bool { queue.isClosed }

    var metrics: LedgerMetrics { queue.metrics }

    func submit(_ job: Job) {
        switch queue.add(job) {
        case .refused: job.fail(.closed)
        case .first: runner.wake()
        case .behindOthers: break
        }
    }

    func hurry() { queue.hurry() }

    /// Refuses new bodies; returns when all earlier ones are done and the connections are closed.
    func close() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            queue.close { waiter.resume() }
            queue.driver.prepareToStop()
            runner.end()
        }
        do { try queue.driver.close() } catch { logger.warning("closing the ledger: \(error)") }
    }
}

/// The bodies that wait for the writer, and their transactions; `turn` and `pauseOver` are called one at a time.
private final class WriterQueue: Sendable {
    typealias Job = LedgerWriter.Job

    /// The result of adding a job.
    enum Addition {
        case refused
        /// The writer must be woken.
        case first
        case behindOthers
    }

    private struct State {
        /// Bodies that go ahead of the others, in a transaction of their own.
        var ahead: [Job] = []
        var waiting: [Job] = []
        /// True if one of the waiting bodies is to be written at once.
        var isUrgent = false
        /// True if one of the waiting bodies is to be written after the shortest pause.
        var isSoon = false
        var isScheduled = false
        /// The part of the pause that the writer takes, until its time is over or somebody ends it.
        var part = PausePart.none
        /// The time of the long part.
        var rest = Duration.zero
        var pause: CommitPause
        var isClosed = false
        /// True when no body will run any more.
        var isOver = false
        var closed: [@Sendable () -> Void] = []
        var metrics = LedgerMetrics()

        var isEmpty: Bool { ahead.isEmpty && waiting.isEmpty }

        /// True if what waits ends a pause.
        func ends(_ part: PausePart) -> Bool {
            switch part {
            case .none: false
            case .short: isUrgent || isClosed
            case .long: isUrgent || isSoon || isClosed
            }
        }

        /// Begins a part of the pause, unless what waits ends it.
        mutating func begin(_ part: PausePart, for time: Duration) -> WriterTurn {
            guard !ends(part) else { return .again }
            self.part = part
            return .pause(time)
        }

        /// Ends the writer's pause if what waits ends it; returns true if the writer is to hear of it.
        mutating func endPause() -> Bool {
            guard ends(part) else { return false }
            part = .none
            return true
        }

        /// Returns the bodies of the next transaction; empty if none wait.
        mutating func take() -> [Job] {
            if !ahead.isEmpty {
                defer { ahead = [] }
                return ahead
            }
            (isUrgent, isSoon) = (false, false)
            defer { waiting = [] }
            return waiting
        }
    }

    /// A part of the writer's pause.
    private enum PausePart {
        case none
        /// Ends for what is to be written at once.
        case short
        /// Comes after the short part; ends for everything but what bulk sending writes.
        case long
    }

    let driver: any LedgerDriver
    private let clock: @Sendable () -> UInt64
    private let runner: any WriterRunner
    private let state: Mutex<State>
    /// True while bodies wait that go ahead of others; the current transaction then ends early.
    private let hasAhead = Atomic(false)

    init(
        _ driver: any LedgerDriver,
        pause: CommitPause,
        runner: any WriterRunner,
        clock: @escaping @Sendable () -> UInt64
    ) {
        self.driver = driver
        self.runner = runner
        self.clock = clock
        state = Mutex(State(pause: pause))
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
        let (addition, endsPause) = state.withLock { state -> (Addition, Bool) in
            if state.isClosed { return (.refused, false) }
            switch job.priority {
            case .ahead:
                state.ahead.append(job)
                state.isUrgent = true
                hasAhead.store(true, ordering: .relaxed)
            case .atOnce:
                state.waiting.append(job)
                state.isUrgent = true
            case .withOthers:
                state.waiting.append(job)
                state.isSoon = true
            case .bulk: state.waiting.append(job)
            }
            defer { state.isScheduled = true }
            return (state.isScheduled ? .behindOthers : .first, state.endPause())
        }
        if endsPause { runner.endPause() }
        return addition
    }

    /// Has what waits written as soon as the writer is free.
    func hurry() {
        let endsPause = state.withLock { state in
            if !state.waiting.isEmpty { state.isUrgent = true }
            return state.endPause()
        }
        if endsPause { runner.endPause() }
    }

    /// Refuses new bodies; calls `completion` after all accepted ones, or at once if they are done already.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let (isOver, endsPause) = state.withLock { state in
            state.isClosed = true
            if !state.isOver { state.closed.append(completion) }
            return (state.isOver, state.endPause())
        }
        if endsPause { runner.endPause() }
        if isOver { completion() }
    }

    /// Runs all waiting bodies.
    func turn() -> WriterTurn {
        let jobs = state.withLock { state in
            if state.isEmpty { state.isScheduled = false }
            hasAhead.store(false, ordering: .relaxed)
            return state.take()
        }
        guard !jobs.isEmpty else {
            tellClosed()
            return .idle
        }
        let began = MonotonicInstant(nanoseconds: Int64(clock()))
        run(jobs)
        let ended = MonotonicInstant(nanoseconds: Int64(clock()))
        return state.withLock { state in
            let least = state.pause.least
            state.rest = state.pause.committed(jobs.count, from: began, to: ended) - least
            return state.begin(.short, for: least)
        }
    }

    /// Goes on after a part of the pause; returns nil if somebody has ended it meanwhile.
    func pauseOver() -> WriterTurn? {
        state.withLock { state in
            let part = state.part
            state.part = .none
            switch part {
            case .none: return nil
            case .short where state.rest > .zero: return state.begin(.long, for: state.rest)
            case .short, .long: return .again
            }
        }
    }

    private func tellClosed() {
        let closed = state.withLock { state in
            guard state.isClosed, state.isEmpty else { return [@Sendable () -> Void]() }
            state.isOver = true
            defer { state.closed = [] }
            return state.closed
        }
        for completion in closed { completion() }
    }

    private func run(_ jobs: [Job]) {
        let began = clock()
        do {
            let completions = try commit(jobs, isSynced: jobs.contains { $0.durability == .synced })
            state.withLock {
                $0.metrics.committed(completions.count, nanoseconds: clock() - began)
            }
            // The bodies that were not written stay at the head of the queue.
            let rest = jobs.dropFirst(completions.count)
            if !rest.isEmpty {
                state.withLock { state in
                    state.waiting.insert(contentsOf: rest, at: 0)
                    state.isUrgent = true
                }
            }
            for completion in completions { completion() }
        } catch  where jobs.count > 1 && error.isOfOneBody {
            // One body failed, so nothing was written: each body gets a transaction of its own.
            for job in jobs { run([job]) }
        } catch {
            // A rehearsal ends as it should.
            if error != .rehearsed { state.withLock { $0.metrics.failures += 1 } }
            for job in jobs { job.fail(error) }
        }
    }

    /// Writes all of these bodies or the first ones; returns the callbacks of the written ones.
    private func commit(_ jobs: [Job], isSynced: Bool) throws(LedgerError) -> [@Sendable () -> Void] {
        do {
            return try write(jobs, isSynced: isSynced)
        } catch {
            // One of the bodies found out only now that it needs a synced commit.
            guard error == .unsynced else { throw error }
            return try write(jobs, isSynced: true)
        }
    }

    private func write(_ jobs: [Job], isSynced: Bool) throws(LedgerError) -> [@Sendable () -> Void] {
        var completions: [@Sendable () -> Void] = []
        var longest = LongestBodies()
        let needs = TransactionNeeds(isSynced: isSynced, isOfShards: jobs.allSatisfy { $0.scope == .shards })
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
                // The transaction holds rows, or a file's lock, that others wait for.
                if ended - began >= Self.longest { break }
            }
        }
        state.withLock { $0.metrics.longest.add(longest) }
        return completions
    }

    /// The time of bodies, in nanoseconds, after which a transaction ends; the remaining bodies run in another.
    private static let longest = UInt64(WorkPiece.longest / .nanoseconds(1))
}

extension LedgerError {
    /// True if the same transaction could succeed without one of its bodies.
    fileprivate var isOfOneBody: Bool {
        switch self {
        case .busy, .closed, .damaged, .disconnected, .readOnly, .refused, .unreachable: false
        default: true
        }
    }
}
