import Campaigns
import Delivery
import Store

/// Campaigns under a rate: their shards get turns, ahead of time and in batches.
extension Planner {
    /// When a campaign is to be looked at again.
    typealias PacedRests = [UInt32: ContinuousClock.Instant]

    /// Whether a campaign, or its app, has a rate.
    func isPaced(_ facts: CampaignFacts) -> Bool { facts.pace != nil || limits.pace(of: facts.app) != nil }

    /// Gives turns to every campaign that may have some; those that other workers plan now are left to them.
    func giveTurns(_ leases: [LeasedCampaign], _ rests: inout PacedRests) async throws {
        let now = ContinuousClock.now
        let paced = leases.filter { isPaced($0.facts) && $0.facts.mayPlan(at: WallClock.now()) }
        rests = rests.filter { campaign, _ in paced.contains { $0.facts.number == campaign } }
        // The shares of a campaign of several providers have one line: a look is at all of them.
        for lease in paced where rests[lease.facts.number].map({ $0 <= now }) ?? true {
            guard outlet.isTaking else { return }
            let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
            let (appPace, cap) = (limits.pace(of: lease.facts.app), limits.cap(of: lease.facts.app))
            let step = try await ledger.write(.normal) { [ledger] transaction in
                try transaction.givePacedTurns(
                    campaign: campaign,
                    appPace: appPace,
                    cap: cap,
                    leaseEpoch: epoch,
                    worker: worker,
                    now: ledger.sharedTime(WallClock.now())
                )
            }
            rests[campaign] = now + max(Self.turnPause, .microseconds(step.rest))
            if !step.shards.isEmpty { outlet.eventsWritten() }
            await outlet.publish(step.shards)
        }
    }

    /// Between looks at one campaign at least, so that nothing to give away costs little.
    private static let turnPause = Duration.milliseconds(50)
}
