import Campaigns
import Delivery
import Testing

@Suite struct ShardRunTests {
    private let now = Fixtures.now

    private func open(_ run: inout ShardRun, at instant: Timestamp = Fixtures.now) -> [Int] {
        var positions: [Int] = []
        while let position = run.next(now: instant) { positions.append(position) }
        return positions
    }

    @Test func `each device is sent to once, and an accepted shard settles`() {
        var run = Fixtures.run(Fixtures.shard())
        #expect(open(&run) == [0, 1, 2, 3, 4])
        #expect(!run.isOver && run.inFlight == 5)
        for position in 0..<5 { run.accepted(position) }
        #expect(run.isOver && run.unsaved == 5)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.accepted == 5 && settlement.attempts == 5)
    }

    @Test func `devices that have an answer already are not sent to again`() {
        var progress = Progress(count: 5)
        progress.accept(0)
        progress.end(3, .invalid, Progress.Note())
        var run = Fixtures.run(Fixtures.shard(), progress: progress)
        #expect(open(&run) == [1, 2, 4])
    }

    @Test func `a device that is put back takes its rung without a request, charged or not`() {
        for (charged, attempt, outcome) in [(true, 1, 0), (true, 3, 5), (false, 3, 0)] {
            var run = Fixtures.run(Fixtures.shard(attempt: UInt32(attempt)))
            while let position = run.next(now: now) {
                run.putBack(position, reason: "NoConnection", charged: charged, now: now)
            }
            #expect(run.inFlight == 0 && run.isOver && run.unsaved == 5)
            guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
            // The fixtures' campaign gives a device three attempts.
            #expect(settlement.counts.failed == outcome && settlement.attempts == 0)
            #expect(settlement.retries.reduce(0) { $0 + $1.positions.count } == 5 - outcome)
            #expect(Set(run.progress.notes.values.map(\.reason)) == ["NoConnection"])
        }
    }

    @Test func `a device that is left out has its outcome and reason, and no request`() {
        var run = Fixtures.run(Fixtures.shard())
        let ends: [LeftOut?] = [
            nil, LeftOut(TemplateRenderer.Failure.aborted("no club")), LeftOut(TemplateRenderer.Failure.tooLarge), nil,
            LeftOut(TemplateRenderer.Failure.aborted("")),
        ]
        while let position = run.next(now: now) {
            if let end = ends[position] { run.leftOut(position, end) }
        }
        #expect(run.inFlight == 2 && run.unsaved == 3 && !run.isOver)
        for position in [0, 3] { run.accepted(position) }
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.accepted == 2 && settlement.counts.skipped == 2 && settlement.counts.failed == 1)
        #expect(settlement.attempts == 2)
        #expect(
            run.progress.notes.mapValues(\.reason)
                == [1: "Aborted: no club", 2: "PayloadTooLarge", 4: "Aborted"]
        )
    }

    @Test func `a shard of which every device is left out settles without a request`() {
        var run = Fixtures.run(Fixtures.shard())
        while let position = run.next(now: now) { run.leftOut(position, LeftOut(.skipped, reason: "Aborted")) }
        #expect(run.isOver)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.skipped == 5 && settlement.attempts == 0)
    }

    @Test func `after the end no stream is opened, and the rest is expired, not failed`() {
        var run = Fixtures.run(Fixtures.shard(expiresIn: 10))
        #expect(run.next(now: Fixtures.after(9)) == 0)
        #expect(run.next(now: Fixtures.after(10)) == nil)
        run.accepted(0)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.expired == 4 && settlement.attempts == 1)
    }

    @Test func `a refused stream is opened three times more, then waits five seconds, not charged`() {
        var run = Fixtures.run(Fixtures.shard(1))
        for _ in 0...ShardRun.refusalsMax {
            #expect(run.next(now: now) == 0)
            run.ended(0, .resend, now: now)
        }
        #expect(run.next(now: now) == nil && run.isOver)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.retries.map(\.rung) == [.seconds5] && settlement.retries.map(\.attempt) == [1])
        #expect(settlement.attempts == 0)
    }

    @Test func `P14: a request that is to be made again counts, also when the run is set aside before that`() {
        var run = Fixtures.run(Fixtures.shard(2))
        #expect(open(&run) == [0, 1])
        let again = Verdict.again(reason: "ExpiredProviderToken", otherwise: .setAside)
        for position in 0..<2 { run.ended(position, again, now: now) }
        #expect(run.next(now: now) == 1)
        run.ended(1, .setAside(.credentials), now: now)
        #expect(run.next(now: now) == nil && run.isOver)
        guard case .setAside(.credentials, let progress) = run.finish() else {
            return #expect(Bool(false), "not set aside")
        }
        #expect(progress.pendingCount == 2)
        #expect(progress.requests(at: 0) == 1 && progress.requests(at: 1) == 2)
        var later = Fixtures.run(Fixtures.shard(2), progress: progress)
        #expect(open(&later) == [0, 1])
        for position in 0..<2 { later.accepted(position) }
        guard case .settle(let settlement) = later.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.accepted == 2 && settlement.attempts == 5)
    }

    @Test func `without an answer a device is sent to again, or given up where the campaign says so`() {
        var run = Fixtures.run(Fixtures.shard(1))
        _ = open(&run)
        run.unanswered(0, reason: "Timeout", now: now)
        #expect(run.progress.state(at: 0) == .retry(.seconds5))
        var once = Fixtures.run(Fixtures.shard(1, dropUnknown: true))
        once.markCommitted(1)
        _ = open(&once)
        once.unanswered(0, reason: "Timeout", now: now)
        #expect(once.progress.state(at: 0) == .outcome(.failed))
        #expect(once.progress.reasons == ["Unknown": 1])
    }

    @Test func `what sets aside leaves the rest pending and nothing in doubt`() {
        var run = Fixtures.run(Fixtures.shard())
        _ = run.next(now: now)
        _ = run.next(now: now)
        run.ended(0, .setAside(.credentials), now: now)
        #expect(run.next(now: now) == nil && !run.isOver)
        run.accepted(1)
        guard case .setAside(.credentials, let progress) = run.finish() else {
            return #expect(Bool(false), "not aside")
        }
        #expect(progress.pendingCount == 4 && progress.counts.accepted == 1)
        #expect(progress.attempts == 2 && progress.started == 0)
    }

    @Test func `a shard that was asked to stop after its last answer settles all the same`() {
        var run = Fixtures.run(Fixtures.shard(1))
        _ = open(&run)
        run.accepted(0)
        run.requestStop(.setAside(.paused))
        guard case .settle = run.finish() else { return #expect(Bool(false), "not settled") }
    }

    @Test func `an ending goes before setting aside, and a lost lease before both while it is lost`() {
        var run = Fixtures.run(Fixtures.shard())
        run.requestStop(.setAside(.paused))
        run.requestStop(.setAside(.handOver))
        #expect(run.stop == .setAside(.paused))
        run.requestStop(.leaseLost)
        run.requestStop(.end(.cancelled))
        #expect(run.stop == .leaseLost)
        run.adopted(epoch: 2, isLeaseLost: false)
        #expect(run.stop == .end(.cancelled) && run.epoch == 2)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.counts.cancelled == 5)
    }

    @Test func `a run that lost its lease is abandoned, and goes on when the delivery comes back`() {
        var run = Fixtures.run(Fixtures.shard(2))
        _ = run.next(now: now)
        run.requestStop(.leaseLost)
        #expect(run.next(now: now) == nil)
        run.accepted(0)
        guard case .abandon(let progress) = run.finish() else { return #expect(Bool(false), "not abandoned") }
        #expect(progress.counts.accepted == 1 && progress.started == 0)
        run.adopted(epoch: 2, isLeaseLost: false)
        #expect(run.next(now: now) == 1)
    }

    @Test func `a shard that comes back early waits for the rest of its time, without a request`() {
        var run = Fixtures.run(Fixtures.shard(2, notBefore: Fixtures.after(100)))
        #expect(open(&run).isEmpty)
        guard case .settle(let settlement) = run.finish() else { return #expect(Bool(false), "not settled") }
        #expect(settlement.retries.map(\.rung) == [.minutes2] && settlement.retries.map(\.attempt) == [1])
        #expect(settlement.attempts == 0)
    }

    @Test func `the last attempt that fails ends failed with its reason`() {
        var run = Fixtures.run(Fixtures.shard(1, attempt: 3))
        _ = open(&run)
        run.ended(0, Fixtures.retry, now: now)
        #expect(run.progress.reasons == ["Shutdown": 1] && run.progress.counts.failed == 1)
    }

    @Test func `at most once opens no stream ahead of the committed mark`() {
        var run = Fixtures.run(Fixtures.shard(200, dropUnknown: true))
        #expect(run.next(now: now) == nil && run.isWaitingForMark && run.isDirty && !run.isOver)
        var opened = 0
        while opened < 200 {
            let mark = run.progress.started
            run.progressSaved()
            run.markCommitted(mark)
            for position in open(&run) {
                #expect(position < mark)
                run.accepted(position)
                opened += 1
            }
        }
        #expect(run.isOver)
    }

    @Test func `at most once gives up what a run before may have sent`() {
        var progress = Progress(count: 100)
        progress.accept(0)
        progress.started = 64
        var run = Fixtures.run(Fixtures.shard(100, dropUnknown: true), progress: progress)
        #expect(run.progress.counts.failed == 63 && run.progress.reasons == ["Unknown": 63])
        run.markCommitted(100)
        #expect(run.next(now: now) == 64)
        #expect(Fixtures.run(Fixtures.shard(100), progress: progress).progress.counts.failed == 0)
    }
}
