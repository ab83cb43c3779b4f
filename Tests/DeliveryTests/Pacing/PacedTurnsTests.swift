import Campaigns
import PushProviders
import Testing

@testable import Delivery

/// The turns that a pass of a campaign under a rate assigns: waiting rows on the left, rows and lines on the right.
@Suite struct PacedTurnsTests {
    private let now = Fixtures.now
    private var instant: Int64 { now.milliseconds * 1000 }
    private let fcm = ProviderName(rawValue: "fcm")
    private let apns = ProviderName(rawValue: "apns")

    private func quota(_ perMinute: Int = 60_000) -> ProviderQuota {
        ProviderQuota(provider: fcm, holder: "news", perMinute: perMinute)
    }

    /// Returns a quota's line whose ramp is over.
    private func open(_ quota: ProviderQuota) -> PaceLine {
        PaceLine(pace: Pace(quota), first: instant - 60_000_000, next: instant)
    }

    private func share(_ provider: ProviderName, pausedBy: Set<AsideReason> = []) -> CampaignFacts {
        var facts = Fixtures.campaign(pausedBy: pausedBy)
        (facts.hasShares, facts.share) = (true, provider)
        return facts
    }

    /// Returns a row of five devices that waits for its turn.
    private func row(_ ordinal: UInt32, dueAt: Timestamp? = nil) -> ShardRecord {
        var row = Fixtures.row(.aside, generation: 3, epoch: 2, aside: .rate, owner: 0)
        row.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: ordinal, child: dueAt == nil ? 0 : 1))
        row.dueAt = dueAt
        return row
    }

    private func paced(
        _ perSecond: Int? = 20,
        app: Int? = nil,
        _ shares: [CampaignFacts] = [Fixtures.campaign()],
        _ quotas: [ProviderName: ProviderQuota] = [:],
        of campaign: CampaignFacts = Fixtures.campaign()
    ) -> PacedTurns? {
        var campaign = campaign
        campaign.pace = perSecond.map { Pace(perSecond: $0) }
        let app = app.map { Pace(perSecond: $0) }
        return PacedTurns(of: campaign, shares: shares, appPace: app, quotas: quotas, now: now)
    }

    private func lines(_ perSecond: Int, app: Int? = nil) -> PacedTurns.Lines {
        PacedTurns.Lines(
            campaign: PaceLine(pace: Pace(perSecond: perSecond)),
            app: app.map { PaceLine(pace: Pace(perSecond: $0)) }
        )
    }

    // MARK: Rows and slots

    @Test func `rows get slots one after the other, are published in their generation, and the line is behind them`()
        throws
    {
        var turns = try #require(paced())
        turns.wait([row(0), row(1)], line: nil, in: 0)
        let given = turns.give(lines(20), now: now)
        let first = Fixtures.row(.unpublished, generation: 3, epoch: 2, owner: 0)
        #expect(given.rows.map(\.id.key.ordinal) == [0, 1])
        #expect(given.rows.map(\.slot) == [80, 330].map { Slot(begins: instant + $0 * 1000, length: 250_000) })
        #expect(given.rows[0] == first.given(Slot(begins: instant + 80_000, length: 250_000)))
        #expect(given.lines.campaign?.next == instant + 580_000)
        #expect(given.lines.app == nil && given.quotas.isEmpty)
    }

    @Test func `a turn is not given twice`() throws {
        var turns = try #require(paced())
        turns.wait([row(0), row(1)], line: nil, in: 0)
        let given = turns.give(lines(20), now: now)
        #expect(given.rows.count == 2)
        let again = turns.give(given.lines, now: now.advanced(by: .seconds(5)))
        #expect(again.rows.isEmpty && again.lines == PacedTurns.Lines())
    }

    @Test(arguments: [
        Fixtures.row(.unpublished), Fixtures.row(.out), Fixtures.row(.running), Fixtures.row(.settled),
        Fixtures.row(.parked), Fixtures.row(.aside, aside: .paused), Fixtures.row(.aside, aside: .guard),
    ])
    func `what does not wait for a turn gets none`(_ row: ShardRecord) throws {
        var turns = try #require(paced())
        turns.wait([row], line: nil, in: 0)
        #expect(turns.give(lines(20), now: now).rows.isEmpty)
    }

    @Test func `no row has a turn that begins more than a second ahead, and no line moves for it`() throws {
        var turns = try #require(paced())
        turns.wait((0..<9).map { row($0) }, line: nil, in: 0)
        let given = turns.give(lines(20), now: now)
        #expect(given.rows.count == 4)
        #expect(given.lines.campaign?.next == instant + 1_080_000)
        // The next pass comes when slots are free, a tenth of a second of them.
        #expect(given.rest == 180_000)
    }

    @Test func `a look gives so many turns at most, and the others wait for the next`() throws {
        var turns = try #require(paced(1_000_000))
        turns.wait((0...UInt32(PacedTurns.turnsMax)).map { row($0) }, line: nil, in: 0)
        let given = turns.give(lines(1_000_000), now: now)
        #expect(given.rows.count == PacedTurns.turnsMax)
        #expect(turns.give(given.lines, now: now).rows.map(\.id.key.ordinal) == [UInt32(PacedTurns.turnsMax)])
    }

    @Test func `campaign and app each keep their line, and the slower says when`() throws {
        var turns = try #require(paced(20, app: 10))
        turns.wait((0..<9).map { row($0) }, line: nil, in: 0)
        let given = turns.give(lines(20, app: 10), now: now)
        #expect(given.rows.count == 2)
        #expect(given.lines.campaign?.next == instant + 830_000)
        #expect(given.lines.app?.next == instant + 1_080_000)
        #expect(given.lines.campaign?.pace == Pace(perSecond: 20))
        #expect(given.lines.app?.pace == Pace(perSecond: 10))
    }

    @Test func `with nothing waiting it looks again when something may have come back`() throws {
        var turns = try #require(paced())
        turns.wait([], line: nil, in: 0)
        let given = turns.give(lines(20), now: now)
        #expect(given == PacedTurns.Given(rest: Pacing.idleRest))
    }

    // MARK: The order of turns

    @Test(arguments: [
        Fixtures.campaign(.cancelled), Fixtures.campaign(.held), Fixtures.campaign(pausedBy: [.paused]),
        Fixtures.campaign(expiresIn: 0), Fixtures.campaign(.planning),
    ])
    func `a campaign that may not be planned has no turns`(_ campaign: CampaignFacts) {
        #expect(paced(of: campaign) == nil)
    }

    @Test func `nothing that no limit holds back waits for turns`() {
        #expect(paced(nil) == nil)
        #expect(paced(nil, app: 1) != nil)
        let shares = [share(apns), share(fcm)]
        #expect(paced(nil, shares, [fcm: quota()])?.queues.map(\.providers) == [[fcm]])
        #expect(paced(20, shares, [fcm: quota()])?.queues.map(\.providers) == [[apns], [fcm]])
        #expect(paced(20, shares)?.queues.map(\.providers) == [[apns, fcm]])
        #expect(paced(nil, [Fixtures.campaign()], [fcm: quota()])?.queues.map(\.providers) == [nil])
    }

    @Test func `a share in trouble leaves its turns to the others`() {
        let shares = [share(apns, pausedBy: [.credentials]), share(fcm)]
        #expect(paced(20, shares)?.queues.map(\.providers) == [[fcm]])
        #expect(paced(20, [share(apns, pausedBy: [.credentials])]) == nil)
    }

    @Test func `retries that are due come before new shards, the longest due first, whosever they are`() throws {
        var turns = try #require(paced(100, [share(apns), share(fcm)], [fcm: quota()]))
        turns.wait([row(0, dueAt: Fixtures.after(-1)), row(1)], line: nil, in: 0)
        turns.wait([row(2, dueAt: Fixtures.after(-2)), row(3)], line: open(quota()), in: 1)
        #expect(turns.give(lines(100), now: now).rows.map(\.id.key.ordinal).prefix(2) == [2, 0])
    }

    @Test func `of new shards the queue is next of which least has had a turn`() throws {
        var turns = try #require(paced(100, [share(apns), share(fcm)], [fcm: quota()]))
        #expect(turns.comparesQueues)
        turns.wait((0..<4).map { row($0) }, line: nil, in: 0)
        turns.wait((10..<14).map { row($0) }, line: open(quota()), in: 1)
        // Half of the first is cut, and 10 of its 40 devices wait; nothing of the other one had a turn.
        turns.count(TurnQueue.Progress(devices: 40, chunks: 4, cut: 2, waiting: 10), in: 0)
        turns.count(TurnQueue.Progress(devices: 20, chunks: 2, cut: 1, waiting: 10), in: 1)
        #expect(turns.give(lines(100), now: now).rows.map(\.id.key.ordinal) == [10, 0, 11, 1, 2, 12, 3, 13])
    }

    @Test func `without a common rate no queue waits for another`() throws {
        #expect(try #require(paced(20)).comparesQueues == false)
        let limits = [fcm: quota(), apns: ProviderQuota(provider: apns, holder: "a", perMinute: 60)]
        #expect(try #require(paced(nil, [share(apns), share(fcm)], limits)).comparesQueues == false)
    }

    @Test func `what a quota has no slot for waits, and the others have theirs`() throws {
        var turns = try #require(paced(100, [share(apns), share(fcm)], [fcm: quota(60)]))
        turns.wait((0..<3).map { row($0) }, line: nil, in: 0)
        turns.wait((10..<13).map { row($0) }, line: open(quota(60)), in: 1)
        let given = turns.give(lines(100), now: now)
        #expect(given.rows.map(\.id.key.ordinal).sorted() == [0, 1, 2, 10])
        #expect(given.quotas.map(\.quota) == [quota(60)])
        // After the others' first slot, five requests at 59 a minute.
        #expect(given.quotas.map(\.line.next) == [instant + 130_000 + 5_084_746])
    }

    @Test func `a quota's line that has not moved is not written`() throws {
        var turns = try #require(paced(100, [share(apns), share(fcm)], [fcm: quota()]))
        turns.wait([row(0)], line: nil, in: 0)
        turns.wait([], line: open(quota()), in: 1)
        #expect(turns.give(lines(100), now: now).quotas.isEmpty)
    }

    // MARK: Cutting ahead

    @Test func `chunks are cut until what waits is worth more than a second, in pieces of a quarter`() throws {
        var ahead = try #require(paced(100)).cutAhead(of: 0, waiting: 0)
        #expect(ahead.pieceMax == 25)
        #expect(ahead.providers == nil)
        var cut = 0
        while ahead.isShort, let share = ahead.share(of: nil) {
            if ahead.takes(50, of: share, room: .max) { cut += 50 }
        }
        #expect(cut == 150)
        #expect(try #require(paced(100)).cutAhead(of: 0, waiting: 125).isShort == false)
        #expect(try #require(paced(100)).cutAhead(of: 0, waiting: 124).isShort)
    }

    @Test func `a queue with a quota is cut for the slower of both`() throws {
        let turns = try #require(paced(100, [share(apns), share(fcm)], [fcm: quota(600)]))
        #expect(turns.cutAhead(of: 0, waiting: 0).pieceMax == 25)
        #expect(turns.cutAhead(of: 1, waiting: 0).pieceMax == 2)
        #expect(turns.cutAhead(of: 1, waiting: 11).isShort == false)
    }

    @Test func `a share without room under the guard leaves the rest to the others`() throws {
        var ahead = try #require(paced(100, [share(apns), share(fcm)])).cutAhead(of: 0, waiting: 0)
        let first = try #require(ahead.share(of: apns))
        let isFirstTaken = ahead.takes(50, of: first, room: 49)
        #expect(!isFirstTaken)
        #expect(ahead.providers == [fcm] && ahead.share(of: apns) == nil)
        let second = try #require(ahead.share(of: fcm))
        let isSecondTaken = ahead.takes(50, of: second, room: 50)
        #expect(isSecondTaken && ahead.isShort)
        let isMoreTaken = ahead.takes(50, of: second, room: 0)
        #expect(!isMoreTaken && !ahead.isShort)
    }
}
