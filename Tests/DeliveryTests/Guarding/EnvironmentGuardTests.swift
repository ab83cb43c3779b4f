import Campaigns
import Delivery
import Testing

@Suite struct EnvironmentGuardTests {
    private func judge(_ answers: Int, _ suspects: Int, finished: Bool = false) -> EnvironmentGuard.Verdict {
        EnvironmentGuard().judge(answers: answers, suspects: suspects, isFinished: finished)
    }

    @Test func `it waits for two hundred answers or the end`() {
        #expect(judge(199, 199) == .wait)
        #expect(judge(200, 199) == .trip)
        #expect(judge(30, 20) == .wait)
        #expect(judge(30, 20, finished: true) == .trip)
    }

    @Test func `more than half are wrong, and more than a few`() {
        #expect(judge(200, 100) == .pass)
        #expect(judge(200, 101) == .trip)
        #expect(judge(9, 9, finished: true) == .pass)
        #expect(judge(10, 10, finished: true) == .trip)
        #expect(judge(0, 0, finished: true) == .pass)
    }

    @Test func `a run holds back what is called wrong, and settles the rest`() throws {
        var run = Fixtures.run(Fixtures.shard())
        for _ in 0..<5 { _ = run.next(now: Fixtures.now) }
        for position in [0, 1] { run.accepted(position) }
        for position in [2, 4] { run.ended(position, .suspect(reason: "BadDeviceToken"), now: Fixtures.now) }
        run.ended(3, Fixtures.retry, now: Fixtures.now)
        #expect(run.isOver)
        guard case .settle(let settlement) = run.finish() else {
            Issue.record("not settled")
            return
        }
        #expect(settlement.held == [2, 4])
        #expect(settlement.retries.map(\.positions) == [[3]])
        #expect(settlement.counts.total == 2)
        #expect(settlement.isLawful(count: 5))
        #expect(settlement.progress.answeredCount == 4)

        let row = Fixtures.row(.running)
        let child = row.heldChild(settlement.held, number: 2, reason: .guard, notes: settlement.progress.notes)
        #expect(child.positions == [2, 4])
        #expect(child.attempt == row.attempt)
        #expect(child.state == .aside && child.aside == .guard)
        #expect(child.progress.heldCount == 2 && child.progress.attempts == 0)
        #expect(!AsideRelease.isDue(.guard, campaign: Fixtures.campaign(), knowsApp: true, now: Fixtures.now))

        let passed = try #require(settlement.endingHeld(.invalid, attempt: 1))
        #expect(passed.counts.invalid == 2)
        #expect(passed.reasons["BadDeviceToken"] == 2)
        #expect(passed.held.isEmpty)
        let over = try #require(settlement.endingRetries(.cancelled, attempt: 1))
        #expect(over.counts.cancelled == 3)
    }

    @Test func `held devices survive the ledger's form, and may be sent to again`() throws {
        var progress = Progress(count: 3)
        progress.accept(0)
        progress.hold(1, Progress.Note(reason: "BadDeviceToken", requests: 2))
        let read = try #require(Progress(packed: progress.packed))
        #expect(read == progress)
        #expect(read.heldCount == 1 && read.retryCount == 0 && read.pendingCount == 1)
        var run = Fixtures.run(Fixtures.shard(3), progress: progress)
        #expect(run.next(now: Fixtures.now) == 1)
        #expect(run.next(now: Fixtures.now) == 2)
        #expect(run.next(now: Fixtures.now) == nil)
        for position in [1, 2] { run.accepted(position) }
        #expect(run.progress.attempts == 5)
    }

    @Test func `a run that is adopted asks held devices again`() {
        var run = Fixtures.run(Fixtures.shard(2))
        for _ in 0..<2 { _ = run.next(now: Fixtures.now) }
        run.accepted(0)
        run.ended(1, .suspect(reason: "BadDeviceToken"), now: Fixtures.now)
        run.requestStop(.leaseLost)
        run.adopted(epoch: 2, isLeaseLost: false)
        #expect(run.next(now: Fixtures.now) == 1)
        run.accepted(1)
        guard case .settle(let settlement) = run.finish() else {
            Issue.record("not settled")
            return
        }
        #expect(settlement.counts.accepted == 2)
        #expect(settlement.attempts == 3)
    }

    @Test func `content that is refused again and again stops the campaign, an odd one does not`() {
        func run(accepted: Int, refused: Int) -> Bool {
            var run = Fixtures.run(Fixtures.shard(accepted + refused))
            var isStopped = false
            while let position = run.next(now: Fixtures.now) {
                if position < accepted {
                    run.accepted(position)
                } else {
                    run.ended(position, .outcome(.failed, reason: "BadTopic", deadSince: nil), now: Fixtures.now)
                    isStopped = run.contentRefused() || isStopped
                }
            }
            #expect(isStopped == (run.stop == .setAside(.content)))
            return isStopped
        }
        #expect(run(accepted: 0, refused: 60))
        #expect(run(accepted: 49, refused: 60))
        #expect(!run(accepted: 0, refused: 49))
        #expect(!run(accepted: 100, refused: 60))
    }
}
