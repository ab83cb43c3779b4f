import Operations
import Synchronization
import WebServing

/// The fleet's status, read at most once a second for all callers; may be used from any task.
struct FleetPoll: Sendable {
    private static let ageMax = Duration.seconds(1)
    /// The time between two readings: only two of them tell how fast a queue drains.
    private static let between = Duration.milliseconds(300)

    private let readings: SharedCheck<(facts: FleetFacts, view: FleetStatusView)>

    /// Makes a poll of what `take` reads.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        take: @escaping @Sendable () async -> FleetFacts
    ) {
        let previous = Mutex<FleetFacts?>(nil)
        readings = SharedCheck(ageMax: Self.ageMax, now: now) {
            var before = previous.withLock(\.self)
            if before == nil {
                let first = await take()
                // Cancelled never: the reading is that of all callers, of whom some may have gone.
                if first.isSomethingWaiting { try? await Task.sleep(for: Self.between) }
                before = first
            }
            let facts = await take()
            previous.withLock { $0 = facts }
            return (facts, facts.view(since: before ?? facts))
        }
    }

    /// Returns the state for people and scripts.
    func view() async -> FleetStatusView { await readings.result().view }

    /// Returns the facts.
    func facts() async -> FleetFacts { await readings.result().facts }
}
