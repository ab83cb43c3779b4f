import Campaigns
import Delivery
import NIOCore
import PushProviders
import Store

/// Requests without a slot: nobody has asked them to wait, and they count against their provider's quota all the same.
extension WorkDesk {
    /// How long they are collected: short beside the minute of a quota, and one write whatever runs.
    private static let chargePause = TimeAmount.milliseconds(100)

    /// How late a shard's requests may be within its slot: as late as a quota allows, where no rate counts seconds.
    func lateness(of shard: Shard, isPaced: Bool) -> Int64 {
        !isPaced && apps.pace(of: shard.facts.app) == nil ? Pacing.quotaLateness : Pacing.lateness
    }

    /// Counts the devices of a run that begins now.
    func charge(_ shard: Shard, _ progress: Progress, _ account: LoadedAccount) {
        guard shard.slot == nil, let quota = account.account.quota else { return }
        let isFirst = uncharged.isEmpty
        uncharged[quota, default: 0] += progress.pendingCount
        guard isFirst else { return }
        loop.assumeIsolated().scheduleTask(in: Self.chargePause) { self.chargeQuotas() }
    }

    private func chargeQuotas() {
        let charges = uncharged.sorted { $0.key.key < $1.key.key }
        uncharged = [:]
        write(.normal, "what counts against a quota", haste: .withOthers) { [ledger] transaction in
            let now = ledger.now()
            for (quota, requests) in charges { try transaction.charge(quota, requests: requests, now: now) }
        } then: { _ in
        }
    }
}
