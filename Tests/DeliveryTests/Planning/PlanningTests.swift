import Campaigns
import Delivery
import Testing

@Suite struct WindowTests {
    private func candidate(
        _ campaign: UInt32,
        _ app: String,
        unclaimed: Int = 0,
        remaining: Int = 100
    ) -> Window.Candidate {
        Window.Candidate(campaign: campaign, app: app, unclaimed: unclaimed, remaining: remaining)
    }

    @Test func `the window grows with the consumers and never falls below its floor`() {
        #expect(Window.free(consumers: 0, prefetch: 4, unclaimed: 0) == 16)
        #expect(Window.free(consumers: 4, prefetch: 4, unclaimed: 5) == 27)
        #expect(Window.free(consumers: 1, prefetch: 4, unclaimed: 99) == 0)
    }

    @Test func `C10: apps share first, then their campaigns`() {
        let shared = Window.share(12, among: [candidate(1, "a"), candidate(2, "a"), candidate(3, "b")])
        #expect(shared == [1: 3, 2: 3, 3: 6])
    }

    @Test func `who has much out waits for the others`() {
        #expect(Window.share(4, among: [candidate(1, "a", unclaimed: 9), candidate(2, "b")]) == [2: 4])
    }

    @Test func `no more is given than is there, and nothing to a provider that is slow`() {
        var slow = candidate(2, "b")
        slow.waitingRetries = Window.waitingRetriesMax + 1
        #expect(Window.share(50, among: [candidate(1, "a", remaining: 3), slow]) == [1: 3])
        #expect(Window.share(0, among: [candidate(1, "a")]).isEmpty)
    }
}

@Suite struct PlanningCadenceTests {
    /// Returns the pauses after polls of a lane with room for 128, each of which found so many taken.
    private func rests(_ taken: [Int], isCutting: Bool = true) -> [Duration] {
        var cadence = PlanningCadence()
        return taken.map { count in
            cadence.saw(free: count, of: 128)
            cadence.didPoll(isCutting: isCutting)
            return cadence.rest
        }
    }

    @Test func `the rest grows while little of the window is taken, up to its bound`() {
        let rests = rests(Array(repeating: 4, count: 20))
        #expect(zip(rests, rests.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(rests.first == .microseconds(7500))
        #expect(rests.last == PlanningCadence.most)
    }

    @Test func `a window that half is gone of is looked at often again`() {
        #expect(rests(Array(repeating: 4, count: 20) + [65]).last == PlanningCadence.least)
        #expect(rests(Array(repeating: 4, count: 20) + [33, 33]).last == .milliseconds(25))
    }

    @Test func `between an eighth and a quarter the rest stays as it is`() {
        #expect(rests([4, 4, 16, 32, 20]).suffix(3).allSatisfy { $0 == .microseconds(11_250) })
    }

    @Test func `the lane that is taken from most decides`() {
        var cadence = PlanningCadence()
        for free in [4, 4, 4] {
            cadence.saw(free: 16, of: 16)
            cadence.saw(free: free, of: 128)
            cadence.didPoll(isCutting: true)
            #expect(cadence.rest == PlanningCadence.least)
        }
    }

    @Test func `with nothing left to cut it begins anew`() {
        #expect(rests(Array(repeating: 4, count: 20), isCutting: false).last == PlanningCadence.least)
    }
}

@Suite struct RungQueueTests {
    @Test func `no queue of a rung waits less than the rung`() {
        #expect(RungQueue.all.count == 12 && Set(RungQueue.all.map(\.description)).count == 12)
        for queue in RungQueue.all { #expect(queue.delay >= queue.rung.delay) }
        #expect(RungQueue(rung: .seconds30, side: .b).description == "30s.b")
    }

    private func choose(_ rung: Rung, due: Int64, random: Bool = true, expires: Int64 = 9999) -> RungQueue? {
        RungQueue.choose(
            rung,
            dueAt: Fixtures.after(due),
            random: random,
            now: Fixtures.now,
            expiresAt: Fixtures.after(expires)
        )
    }

    @Test func `the longer queue is not taken where it would come back too late`() {
        #expect(choose(.minutes2, due: 120, expires: 151)?.side == .b)
        #expect(choose(.minutes2, due: 120, expires: 150)?.side == .a)
        #expect(choose(.minutes2, due: 120, random: false)?.side == .a)
    }

    @Test func `what is published late waits for its due time, not its whole rung again, and never less`() {
        #expect(choose(.minutes10, due: 600)?.rung == .minutes10)
        #expect(choose(.minutes10, due: 121)?.rung == .minutes10)
        #expect(choose(.minutes10, due: 120)?.rung == .minutes2)
        #expect(choose(.minutes10, due: 3)?.rung == .seconds5)
        // A Retry-After beyond the top rung comes back early and waits again.
        #expect(choose(.hours2, due: 9000)?.rung == .hours2)
        #expect(choose(.seconds30, due: 6, expires: 30) == nil)
    }
}

@Suite struct SweepTests {
    private func action(
        _ row: ShardRecord,
        outbox: Int64? = nil,
        after: Int64,
        lane: Sweep.LaneProbe = .empty,
        owner: Claim.Owner = .nobody
    ) -> Sweep.Action {
        Sweep.action(
            for: row,
            outboxWrittenAt: outbox.map { Fixtures.after($0) },
            since: Fixtures.now,
            lane: lane,
            owner: owner,
            now: Fixtures.after(after)
        )
    }

    @Test func `an outbox row is left to its writer for ten seconds`() {
        #expect(action(Fixtures.row(.unpublished), outbox: 0, after: 9) == .leave)
        #expect(action(Fixtures.row(.unpublished), outbox: 0, after: 10) == .publish)
    }

    @Test func `an outbox row on a rung is published when it is due`() {
        var row = Fixtures.row(.unpublished, rung: .seconds30)
        row.dueAt = Fixtures.after(30)
        #expect(action(row, outbox: 0, after: 29) == .leave)
        #expect(action(row, outbox: 0, after: 30) == .publish)
    }

    @Test(arguments: [ShardState.out, .running])
    func `a message is lost after fifteen minutes in an empty lane`(_ state: ShardState) {
        #expect(action(Fixtures.row(state), after: 899) == .leave)
        #expect(action(Fixtures.row(state), after: 900) == .publishAnew)
        #expect(action(Fixtures.row(state), after: 900, lane: .unknown) == .leave)
    }

    @Test(arguments: [ShardState.out, .running])
    func `in a lane that is never empty a message is lost when one that came much later has been claimed`(
        _ state: ShardState
    ) {
        let row = Fixtures.row(state)
        let (soon, later) = (Fixtures.after(300), Fixtures.after(301))
        #expect(action(row, after: 900, lane: .movedPast(later)) == .publishAnew)
        #expect(action(row, after: 899, lane: .movedPast(later)) == .leave)
        #expect(action(row, after: 99_999, lane: .movedPast(soon)) == .leave)
        #expect(action(row, after: 900, lane: .movedPast(later), owner: .dead) == .publishAnew)
        // The owner may hold the message: it hands it over, or gives it up.
        #expect(action(row, after: 99_999, lane: .movedPast(later), owner: .alive) == .leave)
        // A rung's longer queue counts as its way to the lane.
        let retry = Fixtures.row(state, rung: .hours2)
        #expect(action(retry, after: 99_999, lane: .movedPast(Fixtures.after(1800 + 300))) == .leave)
        #expect(action(retry, after: 99_999, lane: .movedPast(Fixtures.after(1800 + 301))) == .publishAnew)
    }

    @Test func `a rung's longer queue is waited for`() {
        #expect(action(Fixtures.row(.out, rung: .hours2), after: 900 + 1799) == .leave)
        #expect(action(Fixtures.row(.out, rung: .hours2), after: 900 + 1800) == .publishAnew)
    }

    @Test(arguments: [Int64(7206), 86_400, 315_360_000])
    func `an instant that a wrong clock has written further ahead than a rung reaches has passed`(_ ahead: Int64) {
        var row = Fixtures.row(.out, rung: .hours2)
        row.dueAt = Fixtures.after(ahead)
        func action(_ lane: Sweep.LaneProbe, since: Int64) -> Sweep.Action {
            let (since, now) = (Fixtures.after(since), Fixtures.now)
            return Sweep.action(for: row, outboxWrittenAt: nil, since: since, lane: lane, now: now)
        }
        // Waiting for it would mean waiting for the clock to be as wrong again.
        #expect(action(.empty, since: ahead + 1800) == .publishAnew)
        #expect(action(.movedPast(Fixtures.now), since: ahead + 1800) == .publishAnew)
        #expect(action(.unknown, since: ahead + 1800) == .leave)
        // An instant within a rung's reach is plausible.
        #expect(action(.empty, since: 7200) == .leave)
        #expect(self.action(Fixtures.row(.unpublished), outbox: ahead, after: 0) == .publish)
        #expect(self.action(Fixtures.row(.unpublished), outbox: 4, after: 0) == .leave)
    }

    @Test(arguments: [ShardState.settled, .aside, .parked])
    func `what waits for something else is left`(_ state: ShardState) {
        #expect(action(Fixtures.row(state), outbox: 0, after: 99_999) == .leave)
    }
}

@Suite struct AsideReleaseTests {
    private func isDue(_ reason: AsideReason, _ campaign: CampaignFacts, knowsApp: Bool = true) -> Bool {
        AsideRelease.isDue(reason, campaign: campaign, knowsApp: knowsApp, now: Fixtures.now)
    }

    @Test func `what was set aside goes out when its reason has ended`() {
        #expect(isDue(.paused, Fixtures.campaign()))
        #expect(!isDue(.paused, Fixtures.campaign(pausedBy: [.paused])))
        #expect(!isDue(.credentials, Fixtures.campaign(pausedBy: [.paused])))
        #expect(isDue(.handOver, Fixtures.campaign(pausedBy: [.paused])))
        #expect(!isDue(.app, Fixtures.campaign(), knowsApp: false))
        #expect(!isDue(.paused, Fixtures.campaign(.cancelled)))
    }

    @Test func `an ended campaign ends every row that nobody runs`() {
        for state in [ShardState.unpublished, .out, .aside, .parked] {
            #expect(
                AsideRelease.ending(of: state, campaign: Fixtures.campaign(.cancelled), now: Fixtures.now) == .cancelled
            )
            #expect(AsideRelease.ending(of: state, campaign: Fixtures.campaign(), now: Fixtures.now) == nil)
        }
        for state in [ShardState.running, .settled] {
            #expect(AsideRelease.ending(of: state, campaign: Fixtures.campaign(.cancelled), now: Fixtures.now) == nil)
        }
    }
}
