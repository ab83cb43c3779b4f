import Campaigns
import Delivery
import NIOCore

/// A sender loop as other loops see it: every request to it runs on its own event loop.
struct LoopHandle: Sendable {
    private let bound: NIOLoopBound<SenderLoop>
    private let loop: any EventLoop

    init(_ sender: SenderLoop) {
        loop = sender.loop
        bound = NIOLoopBound(sender, eventLoop: sender.loop)
    }

    /// Runs an order on the loop.
    func execute(_ order: @escaping @Sendable (SenderLoop) -> Void) {
        let bound = bound
        loop.execute { order(bound.value) }
    }
}

/// The worker's own loop as the sender loops see it: what they report reaches its coordinator there.
struct CoordinatorReports: Sendable {
    private typealias Listeners = (coordinator: WorkCoordinator, incidents: ProviderIncidents)

    private let bound: NIOLoopBound<Listeners>
    private let loop: any EventLoop

    init(_ coordinator: WorkCoordinator, _ incidents: ProviderIncidents, loop: any EventLoop) {
        self.loop = loop
        bound = NIOLoopBound((coordinator, incidents), eventLoop: loop)
    }

    /// Reports that every stream of the run is closed and none will be opened until it is adopted.
    func runIsOver(_ key: ShardKey) { report { $0.coordinator.tell { shards, _ in shards.runIsOver(key) } } }

    /// Reports that the provider refuses the app's credentials.
    func credentialsRefused(_ key: ShardKey, reason: String) {
        report { $0.incidents.credentialsRefused(key, reason: reason) }
    }

    /// Reports that the provider refuses the campaign's content, whatever the device.
    func contentRefused(_ key: ShardKey, reason: String) {
        report { $0.incidents.contentRefused(key, reason: reason) }
    }

    /// Reports that the provider is out for an app, as far as a loop can see.
    func tripped(app: String, provider: ProviderName, _ trip: Breaker.Trip) {
        report { $0.incidents.tripped(app: app, provider: provider, trip) }
    }

    private func report(_ what: @escaping @Sendable (Listeners) -> Void) {
        loop.execute { [bound] in what(bound.value) }
    }
}
