import Campaigns
import Testing

@testable import Delivery

/// The ledger's writes when the wrong-environment guard is asked: totals on the left, campaign and rows on the right.
@Suite struct EnvironmentPlanTests {
    private func plan(
        _ answers: Int,
        _ suspects: Int,
        of campaign: CampaignFacts = Fixtures.campaign(),
        isFinished: Bool = false
    ) -> EnvironmentPlan {
        EnvironmentPlan(answers: answers, suspects: suspects, of: campaign, isFinished: isFinished)
    }

    private static func passed() -> CampaignFacts {
        var facts = Fixtures.campaign()
        (facts.isGuardPassed, facts.isPlanned) = (true, true)
        return facts
    }

    private static func planned(pausedBy: Set<AsideReason> = []) -> CampaignFacts {
        var facts = Fixtures.campaign(pausedBy: pausedBy)
        facts.isPlanned = true
        return facts
    }

    /// Returns a row with two devices that the guard holds back.
    private func held() -> ShardRecord {
        var row = Fixtures.row(.aside, generation: 3, epoch: 2, aside: .guard, owner: 0)
        row.progress = Progress(count: 2)
        row.count = 2
        return row
    }

    @Test(arguments: [
        (199, 199, false, EnvironmentPlan.waits), (200, 101, false, .pauses(.wrongEnvironment)),
        (200, 100, false, .passes), (30, 20, true, .pauses(.wrongEnvironment)), (9, 9, true, .passes),
    ])
    func `it waits, pauses the campaign or lets it go`(
        _ answers: Int,
        _ suspects: Int,
        _ isFinished: Bool,
        _ expected: EnvironmentPlan
    ) {
        #expect(plan(answers, suspects, isFinished: isFinished) == expected)
    }

    @Test(arguments: [passed(), Fixtures.campaign(pausedBy: [.wrongEnvironment])])
    func `what is let go or waits for its person is not judged again`(_ campaign: CampaignFacts) {
        #expect(plan(5000, 5000, of: campaign) == .waits)
        #expect(plan(5000, 0, of: campaign, isFinished: true) == .waits)
    }

    @Test func `a campaign that is paused for another reason is judged all the same`() {
        #expect(plan(200, 200, of: Fixtures.campaign(pausedBy: [.paused])) == .pauses(.wrongEnvironment))
    }

    @Test func `what is held back waits for the person as well, in its generation, and no device ends`() throws {
        var row = held()
        row.aside = .wrongEnvironment
        #expect(try EnvironmentPlan.pauses(.wrongEnvironment).write(held()) == .moves(row))
        #expect(EnvironmentPlan.pauses(.wrongEnvironment).marksSuspects == false)
        #expect(try EnvironmentPlan.waits.write(held()) == .nothing)
        #expect(EnvironmentPlan.waits.marksSuspects == false)
    }

    @Test func `what is held back ends as the provider said, and each of its devices is suspect from then on`() throws {
        var progress = Progress(count: 2)
        progress.hold(0, Progress.Note(reason: "BadDeviceToken"))
        progress.hold(1, Progress.Note(reason: "BadDeviceToken"))
        var row = held()
        row.progress = progress
        guard case .settles(let settling) = try EnvironmentPlan.passes.write(row) else { throw Otherwise() }
        #expect(settling.row.state == .settled && settling.row.aside == nil)
        #expect(settling.settlement.counts.invalid == 2)
        #expect(!settling.hasChildren)
        #expect(EnvironmentPlan.passes.marksSuspects)
    }

    private struct Otherwise: Error {}

    @Test func `who resumes twice is believed`() {
        #expect([0, 1, 2, 3].map { EnvironmentPlan.isBelieved(trips: $0) } == [false, false, true, true])
    }

    // MARK: Possibly sent devices

    @Test func `so many devices are out while the guard watches, and without it nobody counts`() {
        var counts = 0
        func room(_ campaign: CampaignFacts, _ out: Int) -> Int {
            EnvironmentPlan.room(of: campaign) {
                counts += 1
                return out
            }
        }
        #expect([0, 1999, 2000, 2500].map { room(Fixtures.campaign(), $0) } == [2000, 1, 0, 0])
        #expect(counts == 4)
        #expect(room(Self.passed(), 5000) == .max && counts == 4)
    }

    @Test(arguments: [(4, 4, true), (5, 4, false), (0, 0, false), (4, 0, false)])
    func `it is finished when nothing is open but what it holds back`(_ open: Int, _ held: Int, _ isFinished: Bool) {
        #expect(EnvironmentPlan.isFinished(Self.planned()) { (open, held) } == isFinished)
    }

    @Test(arguments: [Fixtures.campaign(), passed(), planned(pausedBy: [.paused]), planned(pausedBy: [.content])])
    func `it is not finished while shards are to be cut, while it is paused, or after the guard`(
        _ campaign: CampaignFacts
    ) {
        var counts = 0
        let isFinished = EnvironmentPlan.isFinished(campaign) {
            counts += 1
            return (4, 4)
        }
        #expect(!isFinished && counts == 0)
    }
}
