import Campaigns
import Delivery
import Settings
import Store

/// Cutting: new shards.
extension Planner {
    /// Returns what is out and unclaimed; the present limits decide if it is paced.
    func windowUse() async throws -> [WindowUse] {
        var uses = try await ledger.read { try $0.windowUse() }
        for index in uses.indices where !uses[index].isPaced {
            let (app, lane) = (uses[index].app, uses[index].lane)
            uses[index].isPaced = limits.isPaced(app: app, provider: lane.provider, urgency: lane.urgency)
        }
        return uses
    }

    func cut(_ lease: LeasedCampaign, _ shardsMax: Int) async throws -> (PlannerSteps.Cut, [ShardToPublish]) {
        let cap = limits.cap(of: lease.facts.app)
        // The messages follow, and the ledger must know every shard that the broker has.
        let result = try await ledger.write(.synced) {
            try $0.plan(lease.token, shardsMax: shardsMax, cap: cap, now: ledger.now())
        }
        return switch result {
        case .planned(let shards): (.planned(shards.count), shards)
        case .fenced, .waits: (.nothing, [])
        case .guarded: (.guarded, [])
        }
    }
}
