import Campaigns
import Delivery
import Store

/// The short way of urgent campaigns: shards that were accepted as claimed, with the campaign's message as their lease.
extension WorkDesk {
    /// Runs a shard that this process claimed when it accepted its campaign.
    func runClaimed(_ shard: ShardToPublish, _ delivery: ShardDelivery) {
        // Beside one that runs alone it would die with it, and count as its like.
        if quarantine.isOn {
            return quarantine.hold(Quarantine.Held(decoded(shard), delivery, claimed: shard.record))
        }
        beginClaimed(decoded(shard), shard.record, delivery)
    }

    func beginClaimed(_ shard: Shard, _ record: ShardRecord, _ delivery: ShardDelivery) {
        let key = shard.id.key
        guard let account = apps.account(app: shard.facts.app, provider: shard.facts.provider) else {
            preconditionFailure("\(shard.id) was claimed without an account")
        }
        // Without its connection the campaign's message comes back, and with it this shard.
        guard running.began(key, epoch: record.epoch, delivery, now: ledger.now()) else {
            return giveUp(key, epoch: record.epoch)
        }
        begin(shard, record, account)
        if isHandingOver { stop(key, .setAside(.handOver)) }
    }

    /// Claims a shard of an urgent campaign whose message came back; without the app's credentials the claim sets it
    /// aside.
    func reclaim(_ shard: ShardToPublish, _ delivery: ShardDelivery) {
        var own = delivery
        own.generation = shard.record.generation
        arrived(decoded(shard), own)
    }

    private func decoded(_ shard: ShardToPublish) -> Shard {
        do {
            return try shard.shard()
        } catch {
            preconditionFailure("shard \(shard.record.id) of the ledger cannot be read: \(error)")
        }
    }
}
