import Campaigns
import Delivery
import Testing

@Suite struct ContentGuardTests {
    private func judge(_ answers: Int, _ faults: Int, trips: Int = 0) -> ContentGuard.Verdict {
        ContentGuard().judge(answers: answers, faults: faults, trips: trips)
    }

    @Test func `it decides after two hundred answers, and more than half must be refused`() {
        #expect(judge(199, 199) == .wait)
        #expect(judge(200, 100) == .pass)
        #expect(judge(200, 101) == .trip)
        #expect(judge(5000, 2500) == .pass)
    }

    @Test func `who resumes twice is believed`() {
        #expect(judge(200, 200, trips: 1) == .trip)
        #expect(judge(200, 200, trips: 2) == .pass)
    }

    private static let refusal = Verdict.outcome(.failed, reason: "BadTopic", deadSince: nil)

    @Test func `a run says how many it was, and stops for them only until somebody has resumed`() throws {
        for stops in [true, false] {
            let shard = Fixtures.shard(60)
            var run = ShardRun(
                shard: shard,
                epoch: 1,
                progress: Progress(count: 60),
                stopsForContent: stops,
                now: Fixtures.now
            )
            while let position = run.next(now: Fixtures.now) {
                run.ended(position, Self.refusal, now: Fixtures.now)
                _ = run.contentRefused()
            }
            switch run.finish() {
            case .setAside(.content, let progress): #expect(stops && progress.counts.failed == 50)
            case .settle(let settlement): #expect(!stops && settlement.contentFaults == 60)
            case let end: Issue.record("\(end)")
            }
        }
    }

    @Test func `what was answered before a pause says nothing of the content that somebody fixed in it`() throws {
        var before = Progress(count: 5)
        for position in 0..<3 { before.end(position, .failed, Progress.Note(reason: "BadTopic")) }
        var run = Fixtures.run(Fixtures.shard(), progress: before)
        while let position = run.next(now: Fixtures.now) {
            run.ended(position, Self.refusal, now: Fixtures.now)
            _ = run.contentRefused()
        }
        guard case .settle(let settlement) = run.finish() else { throw Otherwise() }
        let token = RunToken(key: Fixtures.key, epoch: 1, worker: 7)
        let row = Fixtures.row(.running)
        let campaign = Fixtures.campaign()
        guard
            case .settles(let settled) = SettlementPlan(
                token,
                settlement,
                row: row,
                campaign: campaign,
                now: Fixtures.now
            )
        else { throw Otherwise() }
        #expect(settled.contentCount == SettlementPlan.GuardCount(answers: 2, against: 2))
    }

    private struct Otherwise: Error {}
}
