import Campaigns
import Delivery

/// A planner whose steps the test executes; `world` supplies the reads and the results of steps.
struct TestPlanner {
    typealias Step = PlannerSteps.Step

    var steps = PlannerSteps(prefetch: 4)
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var shared = Fixtures.now
    var isTaking = true
    var isInTime = true
    /// The leases that the ledger returns.
    var leases: [LeasedCampaign] = []
    var ranges: [LeasedAudience] = []
    var isEnding = false
    /// The outlook that the ledger returns.
    var outlook = LeaseOutlook(isAnyFree: false, nextEnd: nil, isSweeper: true)
    var accounts = AppAccounts(["news": [.apns, .fcm]])

    func observation(isHinted: Bool = false, progressed: Set<UInt32> = []) -> PlannerSteps.Observation {
        PlannerSteps.Observation(
            now: now,
            shared: shared,
            isInTime: isInTime,
            isTaking: isTaking,
            isHinted: isHinted,
            progressed: progressed
        )
    }

    /// Executes one pass, and sleeps as long as the planner wants; returns its steps without the sleep.
    mutating func pass(
        isHinted: Bool = false,
        progressed: Set<UInt32> = [],
        _ answer: (inout PlannerSteps, Step, PlannerSteps.Observation) -> Void = { _, _, _ in }
    ) -> [Step] {
        var taken: [Step] = []
        var (isHinted, progressed) = (isHinted, progressed)
        while true {
            let step = steps.next(observation(isHinted: isHinted, progressed: progressed))
            (isHinted, progressed) = (false, [])
            if case .rest(let until) = step {
                if until > now { now = until }
                if !taken.isEmpty { return taken }
                continue
            }
            taken.append(step)
            if case .lease = step {
                steps.leased(leases, ranges: ranges, consumers: 1, accounts: accounts, isEnding: isEnding)
            }
            if case .lookForLeases = step { steps.didLook(outlook, observation()) }
            answer(&steps, step, observation())
        }
    }

    mutating func advance(_ span: Duration) {
        now = now.advanced(by: span)
        shared = shared.advanced(by: span)
    }
}

extension LeasedCampaign {
    static func fixture(
        _ number: UInt32 = 1,
        _ stage: CampaignStage = .sending,
        share: ProviderName? = nil,
        unplanned: Int = 0,
        isPaced: Bool = false,
        _ change: (inout CampaignFacts) -> Void = { _ in }
    ) -> LeasedCampaign {
        var facts = Fixtures.campaign(stage, expiresIn: 86_400)
        facts.number = number
        (facts.share, facts.hasShares) = (share, share != nil)
        change(&facts)
        return LeasedCampaign(
            facts: facts,
            urgency: .bulk,
            provider: share ?? .apns,
            leaseEpoch: 1,
            worker: 1,
            unplannedChunks: unplanned,
            isPaced: isPaced
        )
    }
}

extension LeasedAudience {
    static func range(_ number: Int, of campaign: LeasedCampaign, left: Int64 = 10_000) -> LeasedAudience {
        LeasedAudience(
            facts: campaign.facts,
            urgency: campaign.urgency,
            token: LeaseToken(campaign: campaign.facts.number, range: number, epoch: 1, worker: 1),
            left: left
        )
    }
}

extension ProviderName {
    static let fcm = ProviderName(rawValue: "fcm")
    static let web = ProviderName(rawValue: "webpush")
}
