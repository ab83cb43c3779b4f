import Campaigns
import Delivery
import Settings
import Store

/// The event loops that send, as the worker's own loop addresses them.
struct SenderLoops {
    private let handles: [LoopHandle]

    init(_ handles: [LoopHandle] = []) {
        self.handles = handles
    }

    /// The loop of a shard, by the number that `WorkerShards` chose.
    subscript(_ number: Int) -> LoopHandle { handles[number % handles.count] }

    /// Runs an order on every loop.
    func executeAll(_ order: @escaping @Sendable (SenderLoop) -> Void) {
        for handle in handles { handle.execute(order) }
    }

    /// Keeps connections open for held campaigns.
    func warm(_ routes: Set<HeldRoute>, of apps: AppDirectory) {
        for route in routes {
            guard let account = apps.account(app: route.app, provider: route.provider) else { continue }
            executeAll { $0.warm(account, route.environment, isUrgent: route.urgency == .urgent) }
        }
    }

    /// Records which runs of superseded campaigns open no more streams, although they may wait for answers.
    ///
    /// The loops answer after they were told to stop.
    func markStopped(_ keys: [ShardKey], in ledger: Ledger) {
        executeAll { sender in
            let stopped = sender.stopped(keys)
            guard !stopped.isEmpty else { return }
            // If the write is lost, the next poll of the ledger repeats it.
            ledger.submit(.normal) {
                try $0.markStopped(stopped)
            } completion: { _ in
            }
        }
    }
}
