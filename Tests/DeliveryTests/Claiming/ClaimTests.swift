import Campaigns
import Delivery
import Testing

@Suite struct ClaimTests {
    private func decide(
        _ row: ShardRecord?,
        campaign: CampaignFacts? = Fixtures.campaign(),
        generation: UInt32 = 1,
        redelivered: Bool = false,
        returns: Int = 0,
        knowsApp: Bool = true,
        adopting: UInt32? = nil,
        overdue: UInt32? = nil,
        owner: Claim.Owner = .nobody,
        deaths: Int = 0,
        isQuiet: Bool = false
    ) -> Claim.Decision {
        let claim = Claim(
            key: Fixtures.key,
            generation: generation,
            redelivered: redelivered,
            returns: returns,
            worker: 9,
            knowsApp: knowsApp,
            adopting: adopting,
            overdue: overdue
        )
        return claim.decide(
            shard: row,
            campaign: campaign,
            owner: owner,
            deaths: deaths,
            isQuiet: isQuiet,
            now: Fixtures.now
        )
    }

    @Test func `in quiet hours a shard waits, unless it is over or runs here already`() {
        #expect(decide(Fixtures.row(.out), isQuiet: true) == .setAside(.quiet))
        #expect(decide(Fixtures.row(.out), knowsApp: false, isQuiet: true) == .setAside(.quiet))
        #expect(decide(Fixtures.row(.settled), isQuiet: true) == .settledAlready)
        #expect(decide(Fixtures.row(.out), campaign: Fixtures.campaign(.cancelled), isQuiet: true) == .end(.cancelled))
        let running = Fixtures.row(.running, epoch: 4)
        let ours = Fixtures.row(.running, epoch: 4, owner: 9)
        #expect(decide(ours, redelivered: true, adopting: 4, isQuiet: true) == .run)
        #expect(decide(running, redelivered: true, isQuiet: true) == .setAside(.quiet))
    }

    @Test func `a message that came back as often as a quarter of the delivery limit is renewed, not run`() {
        let free = Fixtures.row(.running, epoch: 4, owner: 0)
        #expect(decide(free, redelivered: true, returns: 4) == .run)
        #expect(decide(free, redelivered: true, returns: 5) == .setAside(.handOver))
        #expect(decide(Fixtures.row(.out), redelivered: true, returns: 19) == .setAside(.handOver))
        // A run goes on, here or elsewhere.
        let ours = Fixtures.row(.running, epoch: 4, owner: 9)
        #expect(decide(ours, redelivered: true, returns: 12, adopting: 4) == .run)
        #expect(decide(Fixtures.row(.running, epoch: 4), redelivered: true, returns: 12, owner: .alive) == .waits)
        // One that may have killed a worker keeps its count.
        #expect(decide(free, redelivered: true, returns: 12, deaths: 1) == .run)
    }

    @Test func `an unknown campaign or shard is parked`() {
        #expect(decide(nil) == .park(reason: "UnknownCampaign"))
        #expect(decide(Fixtures.row(.out), campaign: nil) == .park(reason: "UnknownCampaign"))
    }

    @Test func `a message of another campaign under the same number is parked`() {
        func decide(_ shard: Shard) -> Claim.Decision {
            let claim = Claim(
                key: Fixtures.key,
                generation: 1,
                redelivered: false,
                worker: 9,
                knowsApp: true,
                content: Claim.Content(shard)
            )
            return claim.decide(shard: Fixtures.row(.out), campaign: Fixtures.campaign(), now: Fixtures.now)
        }
        #expect(decide(Fixtures.shard()) == .run)
        #expect(decide(Fixtures.shard(4)) == .park(reason: "UnknownCampaign"))
        var others = Fixtures.shard()
        others.facts.campaignID = "final"
        #expect(decide(others) == .park(reason: "UnknownCampaign"))
        others = Fixtures.shard()
        others.positions = [0, 1, 2, 3, 7]
        #expect(decide(others) == .park(reason: "UnknownCampaign"))
    }

    @Test func `a message that nobody can have published is parked`() {
        #expect(decide(Fixtures.row(.out), generation: 2) == .park(reason: "UnknownGeneration"))
    }

    @Test func `what is settled is acked after its outbox, whatever else holds`() {
        let cancelled = Fixtures.campaign(.cancelled)
        #expect(decide(Fixtures.row(.settled, generation: 3), campaign: cancelled) == .settledAlready)
    }

    @Test func `a superseded copy is dropped`() {
        #expect(decide(Fixtures.row(.out, generation: 2)) == .drop)
        #expect(decide(Fixtures.row(.running, generation: 2), redelivered: true) == .drop)
    }

    @Test func `a second copy of a running shard is dropped, a lost one takes it over`() {
        #expect(decide(Fixtures.row(.running)) == .drop)
        #expect(decide(Fixtures.row(.running), redelivered: true) == .run)
    }

    @Test func `what is aside or parked waits for its planner or its person`() {
        #expect(decide(Fixtures.row(.aside, aside: .paused), redelivered: true) == .drop)
        #expect(decide(Fixtures.row(.parked), redelivered: true) == .drop)
    }

    @Test func `a campaign that is over ends its shards`() {
        #expect(decide(Fixtures.row(.out), campaign: Fixtures.campaign(.cancelled)) == .end(.cancelled))
        #expect(decide(Fixtures.row(.out), campaign: Fixtures.campaign(.failed)) == .end(.failed))
        #expect(decide(Fixtures.row(.out), campaign: Fixtures.campaign(expiresIn: 0)) == .end(.expired))
        let both = Fixtures.campaign(.cancelled, pausedBy: [.paused])
        #expect(decide(Fixtures.row(.out), campaign: both) == .end(.cancelled))
    }

    @Test func `a pause and an unknown app set aside, the pause first`() {
        let paused = Fixtures.campaign(pausedBy: [.credentials])
        #expect(decide(Fixtures.row(.out), campaign: paused, knowsApp: false) == .setAside(.credentials))
        #expect(decide(Fixtures.row(.out), knowsApp: false) == .setAside(.app))
    }

    @Test(arguments: [ShardState.unpublished, .out])
    func `everything else runs, also before its confirm`(_ state: ShardState) {
        #expect(decide(Fixtures.row(state)) == .run)
        #expect(decide(Fixtures.row(state), redelivered: true) == .run)
    }

    @Test func `a run at a worker that lives is waited for, whatever became of the campaign, and not for ever`() {
        let row = Fixtures.row(.running, epoch: 4)
        let cancelled = Fixtures.campaign(.cancelled)
        #expect(decide(row, redelivered: true, owner: .alive) == .waits)
        #expect(decide(row, campaign: cancelled, redelivered: true, owner: .alive) == .waits)
        #expect(decide(row, redelivered: true, knowsApp: false, owner: .alive) == .waits)
        #expect(decide(row, redelivered: true, adopting: 3, owner: .alive) == .waits)
        // Nobody waits because of a copy that was not lost.
        #expect(decide(row, owner: .alive) == .drop)
        let ours = Fixtures.row(.running, epoch: 4, owner: 9)
        #expect(decide(ours, redelivered: true, adopting: 4, owner: .alive) == .run)
        #expect(decide(row, redelivered: true, overdue: 4, owner: .alive) == .run)
        #expect(decide(row, redelivered: true, overdue: 3, owner: .alive) == .waits)
        for owner in [Claim.Owner.nobody, .dead, .left] {
            #expect(decide(row, redelivered: true, owner: owner) == .run)
            #expect(decide(row, campaign: cancelled, redelivered: true, owner: owner) == .end(.cancelled))
        }
        // This process does not run a shard of which it has no run.
        var own = row
        own.owner = 9
        #expect(decide(own, redelivered: true, owner: .alive) == .run)
        // Before its slot, too: the owner may have a copy of the message, and would send when the slot begins.
        var early = row
        early.slot = Slot(begins: Fixtures.now.milliseconds * 1_000 + 1, length: 250_000)
        #expect(decide(early, redelivered: true, owner: .alive) == .waits)
    }

    @Test func `silence is no death while the ledger hears nobody`() {
        var claim = Claim(key: Fixtures.key, generation: 1, redelivered: true, worker: 9, knowsApp: true)
        #expect(claim.believed(.dead) == .dead)
        claim.judgesSilence = false
        #expect(claim.believed(.dead) == .alive)
        for owner in [Claim.Owner.nobody, .alive, .left] { #expect(claim.believed(owner) == owner) }
    }

    @Test func `only a death that is known counts`() {
        let row = Fixtures.row(.running, epoch: 4)
        #expect(decide(row, redelivered: true, owner: .dead, deaths: 1) == .run)
        #expect(decide(row, redelivered: true, owner: .dead, deaths: 2) == .runAlone)
        #expect(decide(row, redelivered: true, owner: .dead, deaths: 5) == .quarantine(reason: "WorkerDied"))
        for owner in [Claim.Owner.nobody, .left] {
            #expect(decide(row, redelivered: true, owner: owner, deaths: 2) == .run)
        }
        #expect(decide(row, redelivered: true, overdue: 4, owner: .alive, deaths: 2) == .run)
    }

    @Test func `what a run that ended without a word may have sent to is all that has no answer`() {
        func maybeSent(_ row: ShardRecord, _ owner: Claim.Owner, adopting: UInt32? = nil, drops: Bool = false) -> Int {
            var shard = Fixtures.shard()
            shard.facts.policy.dropUnknown = drops
            let claim = Claim(
                key: Fixtures.key,
                generation: 1,
                redelivered: true,
                worker: 9,
                knowsApp: true,
                adopting: adopting,
                content: Claim.Content(shard)
            )
            return claim.mayBeSent(row, owner: owner, now: Fixtures.now)
        }
        var row = Fixtures.row(.running, epoch: 4)
        row.progress.accept(0)
        row.progress.started = 3
        let open = row.progress.pendingCount
        #expect(maybeSent(row, .dead) == open && maybeSent(row, .left) == open && maybeSent(row, .alive) == open)
        #expect(maybeSent(row, .nobody) == 0)
        var ours = row
        ours.owner = 9
        #expect(maybeSent(ours, .dead, adopting: 4) == 0)
        #expect(maybeSent(row, .dead, drops: true) == 2)
        #expect(maybeSent(Fixtures.row(.out), .dead) == 0)
        // A dead owner has opened no stream before the slot; a live one may still do so.
        row.slot = Slot(begins: Fixtures.now.milliseconds * 1_000 + 1, length: 250_000)
        #expect(maybeSent(row, .dead) == 0 && maybeSent(row, .alive) == open)
    }

    @Test func `our own run goes on whatever became of the campaign, unless it gave up or another claimed the shard`() {
        let cancelled = Fixtures.campaign(.cancelled)
        let row = Fixtures.row(.running, epoch: 4, owner: 9)
        #expect(decide(row, campaign: cancelled, redelivered: true, adopting: 4) == .run)
        #expect(decide(row, campaign: cancelled, redelivered: true, adopting: 3) == .end(.cancelled))
        // Its run gave it up, and the next one begins anew.
        let left = Fixtures.row(.running, epoch: 4, owner: 0)
        #expect(decide(left, campaign: cancelled, redelivered: true, adopting: 4) == .end(.cancelled))
    }
}
