import Campaigns
import Testing

@testable import Delivery

/// The choice of the shard that probes an app's provider: waiting rows on the left, the choice on the right.
@Suite struct ProbeChoiceTests {
    private let now = Fixtures.now

    /// Returns a breaker whose first probe was due so many seconds ago.
    private func breaker(dueFor seconds: Int64 = 0) -> Breaker {
        let opened = now.advanced(by: .zero - Breaker.firstRest - .seconds(seconds))
        return Breaker(opening: Breaker.Trip(reason: "ServiceUnavailable", since: opened), now: opened)
    }

    private func behind(_ breaker: Breaker?, _ campaign: CampaignFacts = Fixtures.campaign()) -> ProbeChoice? {
        var campaign = campaign
        if let breaker { campaign.breaker = breaker.gate }
        return ProbeChoice(breaker, of: campaign, now: now)
    }

    private func row(_ ordinal: UInt32, attempt: UInt32 = 1, _ reason: AsideReason = .breaker) -> ShardRecord {
        var row = Fixtures.row(.aside, generation: 3, epoch: 2, aside: reason, owner: 0)
        row.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: ordinal))
        row.attempt = attempt
        return row
    }

    private func published(_ ordinal: UInt32, attempt: UInt32 = 1) -> ShardRecord {
        var row = row(ordinal, attempt: attempt)
        (row.state, row.aside) = (.unpublished, nil)
        return row
    }

    private func choice(
        _ waiting: [ShardRecord],
        quiet: Set<UInt32> = [],
        dueFor seconds: Int64 = 0
    ) throws -> ProbeChoice.Choice {
        try #require(behind(breaker(dueFor: seconds)))
            .choose(among: waiting) { quiet.contains($0.id.key.ordinal) }
    }

    @Test func `the first attempt is chosen that waits longest, in the generation that it has`() throws {
        #expect(try choice([row(2), row(0)]) == .publishes(published(2)))
        #expect(try choice([row(5, attempt: 2), row(2)], dueFor: 60) == .publishes(published(2)))
    }

    @Test func `without one a shard is cut for it`() throws {
        #expect(try choice([]) == .cuts(orElse: nil))
    }

    @Test func `a retry comes when nobody had a first attempt to offer for a while`() throws {
        let waiting = [row(5, attempt: 2), row(6, attempt: 3)]
        #expect(try choice(waiting) == .cuts(orElse: nil))
        #expect(try choice(waiting, dueFor: 1) == .cuts(orElse: published(5, attempt: 2)))
    }

    @Test func `in quiet hours nothing is asked, whatever a row waits for`() throws {
        #expect(try choice([row(0), row(1)], quiet: [0]) == .publishes(published(1)))
        #expect(try choice([row(0)], quiet: [0]) == .cuts(orElse: nil))
    }

    @Test(arguments: [AsideReason.guard, .suspect])
    func `what waits for another verdict is no probe`(_ reason: AsideReason) throws {
        #expect(try choice([row(0, reason), row(1)]) == .publishes(published(1)))
    }

    @Test func `what no planner holds is no probe`() throws {
        #expect(try choice([Fixtures.row(.running), Fixtures.row(.out)]) == .cuts(orElse: nil))
    }

    @Test func `a probe keeps the turn that it had, so that it alone goes at once`() throws {
        var waiting = row(0)
        waiting.slot = Slot(begins: 5, length: 1)
        guard case .publishes(let probe) = try choice([waiting]) else { throw Otherwise() }
        #expect(probe.slot == waiting.slot && probe.state == .unpublished)
    }

    private struct Otherwise: Error {}

    // MARK: No probe

    @Test func `none is chosen before it is due, nor while one is under way, nor of a breaker that is closed`() {
        #expect(behind(nil) == nil)
        #expect(behind(Breaker(opening: Breaker.Trip(reason: "ServiceUnavailable", since: now), now: now)) == nil)
        var under = breaker()
        under.begin(Fixtures.key, now: now)
        #expect(behind(under) == nil)
        var closed = under
        _ = closed.ended(Fixtures.key, .healthy, now: now)
        #expect(behind(closed) == nil)
        #expect(behind(breaker()) != nil)
    }

    @Test(arguments: [
        Fixtures.campaign(pausedBy: [.paused]), Fixtures.campaign(.cancelled), Fixtures.campaign(.held),
        Fixtures.campaign(expiresIn: 0),
    ])
    func `a campaign that something else keeps back gives no probe`(_ campaign: CampaignFacts) {
        #expect(behind(breaker(), campaign) == nil)
    }

    @Test func `the probe that was chosen has its lease, and no other is chosen`() throws {
        let begun = try #require(behind(breaker())).begun(Fixtures.key)
        #expect(begun.gate == .open(probe: Fixtures.key))
        #expect(begun.probe?.until == now.advanced(by: Breaker.probeLease))
        #expect(behind(begun) == nil)
    }
}
