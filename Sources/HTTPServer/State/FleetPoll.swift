import Campaigns
import Operations

/// The fleet's status, read at most once a second for all callers.
actor FleetPoll {
    private static let ageMax = Duration.seconds(1)
    /// The time between two readings: only two of them tell how fast a queue drains.
    private static let between = Duration.milliseconds(300)

    private let probe: FleetProbe
    private var previous: FleetFacts?
    private var last: (facts: FleetFacts, view: FleetStatusView, at: ContinuousClock.Instant)?

    init(_ probe: FleetProbe) {
        self.probe = probe
    }

    /// The state for people and scripts; throws when the task is cancelled.
    func view() async throws -> FleetStatusView { try await read().view }

    /// The facts; throws when the task is cancelled.
    func facts() async throws -> FleetFacts { try await read().facts }

    private func read() async throws -> (facts: FleetFacts, view: FleetStatusView) {
        if let last, ContinuousClock.now - last.at < Self.ageMax { return (last.facts, last.view) }
        var before = previous
        if before == nil {
            let first = await probe.take()
            if first.isSomethingWaiting { try await Task.sleep(for: Self.between) }
            before = first
        }
        let facts = await probe.take()
        let view = facts.view(since: before ?? facts)
        previous = facts
        last = (facts, view, .now)
        return (facts, view)
    }
}
