import Campaigns
import Delivery
import PushProviders
import Store

/// Campaigns under a rate: their shards get turns, ahead of time and in batches.
extension Planner {
    /// When a campaign is to be looked at again.
    typealias PacedRests = [UInt32: ContinuousClock.Instant]

    /// Whether a campaign, its app, or its provider has a limit.
    func isPaced(_ lease: LeasedCampaign) -> Bool { limits.isPaced(lease.facts, lease.provider, lease.urgency) }

    /// Whether shards that are out wait for their turns: by the campaign's rate, its app's, or its provider's quota.
    func isPaced(_ use: WindowUse) -> Bool {
        use.isPaced || limits.isPaced(app: use.app, provider: use.lane.provider, urgency: use.lane.urgency)
    }

    /// Gives turns to every campaign that may have some; those that other workers plan now are left to them.
    func giveTurns(_ leases: [LeasedCampaign], _ rests: inout PacedRests) async throws {
        let now = ContinuousClock.now
        let paced = leases.filter { isPaced($0) && $0.facts.mayPlan(at: ledger.now()) }
        rests = rests.filter { campaign, _ in paced.contains { $0.facts.number == campaign } }
        // The shares of a campaign of several providers have one line: a look is at all of them.
        for lease in paced where rests[lease.facts.number].map({ $0 <= now }) ?? true {
            guard outlet.isTaking else { return }
            let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
            let (appPace, cap) = (limits.pace(of: lease.facts.app), limits.cap(of: lease.facts.app))
            let quotas = quotas(of: leases.filter { $0.facts.number == campaign })
            let step = try await ledger.write(.normal) { [ledger] transaction in
                try transaction.givePacedTurns(
                    campaign: campaign,
                    appPace: appPace,
                    quotas: quotas,
                    cap: cap,
                    leaseEpoch: epoch,
                    worker: worker,
                    now: ledger.now()
                )
            }
            rests[campaign] = now + max(Self.turnPause, .microseconds(step.rest))
            if !step.shards.isEmpty { outlet.eventsWritten() }
            await outlet.publish(step.shards)
        }
    }

    /// The quotas that a campaign's shards wait for, by their providers: of all its leases, also of those that may not be
    /// sent to now, because that may be over when turns are given.
    private func quotas(of leases: [LeasedCampaign]) -> [ProviderName: ProviderQuota] {
        var quotas: [ProviderName: ProviderQuota] = [:]
        for lease in leases where lease.urgency == .bulk {
            quotas[lease.provider] = limits.quota(app: lease.facts.app, provider: lease.provider)
        }
        return quotas
    }

    /// Between looks at one campaign at least, so that nothing to give away costs little.
    private static let turnPause = Duration.milliseconds(50)
}
