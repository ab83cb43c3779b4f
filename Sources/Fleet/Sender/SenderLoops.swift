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
        for held in routes {
            guard let account = apps.account(app: held.app, provider: held.provider) else { continue }
            let route = WarmRoute(account.key, held.environment, isUrgent: held.urgency == .urgent)
            executeAll { $0.need(route, account) }
        }
    }

    /// Keeps connections open to the endpoints that were used lately.
    ///
    /// - Parameters:
    ///   - connections: The most of the whole worker.
    ///   - workers: The workers of the fleet that send.
    func keepWarm(_ connections: Int, workers: Int, of apps: AppDirectory) {
        let limits = WarmEndpoints<WarmRoute>.Limits(worker: connections, loops: handles.count, workers: workers)
        executeAll { $0.keepWarm(within: limits, of: apps) }
    }

    /// Records for which runs of superseded campaigns the newer ones need not wait (`LoopRuns.stopped`).
    ///
    /// The loops answer after they were told to stop.
    func markStopped(_ keys: [ShardKey], in ledger: Ledger) {
        executeAll { sender in
            let stopped = sender.stopped(keys)
            guard !stopped.isEmpty else { return }
            // The next poll of the ledger asks for the others, and repeats a write that is lost.
            ledger.submit(.normal) {
                try $0.markStopped(stopped)
            } completion: { _ in
            }
        }
    }
}
