import Campaigns
import Delivery
import Logging
import Operations
import Settings
import Store

/// Leases, ends, held campaigns, and shards that are set aside.
extension Planner {
    /// Takes and renews leases; returns the campaigns whose audiences this planner may freeze.
    func lease(_ steps: inout PlannerSteps) async throws -> Set<UInt32> {
        let (worker, apps) = (worker, apps)
        // A lease that is lost is taken anew; the end of a campaign has an event, which makes the commit synced.
        let (leases, ranges, live, isEnding) = try await ledger.write(.normal) { [ledger, limits] transaction in
            let now = ledger.now()
            let ended = try transaction.endDue(now: now)
            return (
                try transaction.leaseCampaigns(worker: worker, apps: apps, isPaced: limits.isPaced, now: now),
                try transaction.leaseRanges(worker: worker, apps: apps, now: now),
                try transaction.reader.liveWorkers(now: now), ended.isMore
            )
        }
        steps.leased(
            leases,
            ranges: ranges,
            consumers: live.count { $0.roles.contains("sender") },
            accounts: live.reduce(into: limits.reported) { $0.formUnion($1.accounts) },
            isEnding: isEnding
        )
        return Set((leases.map(\.facts) + ranges.map(\.facts)).filter { $0.stage == .planning }.map(\.number))
    }

    func releaseLeases() async throws {
        let worker = worker
        try await ledger.write(.normal) { try $0.releaseLeases(worker: worker) }
    }

    func leaseOutlook() async throws -> LeaseOutlook {
        let (worker, apps) = (worker, apps)
        return try await ledger.read { [ledger] reader in
            try reader.leaseOutlook(of: worker, apps: apps, now: ledger.now())
        }
    }

    func complete(_ campaigns: Set<UInt32>) async throws {
        // A read comes first: a synced commit at every settlement would cost more than the settlement.
        let done = try await ledger.read { reader in try campaigns.filter { try reader.mayBeDone(campaign: $0) } }
        guard !done.isEmpty else { return }
        try await ledger.write(.synced) { transaction in
            let now = ledger.now()
            for campaign in done { _ = try transaction.completeIfDone(campaign: campaign, now: now) }
        }
        dispatcher.eventsWritten()
    }

    func endPiece() async throws -> Bool {
        let isMore = try await ledger.write(.synced) { try $0.endDue(now: ledger.now()).isMore }
        dispatcher.eventsWritten()
        return isMore
    }

    // MARK: Held campaigns, and supersession

    func held(_ numbers: Set<UInt32>) async throws -> [PlannerSteps.Held] {
        try await ledger.read { reader in
            try reader.campaigns(numbers).flatMap { campaign in
                guard let urgency = try reader.urgency(of: campaign.number) else { return [PlannerSteps.Held]() }
                return try reader.shares(of: campaign).map { PlannerSteps.Held($0, urgency: urgency) }
            }
        }
    }

    func prepare(_ lease: LeasedCampaign, _ shardsMax: Int) async throws -> [ShardToPublish]? {
        let cap = limits.cap(of: lease.facts.app)
        // The rows wait for `fire`, whose synced commit is behind this one in the same log.
        let result = try await ledger.write(.normal) {
            try $0.prepare(lease.token, shardsMax: shardsMax, cap: cap, now: ledger.now())
        }
        guard case .planned(let shards) = result else { return nil }
        return shards
    }

    /// Lets a campaign supersede older ones, and begin when those have stopped (design, section 9).
    func release(_ campaign: UInt32) async throws -> ReleaseResult {
        let (result, marked) = try await ledger.write(.synced) { [ledger] transaction in
            let now = ledger.now()
            return try transaction.release(campaign: campaign, shared: now, now: now)
        }
        if marked {
            logger.notice("older campaigns are superseded", metadata: ["by": "\(campaign)"])
            dispatcher.eventsWritten()
            // Other workers poll within 500 ms.
            poll.wake()
        }
        return result
    }

    // MARK: Shards that are set aside

    func isProbeDue(_ lease: LeasedCampaign) async throws -> Bool {
        try await ledger.read {
            try $0.isProbeDue(campaign: lease.facts.number, share: lease.facts.share, now: ledger.now())
        }
    }

    func probe(_ lease: LeasedCampaign) async throws {
        let cap = limits.cap(of: lease.facts.app)
        await dispatcher.publish(
            try await ledger.write(.synced) { try $0.beginProbe(lease.token, cap: cap, now: ledger.now()) }
        )
    }

    func hasAside(_ lease: LeasedCampaign) async throws -> Bool {
        let (campaign, share) = (lease.facts.number, lease.facts.share)
        return try await ledger.read {
            try !$0.openShards(campaign: campaign, states: [.aside], of: share.map { [$0] }, limit: 1).isEmpty
        }
    }

    func releaseAside(_ lease: LeasedCampaign, _ limit: Int) async throws -> Int {
        let shards = try await ledger.write(.synced) {
            try $0.releaseAside(
                campaign: lease.facts.number,
                share: lease.facts.share,
                knowsApp: true,
                isPaced: lease.isPaced,
                limit: limit,
                now: ledger.now()
            )
        }
        await dispatcher.publish(shards)
        return shards.count
    }
}
