import Campaigns
import Delivery
import Testing

/// The ledger's writes for runs that stop, save or give up: facts on the left, the row on the right.
@Suite struct AsidePlanTests {
    private let token = RunToken(key: Fixtures.key, epoch: 4, worker: 7)

    private static let others = [
        Fixtures.row(.running, epoch: 5), Fixtures.row(.running, epoch: 4, owner: 8),
        Fixtures.row(.running, epoch: 4, owner: 0), Fixtures.row(.settled, epoch: 4), Fixtures.row(.aside, epoch: 4),
        Fixtures.row(.out, epoch: 4), Fixtures.row(.parked, epoch: 4),
    ]

    private static func half() -> Progress {
        var progress = Progress(count: 5)
        progress.accept(0)
        progress.accept(1)
        return progress
    }

    private func plan(
        _ row: ShardRecord? = Fixtures.row(.running, epoch: 4),
        _ reason: AsideReason = .paused,
        _ progress: Progress = half(),
        campaign: CampaignFacts? = Fixtures.campaign()
    ) throws -> AsidePlan {
        try AsidePlan(token, reason, progress, row: row, campaign: campaign, now: Fixtures.now)
    }

    @Test func `a run that stops leaves what it knows, and its message and its epoch are superseded`() throws {
        var row = Fixtures.row(.aside, generation: 2, epoch: 5, aside: .paused, owner: 0)
        row.progress = Self.half()
        #expect(try plan() == .waits(row))
    }

    @Test func `what is handed over waits for nothing but its new message`() throws {
        var row = Fixtures.row(.unpublished, generation: 2, epoch: 5, owner: 0)
        row.progress = Self.half()
        #expect(try plan(Fixtures.row(.running, epoch: 4), .handOver) == .waits(row))
    }

    @Test(arguments: [(Fixtures.campaign(.cancelled), Outcome.cancelled), (Fixtures.campaign(expiresIn: 0), .expired)])
    func `a run of a campaign that is over ends with what it knows`(
        _ campaign: CampaignFacts,
        _ outcome: Outcome
    ) throws {
        guard case .ends(let settling, outcome) = try plan(campaign: campaign) else { throw Otherwise() }
        #expect(settling.row.state == .settled && settling.row.owner == 0)
        #expect(settling.row.progress.counts.accepted == 2)
        #expect(settling.row.progress.state(at: 4) == .outcome(outcome))
    }

    @Test(arguments: others) func `nothing is written to a row that is not this run's`(_ row: ShardRecord) throws {
        #expect(try plan(row) == .fenced)
        #expect(try plan(row, campaign: Fixtures.campaign(.cancelled)) == .fenced)
        #expect(token.saving(Self.half(), in: row) == nil)
        #expect(token.givingUp(row) == nil)
        #expect(token.parking(row) == nil)
    }

    @Test func `a progress of other devices is not this run's either`() throws {
        #expect(try plan(Fixtures.row(.running, epoch: 4), .paused, Progress(count: 4)) == .fenced)
        #expect(token.saving(Progress(count: 4), in: Fixtures.row(.running, epoch: 4)) == nil)
        #expect(try plan(nil) == .fenced)
        #expect(try plan(campaign: nil) == .fenced)
    }

    @Test func `a run that saves keeps its row as it is`() {
        let row = Fixtures.row(.running, epoch: 4)
        var saved = row
        saved.progress = Self.half()
        #expect(token.saving(Self.half(), in: row) == saved)
    }

    @Test func `a run that gives up leaves its epoch, and nobody is waited for`() {
        #expect(token.givingUp(Fixtures.row(.running, epoch: 4)) == Fixtures.row(.running, epoch: 4, owner: 0))
    }

    @Test func `a run that broke the law is refused from then on, and its message is the person's`() {
        #expect(token.parking(Fixtures.row(.running, epoch: 4)) == Fixtures.row(.parked, epoch: 5, owner: 0))
    }

    // MARK: Rows that the planner moves

    @Test func `what was set aside is published in the generation that it got then, and its turn has passed`() {
        var row = Fixtures.row(.aside, generation: 3, epoch: 5, aside: .rate, owner: 0)
        row.slot = Slot(begins: 5, length: 1)
        #expect(row.released() == Fixtures.row(.unpublished, generation: 3, epoch: 5, owner: 0))
    }

    @Test func `a message that is given up is superseded with whatever run has it`() {
        let row = Fixtures.row(.running, generation: 3, epoch: 5)
        #expect(row.publishedAnew() == Fixtures.row(.unpublished, generation: 4, epoch: 6, owner: 0))
    }

    @Test func `a run that is left behind with its message may have sent to all that it has not told of`() {
        var row = Fixtures.row(.running, epoch: 4)
        row.progress = Self.half()
        #expect(Sweep.maybeSent(row) == 3)
        row.owner = 0
        #expect(Sweep.maybeSent(row) == 0)
        #expect(Sweep.maybeSent(Fixtures.row(.out)) == 0)
    }

    @Test func `what a person lets go waits for its planner, in a message of its own`() {
        let row = Fixtures.row(.parked, generation: 3, epoch: 5)
        let next = Fixtures.row(.aside, generation: 4, epoch: 6, aside: .handOver, owner: 0)
        #expect(row.handedToPlanner() == next)
    }

    private struct Otherwise: Error {}
}
