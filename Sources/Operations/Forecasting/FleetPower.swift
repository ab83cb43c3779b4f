package import Campaigns
package import Delivery

/// The speed of the workers for one app and provider, as far as the live ones report it.
package struct FleetPower: Sendable, Equatable {
    /// The loops of a worker that does not say how many it has, as `capacity` plans with.
    package static let loopsAssumed = 4

    /// The number of workers that send for the app and the provider.
    package private(set) var workers = 0
    /// The event loops of all of them.
    package private(set) var loops = 0
    /// True if each of them reports its loops.
    package private(set) var isReported = true
    /// The mean seconds from a request to its answer; nil if none of them has had an answer.
    package private(set) var latency: Double?
    /// True for a fleet that somebody plans, with a latency of their own.
    private var isPlanned = false

    /// The speed by the live workers; without one, that of one worker on a machine of four cores.
    ///
    /// - Parameters:
    ///   - records: Workers with their health.
    ///   - app: The app.
    ///   - provider: The provider.
    ///   - now: The clock that all workers share.
    package init(_ records: [WorkerRecord], app: String, provider: ProviderName, now: Timestamp) {
        let senders = records.filter {
            $0.isLive(now: now) && $0.roles.contains("sender")
                && $0.accounts.providers[app]?.contains(provider) == true
        }
        workers = senders.count
        var latencies: [Double] = []
        for sender in senders {
            let report = sender.health?.sending
            if report == nil { isReported = false }
            loops += report?.loops ?? Self.loopsAssumed
            if let latency = report?.latencies[provider] { latencies.append(latency) }
        }
        if !latencies.isEmpty { latency = latencies.reduce(0, +) / Double(latencies.count) }
        if senders.isEmpty { (loops, isReported) = (Self.loopsAssumed, false) }
    }

    /// A planned fleet.
    package init(loops: Int, latency: Double) {
        (workers, self.loops, self.latency, isPlanned) = (1, loops, latency, true)
    }

    /// The origin of what connections allow.
    private var basis: ForecastLimit.Basis {
        if isPlanned { return .set }
        return latency != nil && isReported ? .measured : .assumed
    }

    /// Returns the limits that the fleet sets for a provider.
    ///
    /// - Parameters:
    ///   - provider: The provider; of one that no figure is known for, nothing is said.
    ///   - metrics: The cost of a push.
    ///   - ahead: The devices of other campaigns.
    package func limits(
        _ provider: CapacityProvider,
        _ metrics: CapacityMetrics = .measured,
        ahead: [Int] = []
    ) -> [ForecastLimit] {
        guard let push = metrics.push[provider.scenario], push > 0 else { return [] }
        let (burst, most) = (8.0, Double(CapacityPlan.loopConnections))
        let connections = loops * CapacityPlan.loopConnections
        let streams = Double(connections * provider.streams)
        return [
            // The cost of a push is of another machine, whatever the workers report.
            ForecastLimit(
                .workers(loops: loops),
                RampedRate(perSecond: Double(loops) * CapacityPlan.load * 1e6 / push),
                basis: .assumed,
                ahead: ahead
            ),
            // A loop opens eight connections at once, and then one a second (`ConnectionPool.Configuration`).
            ForecastLimit(
                .connections(connections),
                RampedRate(
                    perSecond: streams / max(latency ?? CapacityAsk.latencyAssumed, 0.001),
                    rampUp: most,
                    floor: burst / most,
                    passed: burst
                ),
                basis: basis,
                ahead: ahead
            ),
        ]
    }
}
