import Campaigns
import Delivery
import Testing

/// The ledger's writes for the end of a run: facts on the left, rows and marks on the right.
@Suite struct SettlementPlanTests {
    private let token = RunToken(key: Fixtures.key, epoch: 4, worker: 7)

    private static let wrong = Progress.Note(reason: "BadDeviceToken")

    /// Returns five devices: accepted, accepted, dead, one retry, one held back.
    private static func mixed() -> Progress {
        var progress = Progress(count: 5)
        progress.accept(0)
        progress.accept(1)
        progress.end(2, .invalid, Progress.Note(reason: "Unregistered", deadSince: Fixtures.after(-60)))
        progress.retry(3, .seconds5, Progress.Note(reason: "Shutdown"))
        progress.hold(4, wrong)
        return progress
    }

    private func plan(
        _ row: ShardRecord? = Fixtures.row(.running, epoch: 4),
        _ progress: Progress = mixed(),
        campaign: CampaignFacts? = Fixtures.campaign(),
        contentFaults: Int = 0,
        token: RunToken? = nil
    ) throws -> SettlementPlan {
        var settlement = try #require(Settlement.make(progress: progress, attempt: row?.attempt ?? 1))
        settlement.contentFaults = contentFaults
        return SettlementPlan(token ?? self.token, settlement, row: row, campaign: campaign, now: Fixtures.now)
    }

    private func settled(_ plan: SettlementPlan) throws -> SettlementPlan.Settled {
        guard case .settles(let settled) = plan else { throw Otherwise() }
        return settled
    }

    private struct Otherwise: Error {}

    // MARK: The row

    @Test func `a run's row is settled, nobody's, with all that the run knows`() throws {
        let settled = try settled(plan())
        let row = settled.settling.row
        #expect(row.state == .settled && row.owner == 0 && row.aside == nil)
        #expect(row.progress == Self.mixed())
        #expect(row.epoch == 4 && row.generation == 1)
        #expect(settled.settling.settlement.counts.accepted == 2)
    }

    @Test(arguments: [
        Fixtures.row(.running, epoch: 5), Fixtures.row(.running, epoch: 3), Fixtures.row(.running, epoch: 4, owner: 8),
        Fixtures.row(.running, epoch: 4, owner: 0), Fixtures.row(.settled, epoch: 4), Fixtures.row(.aside, epoch: 4),
        Fixtures.row(.unpublished, epoch: 4), Fixtures.row(.out, epoch: 4), Fixtures.row(.parked, epoch: 4), nil,
    ])
    func `nothing is written to a row that is not this run's`(_ row: ShardRecord?) throws {
        #expect(try plan(row) == .fenced)
        #expect(try plan(row, campaign: Fixtures.campaign(.cancelled)) == .fenced)
    }

    @Test func `nothing is written to a row of another key, or without its campaign`() throws {
        var other = token
        other.key.child = 1
        #expect(try plan(token: other) == .fenced)
        #expect(try plan(campaign: nil) == .fenced)
    }

    @Test func `a settlement of too few or too many devices parks the row, whatever became of the campaign`() throws {
        for count in [4, 6] {
            var progress = Progress(count: count)
            for position in 0..<count { progress.accept(position) }
            let parked = SettlementPlan.parks(Fixtures.row(.parked, epoch: 5, owner: 0))
            #expect(try plan(Fixtures.row(.running, epoch: 4), progress) == parked)
            let over = Fixtures.campaign(.cancelled)
            #expect(try plan(Fixtures.row(.running, epoch: 4), progress, campaign: over) == parked)
        }
    }

    // MARK: The rows that follow

    @Test func `devices that failed, and those that are held back, follow in rows of their own`() throws {
        let settling = try settled(plan()).settling
        let children = settling.children(behind: 6, now: Fixtures.now)
        #expect(settling.hasChildren)
        #expect(children.map(\.id.key.child) == [7, 8])
        #expect(children.map(\.positions) == [[3], [4]])
        #expect(children.map(\.state) == [.unpublished, .aside])
        #expect(children.map(\.aside) == [nil, .guard])
        #expect(children.map(\.epoch) == [0, 0] && children.map(\.generation) == [1, 1])
        #expect(children[0].attempt == 2 && children[0].rung == .seconds5)
        #expect(children[0].dueAt == Fixtures.after(5))
        #expect(children[1].progress.state(at: 0) == .held)
    }

    @Test func `only what waits for nothing else is published before the ack`() throws {
        let children = try settled(plan()).settling.children(behind: 0, now: Fixtures.now)
        #expect(SettlementPlan.published(children).map(\.positions) == [[3]])
        var row = Fixtures.row(.running, epoch: 4)
        row.slot = Slot(begins: 0, length: 1)
        let waiting = try settled(plan(row)).settling.children(behind: 0, now: Fixtures.now)
        #expect(waiting.map(\.aside) == [.rate, .guard])
        #expect(SettlementPlan.published(waiting).isEmpty)
    }

    @Test func `behind a guard that has tripped what is held back waits for the environment`() throws {
        let tripped = Fixtures.campaign(pausedBy: [.wrongEnvironment])
        let children = try settled(plan(campaign: tripped)).settling.children(behind: 0, now: Fixtures.now)
        #expect(children.map(\.aside) == [nil, .wrongEnvironment])
    }

    @Test func `a shard all of whose devices ended has no rows behind it`() throws {
        var progress = Progress(count: 5)
        for position in 0..<5 { progress.accept(position) }
        let settling = try settled(plan(Fixtures.row(.running, epoch: 4), progress)).settling
        #expect(!settling.hasChildren && settling.children(behind: 3, now: Fixtures.now).isEmpty)
    }

    @Test(arguments: [(Fixtures.campaign(.cancelled), Outcome.cancelled), (Fixtures.campaign(expiresIn: 0), .expired)])
    func `of a campaign that is over nothing follows: what would, ends with it`(
        _ campaign: CampaignFacts,
        _ outcome: Outcome
    ) throws {
        let settled = try settled(plan(campaign: campaign))
        #expect(!settled.settling.hasChildren)
        #expect(settled.settling.row.progress.state(at: 3) == .outcome(outcome))
        #expect(settled.settling.row.progress.state(at: 4) == .outcome(outcome))
        #expect(settled.settling.row.progress.counts.accepted == 2)
        #expect(settled.suspects.isEmpty && settled.dead.count == 1)
    }

    // MARK: Dead and suspect tokens

    @Test func `once the guard has let a campaign go its wrong tokens are believed, and marked`() throws {
        var campaign = Fixtures.campaign()
        campaign.isGuardPassed = true
        let settled = try settled(plan(campaign: campaign))
        #expect(settled.suspects == [4])
        #expect(settled.settling.row.progress.state(at: 4) == .outcome(.invalid))
        #expect(settled.settling.children(behind: 0, now: Fixtures.now).map(\.positions) == [[3]])
        #expect(settled.guardCount == nil)
    }

    @Test func `until then the guard counts answers and wrong tokens, but not those of known suspects`() throws {
        let settled = try settled(plan())
        #expect(settled.guardCount == SettlementPlan.GuardCount(answers: 4, against: 1))
        #expect(settled.suspects.isEmpty && !settled.clearsSuspects)

        var row = Fixtures.row(.running, epoch: 4)
        row.id.key.part = ShardKey.suspectPart
        let token = RunToken(key: row.id.key, epoch: 4, worker: 7)
        let apart = try self.settled(plan(row, token: token))
        #expect(apart.guardCount == nil && apart.clearsSuspects)
    }

    @Test func `refusals of the content are counted until a person has decided twice, or while it is paused for it`()
        throws
    {
        let count = SettlementPlan.GuardCount(answers: 4, against: 3)
        #expect(try settled(plan(contentFaults: 3)).contentCount == count)
        #expect(try settled(plan()).contentCount == nil)
        var campaign = Fixtures.campaign()
        campaign.contentTrips = ContentGuard.tripsMax
        #expect(try settled(plan(campaign: campaign, contentFaults: 3)).contentCount == nil)
        let paused = Fixtures.campaign(pausedBy: [.content])
        #expect(try settled(plan(campaign: paused, contentFaults: 3)).contentCount == nil)
        #expect(try settled(plan(campaign: Fixtures.campaign(.cancelled), contentFaults: 3)).contentCount == nil)
    }

    @Test func `tokens that the provider called dead are marked so`() throws {
        #expect(try settled(plan()).dead.map(\.position) == [2])
    }
}
