import Campaigns
import Delivery
import NIOCore
import Store
import Transport

/// The shards of a campaign whose messages the broker has lost: their lane is empty, or has moved past them.
struct LostShards: Sendable {
    let ledger: Ledger
    let endpoint: AMQPEndpoint
    let loop: any EventLoop

    /// Returns the shards that `Sweep` wants published again; asks for the lane only when there are candidates.
    func find(_ lease: LeasedCampaign) async throws -> [ShardRecord] {
        let (campaign, share) = (lease.facts.number, lease.facts.share)
        let candidates = try await ledger.read {
            try $0.lostShards(
                campaign: campaign,
                share: share,
                timeout: Sweep.lostAfter,
                now: ledger.now(),
                limit: 100
            )
        }
        guard !candidates.isEmpty else { return [] }
        let lane = await probe(lease.lane)
        let now = ledger.now()
        return try await ledger.read { reader in
            try candidates.filter { shard in
                // The ledger returns rows that have not changed for the whole timeout.
                let since = shard.dueAt ?? now.advanced(by: .zero - Sweep.lostAfter)
                let owner = try reader.owner(of: shard, now: now)
                return Sweep.action(
                    for: shard,
                    outboxWrittenAt: nil,
                    since: since,
                    lane: lane,
                    owner: owner,
                    now: now
                ) == .publishAnew
            }
        }
    }

    private func probe(_ lane: Lane) async -> Sweep.LaneProbe {
        do {
            let client = try await AMQPClient.connect(endpoint, name: "fanfare sweep", on: loop)
            let counts = try await client.counts(of: BrokerNames.workQueue(lane))
            await client.close()
            if counts?.ready == 0 { return .empty }
            let published = try await ledger.read { try $0.lastClaimedPublish(of: lane) }
            return published.map { .movedPast($0) } ?? .unknown
        } catch {
            return .unknown  // so nothing is published again
        }
    }
}
