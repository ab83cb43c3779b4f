@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The executor of all Swift tasks: their jobs are work of the host on which they were made.
///
/// Installed as the process's default executor (the runtime's own way, `swift_createExecutors`), so that `Task`,
/// actors, `Task.sleep` and streams of the drivers run here as they are. Safety: used by the process's only thread.
final class SeededExecutor: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    /// The scheduler of the running simulation.
    ///
    /// Safety: used by the process's only thread.
    nonisolated(unsafe) static var scheduler: Scheduler?

    /// Makes this executor that of the process; before its first task.
    static func install() { _createExecutors(factory: Factory.self) }

    private struct Factory: ExecutorFactory {
        static let mainExecutor: any MainExecutor = UnimplementedMainExecutor()
        static let defaultExecutor: any TaskExecutor = SeededExecutor()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        host.scheduler.add({ self.run(job) }, to: host.jobs)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        let job = UnownedJob(job)
        guard let delay = delay as? Duration else { preconditionFailure("a clock of another kind: \(C.self)") }
        host.schedule(after: Int64(delay / .nanoseconds(1)), on: host.jobs) { self.run(job) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    /// The host whose work makes the job.
    private var host: SimulatedHost {
        guard let runQueue = Self.scheduler?.current else { preconditionFailure("a task was made outside any host") }
        return runQueue.host
    }

    private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
