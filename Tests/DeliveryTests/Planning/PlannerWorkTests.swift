import Campaigns
import Delivery
import Testing

/// A planner's work for its campaigns once it has them.
@Suite struct PlannerWorkTests {
    typealias Step = PlannerSteps.Step

    // MARK: Rows set aside

    @Test func `what is set aside goes out at the breaker's pace until nothing is due`() {
        var planner = TestPlanner()
        let lease = LeasedCampaign.fixture { $0.breaker = .closed(since: Fixtures.now) }
        planner.leases = [lease]
        let limit = lease.facts.breaker.pace(now: Fixtures.now)
        var left = [limit - 1, 0][...]
        let steps = planner.pass { steps, step, observation in
            if case .checkAside = step { steps.didCheckAside(isThere: true, observation) }
            if case .releaseAside = step { steps.releasedAside(left.popFirst() ?? 0) }
        }
        #expect(limit > 1)
        #expect(
            steps.prefix(5) == [
                .lease, .complete([1]), .checkAside(lease), .releaseAside(lease, limit: limit),
                .releaseAside(lease, limit: 1),
            ]
        )
        #expect(steps.filter { if case .releaseAside = $0 { true } else { false } }.count == 2)
    }

    @Test func `of an open breaker only a probe goes out, when one is due`() {
        for isDue in [true, false] {
            var planner = TestPlanner()
            let lease = LeasedCampaign.fixture(unplanned: 3) { $0.breaker = .open(probe: nil) }
            planner.leases = [lease]
            let steps = planner.pass { steps, step, _ in
                if case .checkProbe = step { steps.didCheckProbe(isDue: isDue) }
            }
            #expect(steps.contains(.probe(lease)) == isDue)
            #expect(!steps.contains(.checkAside(lease)) && !steps.contains(.readWindow))
        }
    }

    @Test func `while the broker takes nothing, nothing is released, probed, cut or given a turn`() {
        var planner = TestPlanner()
        planner.isTaking = false
        planner.leases = [
            .fixture(1, unplanned: 3), .fixture(2) { $0.breaker = .open(probe: nil) }, .fixture(3, isPaced: true),
        ]
        let steps = planner.pass()
        #expect(steps == [.lease, .complete([2, 3]), .extendQuiet, .sweepLists])
    }

    @Test func `a broker that stops taking ends what was to be published in this pass`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1), .fixture(2)]
        var asked = 0
        while true {
            let step = planner.steps.next(planner.observation())
            if case .rest = step { break }
            if case .lease = step {
                planner.steps.leased(planner.leases, consumers: 1, accounts: planner.accounts, isEnding: false)
            }
            if case .checkAside = step { (asked, planner.isTaking) = (asked + 1, false) }
        }
        #expect(asked == 1)
    }

    // MARK: New shards

    @Test func `free places are shared among a lane's campaigns, and each is cut by its share`() {
        var planner = TestPlanner()
        let (first, second) = (LeasedCampaign.fixture(1, unplanned: 100), LeasedCampaign.fixture(2, unplanned: 3))
        planner.leases = [first, second]
        let lane = first.lane
        let use = WindowUse(campaign: 1, app: "news", lane: lane, firstAttempts: 6, retries: 0)
        let paced = WindowUse(campaign: 9, app: "news", lane: lane, isPaced: true, firstAttempts: 500, retries: 0)
        let steps = planner.pass { steps, step, observation in
            if step == .readWindow { steps.didRead(window: [use, paced], observation) }
        }
        #expect(steps.suffix(3) == [.readWindow, .cut(first, shardsMax: 7), .cut(second, shardsMax: 3)])
    }

    @Test func `what the planner may not send is not cut`() {
        let leases: [LeasedCampaign] = [
            .fixture(1, unplanned: 1, isPaced: true), .fixture(2, unplanned: 1) { $0.pausedBy = [.paused] },
            .fixture(3, unplanned: 1) { $0.app = "unknown" }, .fixture(4, .held, unplanned: 1),
            .fixture(5, unplanned: 1) { $0.isReleased = false }, .fixture(6),
        ]
        for lease in leases {
            var planner = TestPlanner()
            planner.leases = [lease]
            #expect(!planner.pass().contains(.readWindow), "\(lease.facts.number)")
        }
    }

    @Test(arguments: [
        (PlannerSteps.Cut.planned(3), true), (.planned(5), false), (.nothing, false), (.guarded, false),
    ])
    func `a planner looks again soon only while there is something left that may be cut`(
        _ cut: PlannerSteps.Cut,
        _ isBusy: Bool
    ) {
        var planner = TestPlanner()
        planner.leases = [.fixture(unplanned: 5)]
        let before = planner.now
        _ = planner.pass { steps, step, observation in
            if step == .readWindow { steps.didRead(window: [], observation) }
            if case .cut = step { _ = steps.cut(cut) }
        }
        #expect((planner.now.since(before) < PlannerSteps.idlePause) == isBusy)
    }

    @Test func `a campaign's first shards are told once`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1, .scheduled, unplanned: 5)]
        var told: [Bool] = []
        for _ in 0..<2 {
            _ = planner.pass { steps, step, observation in
                if step == .readWindow { steps.didRead(window: [], observation) }
                if case .cut = step { told.append(steps.cut(.planned(1))) }
            }
        }
        #expect(told == [true, false])
    }

    // MARK: Turns

    @Test func `a campaign under a rate is asked once for all its providers, and again when its rest is over`() {
        var planner = TestPlanner()
        var urgent = LeasedCampaign.fixture(1, share: .web, isPaced: true)
        urgent.urgency = .urgent
        planner.leases = [.fixture(1, share: .apns, isPaced: true), .fixture(1, share: .fcm, isPaced: true), urgent]
        planner.accounts = AppAccounts(["news": [.apns]])
        func turns(_ rest: Int64) -> [Step] {
            planner.pass { steps, step, observation in
                if case .giveTurns = step { steps.gaveTurns(rest: rest, observation.now) }
            }
            .filter {
                if case .giveTurns = $0 { true } else { false }
            }
        }
        #expect(turns(400_000) == [.giveTurns(planner.leases[0], providers: [.apns, .fcm])])
        let given = planner.now
        #expect(turns(0).isEmpty)
        while turns(0).isEmpty {}
        // A sleep before, one after the pass that assigned them.
        #expect(planner.now.since(given) >= .milliseconds(300) && planner.now.since(given) < .milliseconds(700))
    }

    // MARK: Runs and audiences

    private func repeated(_ number: UInt32) -> LeasedCampaign {
        .fixture(number) { ($0.isRepeated, $0.sendAt) = (true, Fixtures.now) }
    }

    @Test func `a run that cannot be made rests for five seconds, and the others are made`() {
        var planner = TestPlanner()
        planner.leases = [repeated(1), repeated(2)]
        func runs() -> [UInt32] {
            var campaigns: [UInt32] = []
            _ = planner.pass { steps, step, observation in
                guard case .makeRun(let lease) = step else { return }
                campaigns.append(lease.facts.number)
                if lease.facts.number == 1 { steps.failed(observation.now) } else { steps.madeRun(false) }
            }
            return campaigns
        }
        #expect(runs() == [1, 2])
        #expect(runs() == [2])
        planner.advance(.seconds(5))
        #expect(runs() == [1, 2])
    }

    @Test func `what was made, or is known now, is leased by the next pass`() {
        var planner = TestPlanner()
        planner.leases = [repeated(1)]
        _ = planner.pass { steps, step, _ in if case .makeRun = step { steps.madeRun(true) } }
        #expect(planner.pass().contains(.lease))
        planner = TestPlanner()
        planner.leases = [.fixture(1, .planning)]
        _ = planner.pass { steps, step, _ in if case .freeze = step { steps.froze(.done) } }
        #expect(planner.pass().contains(.lease))
    }

    @Test func `audiences share one slice in turn: who used it up comes last in the next`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1, .planning), .fixture(2, .planning)]
        func frozen(_ work: PlannerSteps.Freezing, after span: Duration) -> [UInt32] {
            var campaigns: [UInt32] = []
            while true {
                let step = planner.steps.next(planner.observation())
                if case .rest(let until) = step {
                    if !campaigns.isEmpty { return campaigns }
                    planner.now = max(planner.now, until)
                }
                if step == .lease {
                    planner.steps.leased(planner.leases, consumers: 1, accounts: planner.accounts, isEnding: false)
                }
                guard case .freeze(let audience, let limit) = step else { continue }
                #expect(limit == PlannerSteps.freezeSlice / 2)
                campaigns.append(audience.facts.number)
                planner.now = planner.now.advanced(by: span)
                planner.steps.froze(work)
            }
        }
        #expect(frozen(.goesOn, after: PlannerSteps.freezeSlice) == [1])
        #expect(frozen(.goesOn, after: PlannerSteps.freezeSlice) == [2])
        #expect(frozen(.done, after: PlannerSteps.freezeSlice / 2) == [1, 2])
    }

    @Test func `a small audience gets a seat before big ones that are frozen as a whole, which wait for it`() {
        var planner = TestPlanner()
        planner.leases = (1...4).map { .fixture($0, .planning) }
        func frozen(left: Int64) -> Set<UInt32> {
            var campaigns: Set<UInt32> = []
            _ = planner.pass { steps, step, _ in
                guard case .freeze(let audience, _) = step else { return }
                campaigns.insert(audience.facts.number)
                steps.froze(.goesOn, left: audience.facts.number == 5 ? 10_000 : left - Int64(audience.facts.number))
            }
            return campaigns
        }
        #expect(frozen(left: 5_000_000) == [1, 2, 3, 4])
        planner.leases.append(.fixture(5, .planning))
        // Nothing is known of it: it has a turn, and then less left than the others.
        let key = AudienceKey(campaign: 1, range: nil)
        let steps = planner.pass(isHinted: true) { steps, step, _ in
            if case .freeze(let audience, _) = step {
                steps.froze(.goesOn, left: audience.facts.number == 5 ? 10_000 : 4_000_000)
            }
        }
        #expect(steps.contains(.leave(key)))
        #expect(steps.contains(.freeze(planner.leases[4].audience, upTo: PlannerSteps.freezeSlice / 4)))
        #expect(frozen(left: 4_000_000).isSuperset(of: [5]))
    }

    @Test func `a slice ends when it is used up, and at the first page after a hint`() {
        let slice = FreezingSlice(upTo: PlannerSteps.freezeSlice)
        #expect(slice.goesOn(used: .zero, isHinted: false))
        #expect(slice.goesOn(used: PlannerSteps.freezeSlice - .nanoseconds(1), isHinted: false))
        #expect(!slice.goesOn(used: PlannerSteps.freezeSlice, isHinted: false))
        #expect(!slice.goesOn(used: .zero, isHinted: true))
        #expect(!FreezingSlice(upTo: .zero).goesOn(used: .zero, isHinted: false))
    }

    @Test func `a hint leaves a pass one page of one audience, the next one's in the next pass`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1, .planning), .fixture(2, .planning)]
        /// The slices of a pass; the hint comes before the step behind `hint`.
        func slices(hint: (Step) -> Bool) -> [Step] {
            var (found, isHinted): ([Step], Bool) = ([], false)
            while true {
                let step = planner.steps.next(planner.observation(isHinted: isHinted))
                isHinted = hint(step)
                switch step {
                case .rest(let until):
                    if !found.isEmpty { return found }
                    planner.now = max(planner.now, until)
                case .lease:
                    planner.steps.leased(planner.leases, consumers: 1, accounts: planner.accounts, isEnding: false)
                case .freeze:
                    found.append(step)
                    planner.steps.froze(.goesOn)
                default: break
                }
            }
        }
        let (one, other) = (planner.leases[0].audience, planner.leases[1].audience)
        let half = PlannerSteps.freezeSlice / 2
        // It comes during the first slice, whose driver ends it at the page.
        #expect(slices { if case .freeze = $0 { true } else { false } } == [.freeze(one, upTo: half)])
        // It comes before: the audience whose turn it is has a page all the same.
        #expect(slices { $0 == .lease } == [.freeze(other, upTo: .zero)])
        #expect(slices { $0 == .lease } == [.freeze(one, upTo: .zero)])
        #expect(slices { _ in false } == [.freeze(other, upTo: half), .freeze(one, upTo: half)])
    }

    @Test func `what of an audience is frozen is leased and cut before more of it is frozen`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1, .planning), .fixture(2, .planning)]
        let half = PlannerSteps.freezeSlice / 2
        var steps = planner.pass { steps, step, _ in if case .freeze = step { steps.froze(.flows) } }
        // The other audience waits for the next pass.
        #expect(steps.last == .freeze(planner.leases[0].audience, upTo: half))
        let flowing = LeasedCampaign.fixture(1, .scheduled, unplanned: 4) { $0.isFlowing = true }
        planner.leases[0] = flowing
        planner.ranges = [.range(0, of: flowing)]
        steps = planner.pass { steps, step, observation in
            if step == .readWindow { steps.didRead(window: [], observation) }
            if case .freeze(let audience, _) = step { steps.froze(audience.token.range == nil ? .goesOn : .passed) }
        }
        #expect(steps.first == .lease)
        let tail: [Step] = [
            .readWindow, .cut(flowing, shardsMax: 4), .freeze(planner.leases[1].audience, upTo: half),
            .freeze(planner.ranges[0], upTo: half),
        ]
        #expect(steps.suffix(4) == tail)
        #expect(planner.pass().first == .lease)
    }

    @Test func `when a piece has passed, the other audiences wait until it is leased and cut`() {
        var planner = TestPlanner()
        planner.ranges = [1, 2].map { number in
            .range(0, of: .fixture(number, .sending) { $0.isFlowing = true })
        }
        let half = PlannerSteps.freezeSlice / 2
        let answer: (inout PlannerSteps, Step, PlannerSteps.Observation) -> Void = { steps, step, _ in
            if case .freeze = step { steps.froze(.passed) }
        }
        for number in [0, 1] {
            let steps = planner.pass(answer)
            #expect(steps.first == .lease && steps.last == .freeze(planner.ranges[number], upTo: half))
            #expect(steps.filter { if case .freeze = $0 { true } else { false } }.count == 1)
        }
    }

    @Test func `a planner freezes ranges of what others cut, and leases what it cuts of others' ranges often`() {
        var planner = TestPlanner()
        let flowing = LeasedCampaign.fixture(1, .sending) { $0.isFlowing = true }
        planner.ranges = [.range(2, of: flowing)]
        func frozen(_ result: PlannerSteps.Freezing) -> [Step] {
            planner.pass { steps, step, _ in if case .freeze = step { steps.froze(result) } }
                .filter { if case .freeze = $0 { true } else { false } }
        }
        #expect(frozen(.goesOn) == [.freeze(planner.ranges[0], upTo: PlannerSteps.freezeSlice)])
        // One that is over, or another's now, is left.
        let key = planner.ranges[0].key
        planner.ranges = []
        #expect(planner.pass(isHinted: true).contains(.leave(key)))
        #expect(!planner.pass(isHinted: true).contains(.leave(key)))
        planner = TestPlanner()
        planner.leases = [flowing]
        _ = planner.pass()
        planner.advance(PlannerSteps.flowLeasePause)
        #expect(planner.pass().contains(.lease))
    }

    @Test func `a planner whose clock is lost gives up its ranges too`() {
        var planner = TestPlanner()
        planner.ranges = [.range(0, of: .fixture(1, .sending) { $0.isFlowing = true })]
        _ = planner.pass()
        planner.isInTime = false
        #expect(planner.pass(isHinted: true).contains(.giveUpLeases))
    }

    @Test func `the shares of a campaign have one audience, which is frozen while they are cut`() {
        var planner = TestPlanner()
        let shares: [LeasedCampaign] = [ProviderName.apns, .fcm].map { provider in
            .fixture(1, share: provider, unplanned: 2) { $0.isFlowing = true }
        }
        planner.leases = shares
        planner.ranges = [.range(0, of: shares[0])]
        let steps = planner.pass { steps, step, observation in
            if step == .readWindow { steps.didRead(window: [], observation) }
        }
        #expect(steps.contains(.cut(shares[1], shardsMax: 2)))
        #expect(steps.filter { if case .freeze = $0 { true } else { false } }.count == 1)
        #expect(shares[0].wholeToken == shares[1].wholeToken && shares[0].wholeToken.share == nil)
    }

    @Test func `an audience that fails is dropped and rests, one that is another planner's now is dropped`() {
        var planner = TestPlanner()
        planner.leases = [.fixture(1, .planning)]
        var steps = planner.pass { steps, step, observation in if case .freeze = step { steps.failed(observation.now) }
        }
        let audience = planner.leases[0].audience
        #expect(steps.suffix(2) == [.freeze(audience, upTo: PlannerSteps.freezeSlice), .leave(audience.key)])
        #expect(!planner.pass().contains { if case .freeze = $0 { true } else { false } })
        planner.advance(.seconds(5))
        _ = planner.pass(isHinted: true) { steps, step, _ in if case .freeze = step { steps.froze(.goesOn) } }
        planner.leases = []
        steps = planner.pass(isHinted: true)
        #expect(steps.contains(.leave(audience.key)))
        #expect(!planner.pass(isHinted: true).contains(.leave(audience.key)))
    }

    // MARK: In-app campaigns

    private func inApp(_ number: UInt32, _ stage: CampaignStage = .scheduled) -> LeasedCampaign {
        .fixture(number, stage) { $0.isInApp = true }
    }

    @Test func `lists of in-app campaigns are written one campaign after the other, and each goes live when due`() {
        var planner = TestPlanner()
        planner.leases = [inApp(1), inApp(2, .held)]
        func work(_ work: PlannerSteps.Work) -> [Step] {
            planner.pass { steps, step, observation in
                if case .prepareInApp = step { steps.preparedInApp(work, observation) }
                if case .beginInApp = step { steps.beganInApp(observation.now) }
            }.filter {
                switch $0 {
                case .prepareInApp, .beginInApp: true
                default: false
                }
            }
        }
        let slice = PlannerSteps.inAppSlice
        #expect(work(.goesOn) == [.prepareInApp(inApp(1), upTo: slice)])
        #expect(work(.done) == [.prepareInApp(inApp(1), upTo: slice), .beginInApp(inApp(1))])
        #expect(work(.done) == [.prepareInApp(inApp(2, .held), upTo: slice)])
        #expect(work(.done).isEmpty)
        planner.leases = [inApp(2)]
        #expect(planner.pass(isHinted: true).contains(.beginInApp(inApp(2))))
    }

    // MARK: The sweep

    @Test func `a second apart what waits for a confirm is published again, also that of other planners`() {
        var planner = TestPlanner()
        planner.leases = [.fixture()]
        let swept: [Step] = [
            .extendQuiet, .publishLeft(campaign: 1, age: .seconds(10)), .republishLost(.fixture()),
            .publishLeft(campaign: nil, age: .seconds(60)), .sweepLists,
        ]
        #expect(planner.pass().suffix(5) == swept)
        #expect(!planner.pass().contains(.extendQuiet))
        planner.advance(.seconds(1))
        #expect(planner.pass().suffix(5) == swept)
    }

    // MARK: Pauses

    @Test func `woken without a hint a planner makes room for others first, with one it begins at once`() {
        var woken = TestPlanner()
        woken.leases = [.fixture(unplanned: 5)]
        var end = woken.now
        while true {
            let step = woken.steps.next(woken.observation())
            if step == .lease {
                woken.steps.leased(woken.leases, consumers: 1, accounts: woken.accounts, isEnding: false)
            }
            guard case .rest(let until) = step else { continue }
            end = until
            break
        }
        #expect(end > woken.now && woken.steps.next(woken.observation()) == .rest(until: end))
        #expect(woken.steps.next(woken.observation(isHinted: true)) == .lease)
    }
}
