import CSimulatedProcess
import Seeds

/// The only thread of the simulation: takes one piece of work after the other, in an order that the seed decides.
///
/// Time stands still during a step, and moves by a few microseconds after it; when nothing waits it moves on to the
/// next timer. All state of the simulation belongs to this thread.
final class Scheduler {
    /// The simulated time in nanoseconds; only the simulation itself knows it, hosts read their own clocks.
    private(set) var now: Int64 = 0
    private(set) var steps = 0
    private(set) var hosts: [SimulatedHost] = []
    /// The queue whose work runs.
    private(set) var current: RunQueue?
    let trace: Trace
    /// Called before each step with its host.
    var entering: (SimulatedHost) -> Void = { _ in }
    /// Called after each step with its host.
    var left: (SimulatedHost) -> Void = { _ in }
    private var random: SeededRandom
    private var ready: [RunQueue] = []
    /// Events at an instant of the simulated time, whatever the hosts' clocks show.
    private var events = TimerHeap<() -> Void>()

    /// The most that a step may take; the mean is half of it.
    private static let stepTime = 4_000

    init(seed: UInt64, trace: Trace) {
        random = SeededRandom(seed: seed ^ 0x5EED_0001)
        self.trace = trace
        SeededExecutor.scheduler = self
    }

    /// Adds a host that was booted some time ago.
    func host(_ name: String, clock: HostClock) -> SimulatedHost {
        let host = SimulatedHost(name, number: hosts.count + 1, on: self, clock: clock)
        hosts.append(host)
        return host
    }

    /// Runs work on a queue of work as soon as it is its turn.
    func add(_ work: @escaping () -> Void, to runQueue: RunQueue) {
        runQueue.append(work)
        list(runQueue)
    }

    /// Counts a queue of work among those with work.
    func list(_ runQueue: RunQueue) {
        guard !runQueue.isListed, runQueue.count > 0, runQueue.host.mayRun else { return }
        runQueue.isListed = true
        ready.append(runQueue)
    }

    /// Has something happen at an instant of the simulated time.
    func happen(at instant: Int64, _ event: @escaping () -> Void) { events.add(at: max(instant, now), event) }

    /// Has something happen after a simulated time.
    func happen(after nanoseconds: Int64, _ event: @escaping () -> Void) { happen(at: now + nanoseconds, event) }

    /// Runs until a condition holds or an instant has come; returns true for the condition.
    func run(until end: Int64, _ isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard now < end else { return false }
            step(until: end)
        }
        return true
    }

    private func step(until end: Int64) {
        if let runQueue = next() {
            take(runQueue)
            now += Int64(random.below(Self.stepTime))
        } else {
            let timers = hosts.compactMap(\.nextTimer)
            now = max(now, ([events.next, end].compactMap(\.self) + timers).min() ?? end)
        }
        while let event = events.popDue(now) { event() }
        for host in hosts { host.fireTimers() }
    }

    /// Removes and returns one of the queues of work with work.
    private func next() -> RunQueue? {
        while !ready.isEmpty {
            let at = random.below(ready.count)
            ready.swapAt(at, ready.count - 1)
            let runQueue = ready.removeLast()
            runQueue.isListed = false
            if runQueue.count > 0, runQueue.host.mayRun { return runQueue }
        }
        return nil
    }

    private func take(_ runQueue: RunQueue) {
        let work = runQueue.take { random.below($0) }
        list(runQueue)
        simulated_clocks_set(runQueue.host.monotonic, runQueue.host.clock.wall(at: now))
        entering(runQueue.host)
        steps += 1
        trace.step(steps, now, runQueue.name)
        current = runQueue
        work()
        current = nil
        left(runQueue.host)
    }
}
