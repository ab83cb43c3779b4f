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
    /// The lane whose work runs.
    private(set) var current: Lane?
    let trace: Trace
    /// Called before each step with its host.
    var entering: (SimulatedHost) -> Void = { _ in }
    private var random: SeededRandom
    private var ready: [Lane] = []
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

    /// Runs work on a lane as soon as it is its turn.
    func add(_ work: @escaping () -> Void, to lane: Lane) {
        lane.append(work)
        list(lane)
    }

    /// Counts a lane among those with work.
    func list(_ lane: Lane) {
        guard !lane.isListed, lane.count > 0, lane.host.mayRun else { return }
        lane.isListed = true
        ready.append(lane)
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
        if let lane = next() {
            take(lane)
            now += Int64(random.below(Self.stepTime))
        } else {
            let timers = hosts.compactMap(\.nextTimer)
            now = max(now, ([events.next, end].compactMap(\.self) + timers).min() ?? end)
        }
        while let event = events.popDue(now) { event() }
        for host in hosts { host.fireTimers() }
    }

    /// Removes and returns one of the lanes with work.
    private func next() -> Lane? {
        while !ready.isEmpty {
            let at = random.below(ready.count)
            ready.swapAt(at, ready.count - 1)
            let lane = ready.removeLast()
            lane.isListed = false
            if lane.count > 0, lane.host.mayRun { return lane }
        }
        return nil
    }

    private func take(_ lane: Lane) {
        let work = lane.take { random.below($0) }
        list(lane)
        simulated_clocks_set(lane.host.monotonic, lane.host.clock.wall(at: now))
        entering(lane.host)
        steps += 1
        trace.step(steps, now, lane.name)
        current = lane
        work()
        current = nil
    }
}
