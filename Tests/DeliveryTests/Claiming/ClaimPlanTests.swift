import Campaigns
import Delivery
import Testing

/// The ledger's writes for a claim: facts on the left, the row and its accompanying writes on the right.
@Suite struct ClaimPlanTests {
    private func plan(
        _ row: ShardRecord?,
        campaign: CampaignFacts? = Fixtures.campaign(),
        redelivered: Bool = false,
        knowsApp: Bool = true,
        adopting: UInt32? = nil,
        isAlone: Bool = false,
        overdue: UInt32? = nil,
        judgesSilence: Bool = true,
        content: Claim.Content? = nil,
        owner: Claim.Owner = .nobody,
        deaths: Int = 0,
        isQuiet: Bool = false
    ) throws -> ClaimPlan {
        let claim = Claim(
            key: Fixtures.key,
            generation: 1,
            redelivered: redelivered,
            worker: 9,
            knowsApp: knowsApp,
            adopting: adopting,
            isAlone: isAlone,
            overdue: overdue,
            judgesSilence: judgesSilence,
            content: content
        )
        let facts = ClaimPlan.Facts(row: row, campaign: campaign, owner: owner, deaths: deaths, isQuiet: isQuiet)
        return try ClaimPlan(claim, facts, now: Fixtures.now)
    }

    private func half(_ row: ShardRecord, started: Int = 0) -> ShardRecord {
        var row = row
        row.progress.accept(0)
        row.progress.accept(1)
        row.progress.started = started
        return row
    }

    // MARK: The row

    @Test(arguments: [ShardState.unpublished, .out])
    func `a granted claim makes the row the worker's, with an epoch of its own`(_ state: ShardState) throws {
        let plan = try plan(Fixtures.row(state, epoch: 4, owner: 0))
        #expect(plan.write == .runs(Fixtures.row(.running, epoch: 5, owner: 9), deaths: 0))
        #expect(plan.maybeSent == 0 && !plan.takesOver && !plan.isFinal)
    }

    @Test func `a claim that sets aside makes the message and a run of the row superseded, and nobody's`() throws {
        let row = Fixtures.row(.out, epoch: 4)
        let plan = try plan(row, campaign: Fixtures.campaign(pausedBy: [.paused]))
        #expect(plan.write == .moves(Fixtures.row(.aside, generation: 2, epoch: 5, aside: .paused, owner: 0)))
        #expect(plan.isFinal)
    }

    @Test func `a claim that ends gives every device without an outcome this one, and no row follows`() throws {
        let plan = try plan(half(Fixtures.row(.out)), campaign: Fixtures.campaign(.cancelled))
        let row = try #require(plan.write.row)
        #expect(row.state == .settled && row.owner == 0 && row.aside == nil)
        #expect(row.progress.counts.accepted == 2 && row.progress.counts.cancelled == 3)
        guard case .settles(let settling) = plan.write else { throw Otherwise() }
        #expect(!settling.hasChildren && plan.isFinal)
    }

    @Test func `a quarantine parks the row: the run is refused, the message is the person's`() throws {
        let row = Fixtures.row(.running, epoch: 4)
        let plan = try plan(row, redelivered: true, isAlone: true, owner: .dead, deaths: 5)
        #expect(plan.decision == .quarantine(reason: "WorkerDied"))
        #expect(plan.write == .moves(Fixtures.row(.parked, epoch: 5, owner: 0)))
        #expect(plan.deaths == 6 && plan.takesOver && plan.isFinal)
    }

    @Test func `what is answered without a decision about the row leaves it as it is`() throws {
        let parked = Claim.Content(Fixtures.shard(4))
        for plan in [
            try plan(nil), try plan(Fixtures.row(.out), campaign: nil), try plan(Fixtures.row(.out, generation: 2)),
            try plan(Fixtures.row(.running)), try plan(Fixtures.row(.aside)), try plan(Fixtures.row(.settled)),
            try plan(Fixtures.row(.parked)), try plan(Fixtures.row(.out), content: parked),
            try plan(Fixtures.row(.running), redelivered: true, owner: .alive),
            try plan(Fixtures.row(.running), redelivered: true, owner: .dead, deaths: 2),
        ] {
            #expect(plan.write == .nothing && plan.probe == .stays, "\(plan.decision)")
            #expect(plan.maybeSent == 0 && !plan.takesOver && !plan.isFinal, "\(plan.decision)")
        }
    }

    @Test func `only a row that is settled already has its children published`() throws {
        #expect(try plan(Fixtures.row(.settled)).publishesChildren)
        #expect(try !plan(Fixtures.row(.running)).publishesChildren)
        #expect(try !plan(Fixtures.row(.out), campaign: Fixtures.campaign(.cancelled)).publishesChildren)
    }

    // MARK: The former run

    @Test(arguments: [Claim.Owner.dead, .left])
    func `whoever takes a run over notes what it may have sent and never said`(_ owner: Claim.Owner) throws {
        let plan = try plan(half(Fixtures.row(.running, epoch: 4)), redelivered: true, owner: owner)
        #expect(plan.maybeSent == 3 && plan.takesOver)
        #expect(plan.write.row?.epoch == 5 && plan.write.row?.owner == 9)
        #expect(plan.write.row?.progress.counts.accepted == 2)
    }

    @Test func `a run that is set aside or ended by a claim leaves the same note behind`() throws {
        let row = half(Fixtures.row(.running, epoch: 4))
        #expect(try plan(row, redelivered: true, owner: .dead, isQuiet: true).maybeSent == 3)
        let cancelled = Fixtures.campaign(.cancelled)
        #expect(try plan(row, campaign: cancelled, redelivered: true, owner: .dead).maybeSent == 3)
    }

    @Test func `a run that was given up has told all, and is none that died`() throws {
        let plan = try plan(half(Fixtures.row(.running, epoch: 4, owner: 0)), redelivered: true)
        #expect(plan.maybeSent == 0 && plan.deaths == 0)
        #expect(plan.takesOver && plan.write.row?.epoch == 5)
    }

    @Test func `with dropped unknowns only what was marked as started may have been sent`() throws {
        let row = half(Fixtures.row(.running, epoch: 4), started: 3)
        let content = Claim.Content(Fixtures.shard(5, dropUnknown: true))
        #expect(try plan(row, redelivered: true, content: content, owner: .dead).maybeSent == 1)
    }

    @Test func `a run of this process goes on, one epoch further, and was not left behind`() throws {
        let row = half(Fixtures.row(.running, epoch: 4, owner: 9))
        let plan = try plan(row, redelivered: true, adopting: 4, owner: .alive, deaths: 2)
        #expect(plan.decision == .run && plan.write.row?.epoch == 5)
        #expect(plan.maybeSent == 0 && !plan.takesOver && plan.deaths == 2)
        // The ledger may have taken this very process for dead.
        #expect(try self.plan(row, redelivered: true, adopting: 4, owner: .dead, deaths: 2).deaths == 2)
    }

    @Test func `a run of this process that has another epoch, or another owner, is not adopted`() throws {
        for row in [Fixtures.row(.running, epoch: 5, owner: 9), Fixtures.row(.running, epoch: 4, owner: 7)] {
            let plan = try plan(half(row), redelivered: true, adopting: 4, owner: .dead)
            #expect(plan.takesOver && plan.maybeSent == 3)
        }
    }

    @Test func `a worker that lives is waited for until its run is overdue, and no other run is`() throws {
        let row = Fixtures.row(.running, epoch: 4)
        #expect(try plan(row, redelivered: true, overdue: 3, owner: .alive).decision == .waits)
        let overdue = try plan(row, redelivered: true, overdue: 4, owner: .alive)
        #expect(overdue.decision == .run && overdue.maybeSent == 5)
    }

    // MARK: Deaths

    @Test func `a death is counted for a worker that is known to be dead, and for no other`() throws {
        let row = Fixtures.row(.running, epoch: 4)
        let dead = try plan(row, redelivered: true, owner: .dead, deaths: 1)
        #expect(dead.deaths == 2 && dead.write == .runs(Fixtures.row(.running, epoch: 5, owner: 9), deaths: 2))
        for owner in [Claim.Owner.left, .nobody] {
            #expect(try plan(row, redelivered: true, owner: owner, deaths: 1).deaths == 1)
        }
        #expect(try plan(row, redelivered: true, overdue: 4, owner: .alive, deaths: 1).deaths == 1)
    }

    @Test func `silence is no death while nobody can judge it`() throws {
        let row = Fixtures.row(.running, epoch: 4)
        let plan = try plan(row, redelivered: true, judgesSilence: false, owner: .dead, deaths: 1)
        #expect(plan.decision == .waits && plan.deaths == 1)
    }

    // MARK: The breaker's probe

    @Test func `a probe is claimed with its run, and over when it does not begin`() throws {
        var campaign = Fixtures.campaign()
        campaign.breaker = .open(probe: Fixtures.key)
        #expect(try plan(Fixtures.row(.out), campaign: campaign).probe == .isClaimed)
        #expect(try plan(Fixtures.row(.out), campaign: campaign, isQuiet: true).probe == .ends(.nothing))
        #expect(try plan(Fixtures.row(.running), campaign: campaign).probe == .stays)
        let alone = try plan(Fixtures.row(.running), campaign: campaign, redelivered: true, owner: .dead, deaths: 2)
        #expect(alone.decision == .runAlone && alone.probe == .stays)
        campaign.stage = .cancelled
        #expect(try plan(Fixtures.row(.out), campaign: campaign).probe == .ends(.nothing))
    }

    @Test func `a shard that is not the probe says nothing of it`() throws {
        var campaign = Fixtures.campaign()
        campaign.breaker = .open(probe: ShardKey(campaign: 1, part: 0, ordinal: 3))
        let plan = try plan(Fixtures.row(.out), campaign: campaign)
        #expect(plan.write.row?.aside == .breaker && plan.probe == .stays)
    }

    @Test func `a run is told its devices' end when an operator changed it`() throws {
        var campaign = Fixtures.campaign()
        #expect(try !plan(Fixtures.row(.out), campaign: campaign).tellsEnd(of: campaign))
        campaign.endChanges = 1
        #expect(try plan(Fixtures.row(.out), campaign: campaign).tellsEnd(of: campaign))
        #expect(try !plan(Fixtures.row(.out), campaign: campaign, isQuiet: true).tellsEnd(of: campaign))
    }

    private struct Otherwise: Error {}
}
