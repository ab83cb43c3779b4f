import Campaigns
import Delivery
import Testing

@Suite struct BreakerTests {
    private let other = ShardKey(campaign: 2, part: 0, ordinal: 0)

    private func opened(rest: Duration? = nil) -> Breaker {
        Breaker(opening: .init(reason: "ServiceUnavailable", since: Fixtures.now, rest: rest), now: Fixtures.now)
    }

    @Test func `the first probe comes a second after the opening, or when the provider asks for it`() {
        #expect(opened().probeAt == Fixtures.after(1))
        #expect(opened(rest: .seconds(90)).probeAt == Fixtures.after(90))
        #expect(opened(rest: .seconds(86_400)).probeAt == Fixtures.after(7200))
        #expect(!opened().isProbeDue(now: Fixtures.now))
        #expect(opened().isProbeDue(now: Fixtures.after(1)))
        #expect(!opened().isProbeDue(attempt: 2, now: Fixtures.after(1)))
        #expect(opened().isProbeDue(attempt: 2, now: Fixtures.after(2)))
    }

    @Test func `each failed probe doubles the wait, up to a minute`() {
        var breaker = opened()
        var waits: [Int64] = []
        for _ in 1...8 {
            let now = breaker.probeAt
            breaker.begin(Fixtures.key, now: now)
            #expect(breaker.ended(Fixtures.key, .failed, now: now) == true)
            waits.append(breaker.probeAt.seconds - now.seconds)
        }
        #expect(waits == [2, 4, 8, 16, 32, 60, 60, 60])
        #expect(breaker.failures == 8)
    }

    @Test func `one probe at a time, and a killed prober blocks for its lease only`() {
        var breaker = opened()
        breaker.begin(Fixtures.key, now: Fixtures.after(1))
        #expect(!breaker.isProbeDue(now: Fixtures.after(30)))
        breaker.claimed(Fixtures.key, by: 7, now: Fixtures.after(30))
        #expect(breaker.probe?.owner == 7)
        #expect(!breaker.isProbeDue(now: Fixtures.after(89)))
        #expect(breaker.isProbeDue(now: Fixtures.after(90)))
        breaker.begin(other, now: Fixtures.after(90))
        // The first one wakes up, but it no longer decides.
        var late = breaker
        late.claimed(Fixtures.key, by: 7, now: Fixtures.after(91))
        let isTaken = late.ended(Fixtures.key, .healthy, now: Fixtures.after(91))
        #expect(!isTaken)
        #expect(late == breaker)
    }

    @Test func `a healthy probe closes it, and late words of the outage do not open it again`() {
        var breaker = opened()
        breaker.begin(Fixtures.key, now: Fixtures.after(1))
        #expect(breaker.ended(Fixtures.key, .healthy, now: Fixtures.after(5)) == true)
        #expect(breaker.gate == .closed(since: Fixtures.after(5)))
        let before = breaker
        let isLateOpened = breaker.open(.init(reason: "x", since: Fixtures.after(4)), now: Fixtures.after(6))
        #expect(!isLateOpened)
        #expect(breaker == before)
        #expect(breaker.open(.init(reason: "x", since: Fixtures.after(6)), now: Fixtures.after(7)) == true)
        #expect(breaker.since == Fixtures.after(7))
    }

    @Test func `an open one is not opened again: its probe is not put off`() {
        var breaker = opened()
        let before = breaker
        let isOpenedAgain = breaker.open(.init(reason: "y", since: Fixtures.after(9)), now: Fixtures.after(9))
        #expect(!isOpenedAgain)
        #expect(breaker == before)
    }

    @Test func `a probe that taught nothing, or a person who looked, makes the next one due at once`() {
        var breaker = opened(rest: .seconds(600))
        breaker.expedite(now: Fixtures.after(3))
        #expect(breaker.isProbeDue(now: Fixtures.after(3)))
        breaker.begin(Fixtures.key, now: Fixtures.after(3))
        #expect(breaker.ended(Fixtures.key, .nothing, now: Fixtures.after(4)) == true)
        #expect(breaker.isProbeDue(now: Fixtures.after(4)))
        #expect(breaker.failures == 0)
    }

    @Test func `only the probe goes through an open breaker, and no reason of the campaign's`() {
        var campaign = Fixtures.campaign()
        #expect(campaign.asideReason(of: Fixtures.key) == nil)
        campaign.breaker = .open(probe: nil)
        #expect(campaign.asideReason(of: Fixtures.key) == .breaker)
        #expect(!campaign.mayPlan(at: Fixtures.now))
        campaign.breaker = .open(probe: Fixtures.key)
        #expect(campaign.asideReason(of: Fixtures.key) == nil)
        #expect(campaign.asideReason(of: other) == .breaker)
        #expect(!AsideRelease.isDue(.breaker, campaign: campaign, knowsApp: true, now: Fixtures.now))
        campaign.pausedBy = [.paused]
        #expect(campaign.asideReason(of: Fixtures.key) == .paused)
        // A closed breaker removes only its own reason.
        campaign.breaker = .closed(since: Fixtures.now)
        #expect(campaign.asideReason(of: other) == .paused)
    }

    @Test func `after a closing the pace doubles every second`() {
        let gate = Breaker.Gate.closed(since: Fixtures.now)
        #expect((0...7).map { gate.pace(now: Fixtures.after($0)) } == [4, 8, 16, 32, 64, 128, 200, 200])
        #expect(Breaker.Gate.closed(since: nil).pace(now: Fixtures.now) == 200)
    }
}

@Suite struct ProbeRunTests {
    private func probe(isUnderRate: Bool = false) -> ShardRun {
        ShardRun(
            shard: Fixtures.shard(),
            epoch: 1,
            progress: Progress(count: 5),
            isProbe: true,
            isUnderRate: isUnderRate,
            now: Fixtures.now
        )
    }

    @Test func `a probe sends to one device until the provider has answered as it should`() {
        var run = probe()
        #expect(run.next(now: Fixtures.now) == 0)
        #expect(run.next(now: Fixtures.now) == nil)
        #expect(!run.hasWork)
        run.accepted(0)
        run.proved()
        #expect(run.hasWork)
        for position in 1...4 { #expect(run.next(now: Fixtures.now) == position) }
        for position in 1...4 { run.accepted(position) }
        #expect(run.isOver)
        #expect(run.probeResult == .healthy)
    }

    @Test func `under a rate, the other devices of a probe wait for their turns`() {
        var run = probe(isUnderRate: true)
        #expect(run.next(now: Fixtures.now) == 0)
        run.accepted(0)
        #expect(!run.isOver)
        run.proved()
        #expect(run.next(now: Fixtures.now) == nil && run.isOver)
        #expect(run.probeResult == .healthy)
        guard case .setAside(.rate, let progress) = run.finish() else {
            Issue.record("not set aside")
            return
        }
        #expect(progress.pendingCount == 4)
    }

    @Test func `a failed probe costs one request and one device's attempt`() {
        var run = probe()
        _ = run.next(now: Fixtures.now)
        run.ended(0, Fixtures.retry, now: Fixtures.now)
        run.requestStop(.setAside(.breaker))
        #expect(run.isOver)
        #expect(run.probeResult == .failed)
        guard case .setAside(.breaker, let progress) = run.finish() else {
            Issue.record("not set aside")
            return
        }
        #expect(progress.pendingCount == 4)
        #expect(progress.attempts == 1)
    }

    @Test func `once the provider is found out, devices stay pending and pay nothing`() {
        var run = Fixtures.run(Fixtures.shard())
        for _ in 0..<5 { _ = run.next(now: Fixtures.now) }
        run.accepted(0)
        for position in 1...4 { run.ended(position, .setAside(.breaker), now: Fixtures.now) }
        guard case .setAside(.breaker, let progress) = run.finish() else {
            Issue.record("not set aside")
            return
        }
        #expect(progress.pendingCount == 4)
        #expect(progress.attempts == 5)
    }

    @Test func `a probe that is stopped for another reason, or lost, says nothing`() {
        var run = probe()
        run.requestStop(.setAside(.paused))
        #expect(run.probeResult == .nothing)
        run.requestStop(.leaseLost)
        #expect(run.probeResult == nil)
        #expect(Fixtures.run(Fixtures.shard()).probeResult == nil)
    }
}
