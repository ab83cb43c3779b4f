import Campaigns
import Delivery
import Testing

/// The release of waiting rows and campaigns: facts on the left, consequences on the right.
@Suite struct ReleaseRulesTests {
    private let now = Fixtures.now

    // MARK: A message that is given up

    @Test(arguments: [ShardState.out, .running, .parked])
    func `a row whose message is lost gets a new one, and a run that may have it is refused`(_ state: ShardState) {
        let row = Fixtures.row(state, generation: 2, epoch: 4)
        #expect(Sweep.renewed(row, from: row) == row.publishedAnew())
    }

    @Test(arguments: [ShardState.unpublished, .aside, .settled])
    func `a row without a message that could be lost stays as it is`(_ state: ShardState) {
        let row = Fixtures.row(state)
        #expect(Sweep.renewed(row, from: row) == nil)
    }

    @Test func `a row that has moved on since it was looked at stays as it is`() {
        let old = Fixtures.row(.out, generation: 2, epoch: 4)
        for row in [
            Fixtures.row(.out, generation: 3, epoch: 4), Fixtures.row(.out, generation: 2, epoch: 5),
            Fixtures.row(.running, generation: 2, epoch: 4), nil,
        ] {
            #expect(Sweep.renewed(row, from: old) == nil)
        }
    }

    @Test func `what waits for its turn is released only when no rate is left, the campaign's own included`() {
        func reasons(isPaced: Bool, pace: Pace? = nil) -> [AsideReason] {
            var campaign = Fixtures.campaign()
            campaign.pace = pace
            return AsideRelease.dueReasons(campaign: campaign, knowsApp: true, isPaced: isPaced, now: now)
        }
        #expect(reasons(isPaced: false).contains(.rate))
        #expect(!reasons(isPaced: true).contains(.rate))
        #expect(!reasons(isPaced: false, pace: Pace(perSecond: 1)).contains(.rate))
    }

    @Test func `rows that nobody runs end, those that a person decides about by their entries`() {
        #expect(AsideRelease.waitingStates == [.unpublished, .out, .aside])
        let campaign = Fixtures.campaign(.cancelled)
        let ended = ShardState.allCases.filter { AsideRelease.ending(of: $0, campaign: campaign, now: now) != nil }
        #expect(Set(ended) == Set(AsideRelease.waitingStates + [.parked]))
    }

    // MARK: Fire

    private func fire(
        _ campaign: CampaignFacts = Fixtures.campaign(.held),
        isHeld: Bool = true,
        isFired: Bool = false,
        releaseSeconds: Int64? = nil
    ) -> FirePlan {
        let facts = FirePlan.Facts(
            isHeld: isHeld,
            createdAt: Fixtures.after(-60),
            releaseSeconds: releaseSeconds,
            isFired: isFired
        )
        return FirePlan(campaign, facts, now: now)
    }

    @Test func `a held campaign is fired once, and ends when it was to`() {
        #expect(fire() == .fires(stage: .scheduled, expiresAt: Fixtures.after(60)))
        #expect(fire(isFired: true) == .wasFired)
        #expect(fire(isHeld: false) == .isNotHeld)
    }

    @Test func `what counts from the release begins now, or when its time comes`() {
        #expect(fire(releaseSeconds: 30) == .fires(stage: .scheduled, expiresAt: Fixtures.after(30)))
        var later = Fixtures.campaign(.held)
        later.sendAt = Fixtures.after(20)
        #expect(fire(later, releaseSeconds: 30) == .fires(stage: .scheduled, expiresAt: Fixtures.after(50)))
    }

    @Test func `one whose audience is being written begins when that is done`() {
        #expect(fire(Fixtures.campaign(.planning)) == .fires(stage: .planning, expiresAt: Fixtures.after(60)))
    }

    @Test(arguments: [Fixtures.campaign(.cancelled), Fixtures.campaign(.held, expiresIn: 0)])
    func `a campaign that is over is not fired, and no shard of it is cut before`(_ campaign: CampaignFacts) {
        #expect(fire(campaign) == .isOver)
        #expect(fire(campaign, isFired: true) == .isOver)
        #expect(!campaign.mayPrepare(at: now))
    }

    @Test func `shards are cut before the fire while it is waited for`() {
        #expect(Fixtures.campaign(.held).mayPrepare(at: now))
        #expect(!Fixtures.campaign(.sending).mayPrepare(at: now))
        #expect(!Fixtures.campaign(.planning).mayPrepare(at: now))
    }

    @Test func `the rows of a provider in trouble stay when the others are fired`() {
        func share(_ name: String, pausedBy: Set<AsideReason> = []) -> CampaignFacts {
            var facts = Fixtures.campaign(pausedBy: pausedBy)
            (facts.hasShares, facts.share) = (true, ProviderName(rawValue: name))
            return facts
        }
        let shares = [share("apns"), share("fcm", pausedBy: [.credentials])]
        #expect(FirePlan.releases(shares, now: now) == [ProviderName(rawValue: "apns")])
        #expect(FirePlan.releases([Fixtures.campaign()], now: now) == nil)
    }

    // MARK: Release

    private func release(
        _ campaign: CampaignFacts,
        collapses: Bool = true,
        markedAt: Timestamp? = nil
    ) -> ReleasePlan {
        ReleasePlan(campaign, collapses: collapses, markedAt: markedAt, shared: Fixtures.after(5), now: now)
    }

    private static func unreleased(
        _ stage: CampaignStage = .scheduled,
        _ paused: Set<AsideReason> = []
    ) -> CampaignFacts {
        var facts = Fixtures.campaign(stage, pausedBy: paused)
        facts.isReleased = false
        return facts
    }

    @Test func `the older ones are marked once, and their runs are looked at from then on`() {
        #expect(release(Self.unreleased()) == .marks(at: Fixtures.after(5)))
        #expect(release(Self.unreleased(), markedAt: Fixtures.after(-3)) == .looks(since: Fixtures.after(-3)))
    }

    @Test func `what is released already does nothing, and what collapses with none is not due`() {
        #expect(release(Fixtures.campaign()) == .isReleased)
        #expect(release(Self.unreleased(), collapses: false) == .isNotDue)
    }

    @Test(arguments: [
        unreleased(.held), unreleased(.cancelled), unreleased(.planning), unreleased(.scheduled, [.paused]),
    ])
    func `nothing older is marked for a campaign that something else keeps back`(_ campaign: CampaignFacts) {
        #expect(release(campaign) == .isNotDue)
        #expect(release(campaign, markedAt: now) == .isNotDue)
    }
}
