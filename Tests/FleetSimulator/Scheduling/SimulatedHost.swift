/// A machine with one process: its clocks, its timers and its queues of work end and stand still with it.
///
/// Safety: used by the process's only thread.
final class SimulatedHost: @unchecked Sendable {
    let name: String
    /// The number of the host, counted from 1.
    let number: Int
    unowned let scheduler: Scheduler
    var clock: HostClock
    /// Timers by the host's monotonic clock.
    private(set) var timers = TimerHeap<(runQueue: RunQueue, work: () -> Void)>()
    private(set) var runQueues: [RunQueue] = []
    /// False after a crash, for good: a restarted process is another host.
    private(set) var isAlive = true
    /// True while the process is stopped, as by SIGSTOP.
    private(set) var isFrozen = false
    /// The time for which the process was stopped so far, by the host's monotonic clock.
    private var frozenTime: Int64 = 0
    private var frozenAt: Int64 = 0
    /// Swift's jobs of this host.
    private(set) lazy var jobs = runQueue("jobs", order: .any)

    init(_ name: String, number: Int, on scheduler: Scheduler, clock: HostClock) {
        self.name = name
        self.number = number
        self.scheduler = scheduler
        self.clock = clock
    }

    var monotonic: Int64 { clock.monotonic(at: scheduler.now) }

    /// True if its work may run.
    var mayRun: Bool { isAlive && !isFrozen }

    func runQueue(_ name: String, order: RunQueue.Order = .first) -> RunQueue {
        let runQueue = RunQueue("\(self.name).\(name)", of: self, order: order)
        runQueues.append(runQueue)
        return runQueue
    }

    /// Runs work on a queue of work when the host's monotonic clock shows an instant.
    func schedule(at monotonic: Int64, on runQueue: RunQueue, _ work: @escaping () -> Void) {
        timers.add(at: monotonic, (runQueue, work))
    }

    /// Runs work on a queue of work after a time of the host's clock.
    func schedule(after nanoseconds: Int64, on runQueue: RunQueue, _ work: @escaping () -> Void) {
        schedule(at: monotonic + nanoseconds, on: runQueue, work)
    }

    /// The instant of the simulated time at which its next timer is due; nil without one.
    var nextTimer: Int64? {
        guard mayRun, let next = timers.next else { return nil }
        return clock.instant(of: next)
    }

    /// Hands the timers that are due to their queues of work.
    func fireTimers() {
        guard mayRun else { return }
        while let due = timers.popDue(monotonic) { scheduler.add(due.work, to: due.runQueue) }
    }

    /// The time for which the process could run, by the host's monotonic clock.
    var awakeTime: Int64 { monotonic - frozenTime }

    /// Stops the process for a while.
    func freeze() {
        isFrozen = true
        frozenAt = monotonic
    }

    /// Lets a stopped process go on.
    func thaw() {
        isFrozen = false
        frozenTime += monotonic - frozenAt
        for runQueue in runQueues { scheduler.list(runQueue) }
    }

    /// Ends the process: nothing of it runs any more.
    ///
    /// Its waiting work is kept for ever, because a process that is killed runs no `deinit` either.
    func crash() { isAlive = false }
}
