import Campaigns
import Delivery
import NIOCore
import PushProviders
import Store
import Transport

/// Deliveries that wait for a former run, as `HeldDeliveries` decides, and rows that are given up so that nobody waits.
extension WorkDesk {
    /// Keeps a delivery unacked and asks the ledger again.
    func hold(_ shard: Shard, _ delivery: ShardDelivery, epoch: UInt32) {
        guard !isHandingOver else { return }
        let queue = queueOfLease(delivery) ?? BrokerNames.workQueue(shard.lane)
        held.hold(HeldDeliveries.Held(shard, delivery, queue: queue), epoch: epoch, now: Self.now)
        if held.needsRoom(in: queue, prefetch: Int(WorkerCore.prefetch(of: queue))) { makeRoom(queue) }
        lookAtHeld()
    }

    private static var now: MonotonicInstant { MonotonicInstant(of: .now()) }

    private func lookAtHeld() {
        guard !looksAtHeld, let at = held.nextAt else { return }
        looksAtHeld = true
        let wait = max(Duration.zero, at.since(Self.now))
        loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
            self.looksAtHeld = false
            for held in self.held.due(now: Self.now) { self.arrived(held.shard, held.delivery) }
            self.lookAtHeld()
        }
    }

    /// The former run of a shard that a claim need not wait for any longer.
    func overdue(_ shard: Shard) -> UInt32? {
        let provider = ProviderRegistry.providers.first { $0.name == shard.facts.provider }
        return held.overdue(
            shard.id.key,
            streamDeadline: provider?.limits.streamDeadline ?? .zero,
            now: Self.now
        )
    }

    /// A row that this process has claimed and will not run: whoever gets its message need not wait for it.
    func giveUp(_ key: ShardKey, epoch: UInt32) {
        let token = RunToken(key: key, epoch: epoch, worker: worker)
        write(.normal, "a claim that is given up", reach: .shards) {
            try $0.giveUp(token)
        } then: { _ in
        }
    }
}
