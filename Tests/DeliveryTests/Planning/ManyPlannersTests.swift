import Campaigns
import Delivery
import Testing

/// The cost of planners beside the one that has the lease.
@Suite struct ManyPlannersTests {
    /// The steps of ten seconds that write to the ledger, and the others without pauses.
    private struct Cost: Equatable {
        var writes = 0
        var reads = 0
    }

    /// Runs some planners for ten seconds while the first one cuts a campaign without end.
    private func cost(of count: Int) -> Cost {
        let lease = LeasedCampaign.fixture(unplanned: 1_000_000)
        let window = WindowUse(campaign: 1, app: "news", lane: lease.lane, firstAttempts: 15, retries: 0)
        var cost = Cost()
        for number in 0..<count {
            var planner = TestPlanner()
            planner.leases = number == 0 ? [lease] : []
            planner.outlook.isSweeper = number == 0
            planner.outlook.nextEnd = number == 0 ? nil : planner.shared.advanced(by: PlannerLease.length)
            // The first seconds of a planner are not those of its life.
            for _ in 0..<20 { _ = pass(&planner, window) }
            let end = planner.now.advanced(by: .seconds(10))
            while planner.now < end {
                for step in pass(&planner, window) {
                    switch step {
                    case .lookForLeases, .readWindow, .extendQuiet, .publishLeft, .republishLost, .checkAside:
                        cost.reads += 1
                    default: cost.writes += 1
                    }
                }
            }
        }
        return cost
    }

    private func pass(_ planner: inout TestPlanner, _ window: WindowUse) -> [PlannerSteps.Step] {
        planner.pass { steps, step, observation in
            if step == .readWindow { steps.didRead(window: [window], observation) }
            if case .cut(_, let shardsMax) = step { steps.cut(.planned(shardsMax)) }
        }
    }

    @Test func `sixteen planners write what one writes, and each of the others reads twice a second`() {
        let (one, sixteen) = (cost(of: 1), cost(of: 16))
        #expect(one.writes > 20)
        #expect(sixteen.writes == one.writes)
        #expect(sixteen.reads - one.reads <= 15 * 21)
    }
}
