import Campaigns
import Delivery
import Store

/// The short way of urgent campaigns: shards that were accepted as claimed, with the campaign's message as their lease.
extension WorkCoordinator {
    /// Runs shards that this process claimed when it accepted their campaign.
    func runClaimed(_ claimed: [ShardToPublish], _ delivery: ShardDelivery) {
        tell { shards, now in
            shards.leased(delivery, shards: claimed.count)
            for shard in claimed { shards.accepted(Self.decoded(shard), shard.record, delivery, at: now) }
        }
    }

    /// Claims the shards of an urgent campaign whose message came back; without the app's credentials their claims set
    /// them aside.
    func reclaim(_ left: [ShardToPublish], _ delivery: ShardDelivery) {
        tell { shards, now in
            shards.leased(delivery, shards: left.count)
            for shard in left {
                var own = delivery
                own.generation = shard.record.generation
                shards.delivered(Self.decoded(shard), own, at: now)
            }
        }
    }

    private static func decoded(_ shard: ShardToPublish) -> Shard {
        do {
            return try shard.shard()
        } catch {
            preconditionFailure("shard \(shard.record.id) of the ledger cannot be read: \(error)")
        }
    }
}
