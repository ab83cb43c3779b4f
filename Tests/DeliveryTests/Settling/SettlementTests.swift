import Campaigns
import Delivery
import Testing

@Suite struct SettlementTests {
    @Test func `a pending device is against the law`() {
        #expect(Settlement.make(progress: Progress(count: 1), attempt: 1) == nil)
    }

    @Test func `outcomes and retry shards are all devices, each once`() throws {
        for seed in 0..<200 {
            var progress = Progress(count: 50)
            for position in 0..<50 {
                let draw = (seed &* 31 &+ position &* (seed % 7 + 3)) % 16
                let note = Progress.Note(reason: "R\(draw)", charged: draw % 2 == 0)
                if let rung = Rung(rawValue: UInt8(draw % 8)) { progress.retry(position, rung, note) }
                if draw % 8 > 5 { progress.end(position, draw % 2 == 0 ? .failed : .invalid, note) }
            }
            let settlement = try #require(Settlement.make(progress: progress, attempt: 2))
            let retried = settlement.retries.flatMap(\.positions)
            #expect(Set(retried).count == retried.count)
            #expect(retried.count + settlement.counts.total == 50)
            #expect(retried.allSatisfy { if case .retry = progress.state(at: Int($0)) { true } else { false } })
            #expect(Set(settlement.retries.map { "\($0.rung)\($0.attempt)" }).count == settlement.retries.count)
            for retry in settlement.retries { #expect(retry.positions == retry.positions.sorted()) }
            #expect(settlement.isLawful(count: 50))
        }
    }

    @Test func `what is not charged keeps its attempt, and a group waits for its latest floor`() throws {
        var progress = Progress(count: 3)
        progress.retry(0, .hours2, Progress.Note(charged: false, notBefore: Fixtures.after(10_000)))
        progress.retry(1, .hours2, Progress.Note(charged: false, notBefore: Fixtures.after(20_000)))
        progress.retry(2, .hours2, Progress.Note())
        let retries = try #require(Settlement.make(progress: progress, attempt: 4)).retries
        #expect(retries.map(\.attempt) == [4, 5])
        #expect(retries.map(\.notBefore) == [Fixtures.after(20_000), nil])
    }

    @Test func `seven of five hundred make one retry shard of those seven`() throws {
        var run = Fixtures.run(Fixtures.shard(500))
        while let position = run.next(now: Fixtures.now) {
            if position % 70 == 3 && position < 490 {
                run.ended(position, Fixtures.retry, now: Fixtures.now)
            } else {
                run.accepted(position)
            }
        }
        guard case .settle(let settlement) = run.finish() else { throw Unsettled() }
        #expect(settlement.counts.accepted == 493)
        #expect(settlement.retries.map(\.positions) == [[3, 73, 143, 213, 283, 353, 423]])
        #expect(settlement.retries.map(\.rung) == [.seconds5])
    }

    @Test func `ending the rest takes the retries too, and leaves what is known`() {
        var progress = Progress(count: 3)
        progress.accept(0)
        progress.retry(1, .seconds5, Progress.Note(requests: 2))
        progress.endCooldown(.cancelled)
        #expect(progress.counts.accepted == 1)
        #expect(progress.counts.cancelled == 2)
        #expect(progress.attempts == 3)
    }

    private struct Unsettled: Error {}
}
