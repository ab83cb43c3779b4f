import Campaigns
import Delivery

/// The fast path of urgent campaigns: shards are claimed at acceptance, and the campaign's message is their lease.
extension WorkCoordinator {
    /// Runs shards that this process claimed when it accepted their campaign.
    func runClaimed(_ claimed: [ShardToPublish], _ delivery: ShardDelivery) {
        tell { shards, now in
            shards.leased(delivery, shards: claimed.count)
            for shard in claimed { shards.accepted(Self.decoded(shard), shard.record, delivery, at: now) }
        }
    }

    /// Claims the shards of a redelivered urgent campaign; without the app's credentials the claims set them aside.
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
