import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct SettleTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func settle(
        _ token: RunToken,
        _ progress: Progress,
        attempt: UInt32 = 1,
        now: Timestamp = .start
    )
        async throws -> SettleResult
    {
        let settlement = try Settlement.of(progress, attempt: attempt)
        return try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: now) }
    }

    @Test(arguments: TestDatabase.all) func `outcomes, reasons, requests and retry shards are one transaction`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(4) { progress in
            progress.end(1, .failed, Progress.Note(reason: "PayloadTooLarge", requests: 2))
            progress.retry(2, .seconds30, Progress.Note(reason: "TooManyRequests"))
        }
        let result = try await settle(token, progress, now: .start + 1)
        guard case .settled(let children) = result else {
            Issue.record("\(result)")
            return
        }
        let child = try #require(children.first)
        #expect(child.attempt == 2)
        #expect(child.dueAt == .start + 31)
        #expect(child.positions == [2])
        #expect(try await ledger.row(child.id.key) == child)

        let status = try await ledger.status(number)
        #expect(status.counts.accepted == 2)
        #expect(status.counts.failed == 1)
        #expect(status.attempts == 5)
        #expect(status.reasons == ["PayloadTooLarge": 1])
        #expect(status.pending.retrying == 1)
        #expect(status.pending.unplanned == 0)
        #expect(status.pending.queued == 6)
        #expect(status.nextRetryAt == .start + 31)
        #expect(status.law == .holds)
        // A second settlement of the same run finds the row closed.
        #expect(try await settle(token, progress) == .fenced)
    }

    @Test(arguments: TestDatabase.all) func `retries of retries carry chunk positions and numbers of their own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([5]))
        _ = try await ledger.planned(number)
        let (_, first) = try await ledger.running(key(number, 0))
        _ = try await settle(
            first,
            .accepted(5) { progress in
                for position in [1, 3, 4] { progress.retry(position, .seconds5, Progress.Note(reason: "Shutdown")) }
            }
        )
        let (row, second) = try await ledger.running(key(number, 0, 1))
        #expect(row.positions == [1, 3, 4])
        let result = try await settle(
            second,
            .accepted(3) { progress in
                progress.retry(0, .seconds5, Progress.Note(reason: "RefusedStream", charged: false))
                progress.retry(2, .seconds30, Progress.Note(reason: "Shutdown"))
            },
            attempt: 2
        )
        guard case .settled(let children) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(children.map(\.id.key.child) == [2, 3])
        #expect(children.map(\.positions) == [[1], [4]])
        #expect(children.map(\.attempt) == [2, 3])
        #expect(children.map(\.id.path) == [".5sa2.5sa2", ".5sa2.30sa3"])
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `no retry shard is made for a campaign that was cancelled meanwhile`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        #expect(try await ledger.status(number).pending.total == 4)
        let result = try await settle(
            token,
            .accepted(4) { $0.retry(2, .seconds30, Progress.Note(reason: "TooManyRequests")) }
        )
        #expect(result == .settled(children: []))
        let status = try await ledger.status(number)
        #expect(status.counts.accepted == 3)
        #expect(status.counts.cancelled == 7)
        #expect(status.pending.total == 0)
        #expect(status.attempts == 4)
        #expect(status.law == .holds)
        #expect(try await ledger.write { try $0.completeIfDone(campaign: number, now: .start) } == .cancelled)
    }

    @Test(arguments: TestDatabase.all) func `a settlement of another number of devices parks the row`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        #expect(try await settle(token, .accepted(3)) == .violated)
        #expect(try await ledger.row(key(number, 0))?.state == .parked)
        let status = try await ledger.status(number)
        #expect(status.pending.parked == 4)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a hand-over is published at once with what was saved, and its old run is fenced`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        var progress = Progress(count: 4)
        progress.accept(0)
        progress.noteRequests(1, 1)
        let saved = progress
        let result = try await ledger.write(.synced) {
            try $0.setAside(token, reason: .handOver, progress: saved, now: .start)
        }
        guard case .aside(let row) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(row.state == .unpublished)
        #expect(row.generation == 2)
        #expect(try await ledger.write(scope: .shards) { try $0.saveProgress([(token, saved)]) } == [token])
        let (next, _) = try await ledger.running(key(number, 0), generation: 2, worker: 8)
        #expect(next.progress == saved)
        #expect(next.epoch == 3)
        #expect(try await ledger.status(number).attempts == 2)
    }

    @Test(arguments: TestDatabase.all) func `setting aside a shard whose campaign is over ends it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        let progress = Progress(count: 4)
        let result = try await ledger.write(.synced) {
            try $0.setAside(token, reason: .paused, progress: progress, now: .start)
        }
        #expect(result == .ended(.cancelled))
        #expect(try await ledger.status(number).pending.total == 0)
    }

    @Test(arguments: TestDatabase.all) func `a parked shard's devices stay pending until the campaign's end`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        #expect(try await ledger.write { try $0.parkShard(token, reason: "LawViolated", now: .start) })
        #expect(try await !ledger.write { try $0.parkShard(token, reason: "LawViolated", now: .start) })
        let status = try await ledger.status(number)
        #expect(status.pending.parked == 4)
        #expect(status.stateReason == "parked")
        #expect(try await ledger.write { try $0.endDue(now: .start + 3600).expired } == [number])
        let over = try await ledger.status(number)
        #expect(over.counts.expired == 4)
        #expect(over.stage == .completed)
        #expect(over.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `two processes on one file fence each other`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let other = try scratch.open(create: false)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, mine) = try await ledger.running(key(number, 0), worker: 7)
        let claim = Claim(key: key(number, 0), generation: 1, redelivered: true, worker: 8, knowsApp: true)
        let taken = try await other.write(scope: .shards) { try $0.claim(claim, now: .start) }
        let theirs = RunToken(key: key(number, 0), epoch: try #require(taken.record).epoch, worker: 8)
        let settlement = try Settlement.of(.accepted(4))
        #expect(try await ledger.write(scope: .shards) { try $0.settle(mine, settlement, now: .start) } == .fenced)
        #expect(
            try await other.write(scope: .shards) { try $0.settle(theirs, settlement, now: .start) }
                == .settled(children: [])
        )
        #expect(try await ledger.status(number).counts.accepted == 4)
    }
}
