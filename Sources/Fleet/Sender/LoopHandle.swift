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

/// The worker's own loop as the sender loops see it.
struct CoordinatorReports: SenderReports {
    private let bound: NIOLoopBound<(coordinator: WorkCoordinator, incidents: ProviderIncidents)>
    private let loop: any EventLoop

    init(_ coordinator: WorkCoordinator, _ incidents: ProviderIncidents, loop: any EventLoop) {
        self.loop = loop
        bound = NIOLoopBound((coordinator, incidents), eventLoop: loop)
    }

    func runIsOver(_ key: ShardKey) {
        let bound = bound
        loop.execute { bound.value.coordinator.tell { shards, _ in shards.runIsOver(key) } }
    }

    func credentialsRefused(_ key: ShardKey, reason: String) {
        let bound = bound
        loop.execute { bound.value.incidents.credentialsRefused(key, reason: reason) }
    }

    func contentRefused(_ key: ShardKey, reason: String) {
        let bound = bound
        loop.execute { bound.value.incidents.contentRefused(key, reason: reason) }
    }

    func tripped(app: String, provider: ProviderName, _ trip: Breaker.Trip) {
        let bound = bound
        loop.execute { bound.value.incidents.tripped(app: app, provider: provider, trip) }
    }
}
