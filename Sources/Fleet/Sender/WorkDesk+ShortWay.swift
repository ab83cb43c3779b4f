import Campaigns
import Delivery
import Store

/// The short way of urgent campaigns: shards that were accepted as claimed, with the campaign's message as their lease.
extension WorkDesk {
    /// Runs a shard that this process claimed when it accepted its campaign.
    func runClaimed(_ shard: ShardToPublish, _ delivery: ShardDelivery) {
        guard let (decoded, account) = prepare(shard) else { return ack(delivery) }
        let began = running.began(
            shard.record.id.key,
            epoch: shard.record.epoch,
            delivery,
            now: WallClock.now()
        )
        // Without its connection the campaign's message comes back, and with it this shard.
        if began { begin(decoded, shard.record, account) }
    }

    /// Claims a shard of an urgent campaign whose message came back.
    func reclaim(_ shard: ShardToPublish, _ delivery: ShardDelivery) {
        guard let (decoded, _) = prepare(shard) else { return ack(delivery) }
        var own = delivery
        own.generation = shard.record.generation
        arrived(decoded, own)
    }

    private func prepare(_ shard: ShardToPublish) -> (Shard, LoadedAccount)? {
        guard let account = apps.account(app: shard.facts.app, provider: shard.facts.provider) else { return nil }
        do {
            return (try shard.shard(), account)
        } catch {
            preconditionFailure("shard \(shard.record.id) of the ledger cannot be read: \(error)")
        }
    }
}
