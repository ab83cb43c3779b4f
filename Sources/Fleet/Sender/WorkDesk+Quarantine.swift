import Campaigns
import Delivery
import Logging

/// Shards that run alone, as `Quarantine` decides.
extension WorkDesk {
    /// Goes on with quarantined shards, and with what waited for them, when what ran has ended.
    func goOnAlone() {
        switch quarantine.next(running) {
        case nil: return
        case .goOn(let held):
            for held in held {
                if let record = held.claimed {
                    beginClaimed(held.shard, record, held.delivery)
                } else {
                    arrived(held.shard, held.delivery)
                }
            }
        case .runAlone(let held):
            logger.warning(
                "a shard whose last claims ended with their workers runs alone",
                metadata: ["shard": "\(held.shard.id)"]
            )
            follow(running.arrived(held.shard.id.key, held.delivery), held.shard, held.delivery)
        }
    }
}
