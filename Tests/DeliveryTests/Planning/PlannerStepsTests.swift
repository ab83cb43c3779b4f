import Campaigns
import Delivery
import Testing

@Suite struct PlannerStepsTests {
    typealias Step = PlannerSteps.Step

    // MARK: Leases

    @Test func `a planner that has begun takes leases at once, then every 500 ms, under a rate every 200`() {
        for (isPaced, pause) in [(false, 500), (true, 200)] {
            var planner = TestPlanner()
            planner.leases = [.fixture(isPaced: isPaced)]
            #expect(planner.pass().contains(.lease))
            var passed = Duration.zero
            while true {
                let before = planner.now
                let steps = planner.pass()
                passed += planner.now.since(before)
                if steps.contains(.lease) { break }
            }
            #expect(passed >= .milliseconds(pause) && passed <= .milliseconds(pause + 200))
        }
    }

    @Test func `a hint takes leases at once`() {
        var planner = TestPlanner()
        _ = planner.pass()
        #expect(!planner.pass().contains(.lease))
        #expect(planner.pass(isHinted: true).contains(.lease))
    }

    @Test func `what has no planner, or one that has not renewed its lease, is taken at once`() {
        var planner = TestPlanner()
        _ = planner.pass()
        planner.outlook.isAnyFree = true
        #expect(planner.pass().prefix(2) == [.lookForLeases, .lease])
    }

    /// Runs passes for a while; returns how often each step was taken, and how often the planner slept.
    private func run(_ planner: inout TestPlanner, _ span: Duration) -> (looks: Int, leases: Int, passes: Int) {
        var (looks, leases, passes) = (0, 0, 0)
        let end = planner.now.advanced(by: span)
        while planner.now < end {
            let steps = planner.pass()
            looks += steps.count { $0 == .lookForLeases }
            leases += steps.count { $0 == .lease }
            passes += 1
        }
        return (looks, leases, passes)
    }

    @Test func `a planner without a lease writes nothing and looks twice a second`() {
        var planner = TestPlanner()
        planner.outlook.isSweeper = false
        _ = planner.pass()
        let (looks, leases, passes) = run(&planner, .seconds(10))
        #expect(leases == 0 && looks <= 21 && passes <= looks + 1)
    }

    @Test func `it looks as soon as the lease of another planner may have lapsed, and not sooner`() {
        var planner = TestPlanner()
        _ = planner.pass()
        for (left, pause) in [(300, 300), (3_000, 500), (20, 100), (0, 100)] {
            planner.outlook.nextEnd = planner.shared.advanced(by: .milliseconds(left))
            let looked = planner.now
            #expect(planner.pass().contains(.lookForLeases))
            #expect(planner.now.since(looked) == .milliseconds(pause), "\(left) ms")
        }
    }

    @Test func `one planner sweeps for all, and each sweeps its own campaigns`() {
        var planner = TestPlanner()
        planner.leases = [.fixture()]
        planner.outlook.isSweeper = false
        // Until it has looked it sweeps, because there may be no other.
        #expect(planner.pass().contains(.sweepLists))
        var steps: [Step] = []
        for _ in 0..<30 { steps += planner.pass() }
        #expect(
            steps.contains(.publishLeft(campaign: 1, age: .seconds(10))) && steps.contains(.republishLost(.fixture()))
        )
        #expect(!steps.contains(.extendQuiet) && !steps.contains(.sweepLists))
        #expect(!steps.contains(.publishLeft(campaign: nil, age: .seconds(60))))
    }

    @Test func `with a clock that is lost a planner gives its leases back once, and neither takes nor ends any`() {
        var planner = TestPlanner()
        (planner.leases, planner.isEnding) = ([.fixture()], true)
        #expect(planner.pass().contains(.endPiece))
        planner.isInTime = false
        let steps = planner.pass(isHinted: true) + planner.pass(isHinted: true)
        #expect(steps.filter { $0 == .giveUpLeases } == [.giveUpLeases])
        #expect(!steps.contains(.lease) && !steps.contains(.endPiece) && !steps.contains(.sweepLists))
    }

    @Test func `a ledger that fails ends the pass, and is asked again after a second`() {
        var planner = TestPlanner()
        #expect(planner.steps.next(planner.observation()) == .lease)
        planner.steps.failed(planner.now)
        #expect(planner.steps.next(planner.observation()) == .rest(until: planner.now.advanced(by: .seconds(1))))
    }

    // MARK: Ends

    @Test func `what is still being cut is not asked whether it is done, a share of several is`() {
        var planner = TestPlanner()
        planner.leases = [
            .fixture(1, unplanned: 5), .fixture(2), .fixture(3, share: .apns, unplanned: 5),
        ]
        _ = planner.pass()
        let steps = planner.pass(progressed: [1, 2, 3, 4])
        #expect(steps.first == .complete([2, 3, 4]))
    }

    @Test func `what campaigns that are over have left is settled piece by piece, a piece a pass`() {
        var planner = TestPlanner()
        planner.isEnding = true
        for isMore in [true, true, false] {
            let steps = planner.pass { steps, step, _ in step == .endPiece ? steps.endedPiece(isMore: isMore) : () }
            #expect(steps.filter { $0 == .endPiece } == [.endPiece])
        }
        #expect(!planner.pass().contains(.endPiece))
    }

    // MARK: Held campaigns

    private func shard(_ urgency: Urgency = .bulk) -> ShardToPublish {
        var facts = Fixtures.shard().facts
        facts.policy.urgency = urgency
        return ShardToPublish(record: Fixtures.row(.aside, aside: .held), facts: facts, firstIndex: 0, devices: [])
    }

    private func held(_ planner: inout TestPlanner) -> [Step] {
        planner.leases = [.fixture(1, .held)]
        return planner.pass { steps, step, _ in if case .prepare = step { steps.prepared([shard()]) } }
    }

    @Test func `the first shards of a held campaign are prepared once, as many as a lane has places`() {
        var planner = TestPlanner()
        #expect(held(&planner).contains(.prepare(.fixture(1, .held), shardsMax: 16)))
        #expect(!planner.pass(isHinted: true).contains { if case .prepare = $0 { true } else { false } })
    }

    @Test func `fired, they go out before everything else, with the end and in the lane of now`() throws {
        var planner = TestPlanner()
        _ = held(&planner)
        planner.leases = []
        var fired = LeasedCampaign.fixture(1, .scheduled).facts
        fired.expiresAt = Fixtures.after(7)
        let steps = planner.pass(isHinted: true) { steps, step, observation in
            if case .readHeld = step { steps.didRead(held: [.init(fired, urgency: .urgent)], observation) }
        }
        var shard = shard()
        (shard.record.state, shard.facts.expiresAt) = (.unpublished, fired.expiresAt)
        shard.facts.policy.urgency = .urgent
        #expect(steps.prefix(3) == [.readHeld([1]), .publishFired([shard]), .lease])
    }

    @Test func `what is held still, or fired and paused, does not go out`() {
        for (stage, paused): (CampaignStage, Set<AsideReason>) in [(.held, []), (.scheduled, [.paused])] {
            var planner = TestPlanner()
            _ = held(&planner)
            let facts = LeasedCampaign.fixture(1, stage) { $0.pausedBy = paused }.facts
            let steps = planner.pass(isHinted: true) { steps, step, observation in
                if case .readHeld = step { steps.didRead(held: [.init(facts, urgency: .bulk)], observation) }
            }
            #expect(!steps.contains { if case .publishFired = $0 { true } else { false } })
        }
    }

    @Test func `one that got another urgency is prepared for its other lane, one under a rate not at all`() {
        var planner = TestPlanner()
        _ = held(&planner)
        planner.leases[0].urgency = .urgent
        let steps = planner.pass(isHinted: true)
        #expect(steps.contains { if case .prepare(let lease, _) = $0 { lease.urgency == .urgent } else { false } })
        planner.leases = [.fixture(2, .held, isPaced: true)]
        #expect(!planner.pass(isHinted: true).contains { if case .prepare = $0 { true } else { false } })
    }

    // MARK: Superseding

    @Test func `a campaign of several providers is released once, and asked again at once while it waits`() {
        var planner = TestPlanner()
        planner.leases = [.apns, .fcm].map { share in
            .fixture(1, .scheduled, share: share, unplanned: 1) { $0.isReleased = false }
        }
        var steps = planner.pass { steps, step, _ in if case .release = step { steps.released(.waits) } }
        #expect(steps.filter { $0 == .release(campaign: 1) }.count == 1 && !steps.contains(.readWindow))
        steps = planner.pass { steps, step, _ in if case .release = step { steps.released(.released) } }
        #expect(steps.contains(.lease) && steps.contains(.release(campaign: 1)) && steps.contains(.readWindow))
        #expect(!planner.pass().contains(.lease))
    }
}
