import Campaigns
import Testing

@testable import Delivery

/// The assignment of turns, and a run's adherence to its slot.
struct PacingTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)
    private var instant: Int64 { now.milliseconds * 1000 }

    @Test func `slots follow one another without gaps, a second ahead and no further`() {
        var lines = [PaceLine(pace: Pace(perSecond: 1000))]
        var slots: [Slot] = []
        while let slot = Pacing.slot(devices: 250, lines: &lines, now: now) { slots.append(slot) }
        #expect(slots.map(\.begins) == [80, 330, 580, 830].map { instant + $0 * 1000 })
        #expect(slots.allSatisfy { $0.length == 250_000 })
        // 930 ms later the line is 80 ms behind its end: unused turns are not caught up.
        let later = now.advanced(by: .seconds(5))
        let next = Pacing.slot(devices: 250, lines: &lines, now: later)
        #expect(next?.begins == later.milliseconds * 1000 + Pacing.notice)
    }

    @Test func `no second has more than the rate, whatever the sizes and whenever turns are given away`() {
        var lines = [PaceLine(pace: Pace(perSecond: 700))]
        var begun: [Int64] = []
        var clock = now
        for step in 0..<400 {
            clock = clock.advanced(by: .milliseconds(37 + step % 90))
            let devices = 1 + (step * 31) % 175
            while let slot = Pacing.slot(devices: devices, lines: &lines, now: clock) {
                for position in 0..<devices { begun.append(slot.instant(of: position, among: devices)) }
            }
        }
        #expect(begun == begun.sorted())
        var start = 0
        for (index, instant) in begun.enumerated() {
            while instant - begun[start] >= 1_000_000 { start += 1 }
            #expect(index - start + 1 <= 701)
        }
    }

    @Test func `a campaign and its app each keep their rate`() {
        var app = PaceLine(pace: Pace(perSecond: 1000))
        var campaigns = [PaceLine(pace: Pace(perSecond: 800)), PaceLine(pace: Pace(perSecond: 800))]
        var given = [0, 0]
        for index in [0, 1, 0, 1, 0, 1, 0, 1, 0, 1] {
            var lines = [campaigns[index], app]
            guard Pacing.slot(devices: 100, lines: &lines, now: now) != nil else { continue }
            (campaigns[index], app) = (lines[0], lines[1])
            given[index] += 100
        }
        // The turns that fit into the second ahead, without its first 80 ms.
        #expect(given.reduce(0, +) == 1000)
        #expect(given[0] == given[1])
    }

    @Test func `a ramp begins with a tenth and ends with the whole rate`() {
        let pace = Pace(perSecond: 1000, rampUp: 60)
        #expect(pace.perMinute(at: instant, from: instant) == 6000)
        #expect(pace.perMinute(at: instant + 30_000_000, from: instant) == 30_000)
        #expect(pace.perMinute(at: instant + 60_000_000, from: instant) == 60_000)
        #expect(Pace(perSecond: 1000).perMinute(at: instant, from: instant) == 60_000)
        var lines = [PaceLine(pace: pace)]
        #expect(Pacing.slot(devices: 250, lines: &lines, now: now)?.length == 2_500_000)
    }

    @Test(arguments: [(1, 1), (7, 1), (400, 100), (1000, 250), (2000, 500), (1_000_000, 500)])
    func `a shard is a quarter of a second's worth at most`(rate: Int, devices: Int) {
        #expect(Pacing.devicesMax([Pace(perSecond: rate)]) == devices)
        #expect(Pacing.devicesMax([Pace(perSecond: rate), Pace(perSecond: 40)]) == min(devices, 10))
    }

    @Test func `a line that a wrong clock has written is not waited for`() {
        var lines = [PaceLine(pace: Pace(perSecond: 10), next: instant + 86_400_000_000)]
        #expect(Pacing.rest(lines, now: now) == 0)
        #expect(Pacing.slot(devices: 2, lines: &lines, now: now)?.begins == instant + Pacing.notice)
        let later = now.advanced(by: .seconds(600))
        #expect(Pacing.slot(devices: 2, lines: &lines, now: later) != nil)
    }

    @Test func `the pieces of a chunk have all its devices once, and what is known of them`() {
        var row = Fixtures.row(.unpublished)
        row.progress.end(3, .invalid, Progress.Note(reason: "Unregistered", requests: 0))
        let pieces = row.pieces(devicesMax: 2)
        #expect(pieces.map(\.positions) == [[0, 1], [2, 3], [4]])
        #expect(pieces.map(\.count) == [2, 2, 1])
        #expect(pieces.map { $0.progress.counts.invalid } == [0, 1, 0])
        #expect(Set(pieces.map(\.id.key)).count == 3)
        #expect(pieces.allSatisfy { $0.state == .aside && $0.aside == .rate && $0.chunk == row.chunk })
        #expect(pieces[0].id == row.id)
        #expect(ShardRecord.nextPiece(pieces[0].id.key.ordinal) == pieces[1].id.key.ordinal)
        #expect(row.pieces(devicesMax: 5).map(\.positions) == [[]])
    }

    // MARK: - A run in its slot

    private func run(of count: Int, length: Duration) -> ShardRun {
        let shard = Fixtures.shard(count)
        return ShardRun(
            shard: shard,
            epoch: 1,
            progress: Progress(count: count),
            slot: Slot(begins: Fixtures.now.milliseconds * 1000, length: Int64(length / .microseconds(1))),
            now: Fixtures.now
        )
    }

    @Test func `each device has its turn, and none goes before`() {
        var run = run(of: 5, length: .milliseconds(50))
        var sent: [Int: Int64] = [:]
        for milliseconds in 0..<60 {
            let now = Fixtures.now.advanced(by: .milliseconds(milliseconds))
            _ = run.wake(now: now)
            while let position = run.next(now: now) {
                sent[position] = Int64(milliseconds)
                run.accepted(position)
            }
        }
        #expect(sent == [0: 0, 1: 10, 2: 20, 3: 30, 4: 40])
        guard case .settle = run.finish() else {
            Issue.record("it is over with every device")
            return
        }
    }

    @Test func `a run says when it is to be woken, and has no work before`() {
        var run = run(of: 5, length: .milliseconds(50))
        #expect(run.next(now: Fixtures.now) == 0)
        #expect(run.next(now: Fixtures.now) == nil)
        #expect(!run.hasWork)
        #expect(run.wake(now: Fixtures.now) == Fixtures.now.milliseconds * 1000 + 10_000)
        #expect(run.wake(now: Fixtures.now.advanced(by: .milliseconds(10))) == nil)
        #expect(run.hasWork)
    }

    @Test func `what has missed its turn is not caught up but waits for another slot`() {
        var run = run(of: 5, length: .milliseconds(50))
        // 45 ms late: the turns of the first two are lost.
        let late = Fixtures.now.advanced(by: .milliseconds(45))
        var sent: [Int] = []
        while let position = run.next(now: late) {
            sent.append(position)
            run.accepted(position)
        }
        #expect(sent == [2, 3, 4])
        #expect(run.isOver)
        guard case .setAside(.rate, let progress) = run.finish() else {
            Issue.record("the rest is set aside")
            return
        }
        #expect(progress.pendingCount == 2)
        #expect(progress.counts.accepted == 3)
    }

    @Test func `a message that comes after its slot gives all devices back, without a request`() {
        var run = run(of: 5, length: .milliseconds(50))
        let late = Fixtures.now.advanced(by: .seconds(3))
        #expect(run.next(now: late) == nil)
        #expect(run.isOver)
        guard case .setAside(.rate, let progress) = run.finish() else {
            Issue.record("all is set aside")
            return
        }
        #expect(progress.pendingCount == 5 && progress.attempts == 0)
    }

    @Test func `what is too late for the campaign ends expired, whosever turn it is`() {
        var run = run(of: 5, length: .milliseconds(50))
        #expect(run.next(now: run.shard.facts.expiresAt) == nil)
        guard case .settle(let settlement) = run.finish() else {
            Issue.record("it is over")
            return
        }
        #expect(settlement.counts.expired == 5)
    }

    @Test func `a shard without a slot gets one when its campaign has a rate by now`() {
        var campaign = Fixtures.campaign()
        let claim = Claim(key: Fixtures.key, generation: 1, redelivered: false, worker: 1, knowsApp: true)
        var row = Fixtures.row(.out)
        #expect(claim.decide(shard: row, campaign: campaign, now: Fixtures.now) == .run)
        campaign.pace = Pace(perSecond: 10)
        #expect(claim.decide(shard: row, campaign: campaign, now: Fixtures.now) == .setAside(.rate))
        row.slot = Slot(begins: 1, length: 1)
        #expect(claim.decide(shard: row, campaign: campaign, now: Fixtures.now) == .run)
        (campaign.pace, row.slot) = (nil, nil)
        var ofApp = claim
        ofApp.isPaced = true
        #expect(ofApp.decide(shard: row, campaign: campaign, now: Fixtures.now) == .setAside(.rate))
    }
}
