import Campaigns
import Delivery
import Testing

@testable import Store

/// Claims of running rows: their owners, and the results of those owners' runs.
@Suite(.fewLedgersAtOnce)
struct ClaimOwnerTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func worker(_ name: String, now: Timestamp = .start) async throws -> Int64 {
        try await ledger.write {
            try $0.registerWorker(name: name, roles: ["sender"], accounts: AppAccounts(), now: now)
        }
    }

    private func claim(
        _ key: ShardKey,
        redelivered: Bool = true,
        by worker: Int64,
        isAlone: Bool = false,
        overdue: UInt32? = nil,
        now: Timestamp = .start
    ) async throws -> ClaimResult {
        let claim = Claim(
            key: key,
            generation: 1,
            redelivered: redelivered,
            worker: worker,
            knowsApp: true,
            isAlone: isAlone,
            overdue: overdue
        )
        return try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `a row of a worker that lives is waited for, and nothing of it changes`(_ database: TestDatabase) async throws
    {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (first, second) = (try await worker("first"), try await worker("second"))
        let (_, token) = try await ledger.running(key(number, 0), worker: first)
        let before = try await ledger.row(key(number, 0))

        let now = Timestamp.start + 10
        #expect(try await claim(key(number, 0), by: second, now: now).decision == .waits)
        #expect(try await ledger.row(key(number, 0)) == before)
        _ = try await ledger.write { try $0.cancel(campaign: number, now: now) }
        #expect(try await claim(key(number, 0), by: second, now: now).decision == .waits)

        // The progress that it waits for is written and known.
        var progress = Progress(count: 4)
        progress.accept(0)
        progress.accept(2)
        let known = progress
        try await ledger.write(scope: .shards) { try $0.abandon(token, known) }
        let after = try await claim(key(number, 0), by: second, now: now)
        #expect(after.decision == .end(.cancelled) && after.deaths == 0 && after.maybeSent == 0)
        #expect(after.record?.progress.counts.accepted == 2 && after.record?.progress.counts.cancelled == 2)
        #expect(try await ledger.status(number).maybeSent == 0)
    }

    @Test(arguments: TestDatabase.all)
    func `a row is taken from a worker whose own row has lapsed, or is gone, and from one that does not end`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (first, second) = (try await worker("first"), try await worker("second"))
        let (row, token) = try await ledger.running(key(number, 0), worker: first)
        #expect(try await claim(key(number, 0), by: second, overdue: row.epoch + 1).decision == .waits)
        let overdue = try await claim(key(number, 0), by: second, overdue: row.epoch)
        #expect(overdue.decision == .run && overdue.deaths == 0 && overdue.maybeSent == 4)
        #expect(
            try await ledger.write(scope: .shards) { try $0.saveProgress([(token, Progress(count: 4))]) } == [token]
        )

        try await ledger.write { try $0.removeWorker(second) }
        let left = try await claim(key(number, 0), by: first, now: .start + 11)
        #expect(left.decision == .run && left.deaths == 0 && left.maybeSent == 4)

        let third = try await worker("third", now: .start + 11)
        let dead = try await claim(key(number, 0), by: third, now: .start + 11)
        #expect(dead.decision == .run && dead.deaths == 1 && dead.maybeSent == 4)
        // It stays, whatever happens to the campaign.
        let settlement = try Settlement.of(.accepted(4))
        let last = RunToken(key: key(number, 0), epoch: try #require(dead.record?.epoch), worker: third)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(last, settlement, now: .start + 12) }
        let status = try await ledger.status(number)
        #expect(status.maybeSent == 12 && status.attempts == 4)
    }

    @Test(arguments: TestDatabase.all)
    func `a report from further ahead than clocks may be apart makes nobody wait, and is no death`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (first, second) = (try await worker("first", now: .start + 3600), try await worker("second"))
        _ = try await ledger.running(key(number, 0), worker: first)
        let taken = try await claim(key(number, 0), by: second)
        #expect(taken.decision == .run && taken.deaths == 0 && taken.maybeSent == 4)
    }

    @Test(arguments: TestDatabase.all)
    func `a claim without a run is given up, and only by whose it is`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (first, second) = (try await worker("first"), try await worker("second"))
        let (_, token) = try await ledger.running(key(number, 0), worker: first)
        for other in [
            RunToken(key: token.key, epoch: token.epoch + 1, worker: first),
            RunToken(key: token.key, epoch: token.epoch, worker: second),
        ] { try await ledger.write(scope: .shards) { try $0.giveUp(other) } }
        #expect(try await claim(key(number, 0), by: second).decision == .waits)
        try await ledger.write(scope: .shards) { try $0.giveUp(token) }
        let next = try await claim(key(number, 0), by: second)
        #expect(next.decision == .run && next.deaths == 0 && next.maybeSent == 0)
    }

    @Test(arguments: TestDatabase.all)
    func `a shard whose workers died three times runs alone, and is parked when three more died with it alone`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        var now = Timestamp.start
        /// Claims as a new worker, which gets the message when the previous one has lapsed.
        func next(isAlone: Bool) async throws -> ClaimResult {
            now = now + 11
            return try await claim(key(number, 0), by: try await worker("w", now: now), isAlone: isAlone, now: now)
        }
        for deaths in 0...2 {
            let result = try await next(isAlone: false)
            #expect(result.decision == .run && result.deaths == deaths)
        }
        // Beside other shards it is not claimed, and the try does not count as a death.
        for _ in 1...3 { #expect(try await next(isAlone: false).decision == .runAlone) }
        for _ in 1...3 { #expect(try await next(isAlone: true).decision == .run) }
        #expect(try await next(isAlone: false).decision == .quarantine(reason: "WorkerDied"))
        let status = try await ledger.status(number)
        #expect(status.pending.parked == 4 && status.maybeSent == 24)
        #expect(status.law == .holds)
        #expect(try await next(isAlone: true).decision == .drop)
    }

    @Test(arguments: TestDatabase.all) func `a lease that is lost is not a death of the shard's doing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let workers = [try await worker("first"), try await worker("second")]
        for turn in 0..<10 {
            let result = try await claim(key(number, 0), by: workers[turn % 2])
            #expect(result.decision == .run && result.deaths == 0)
            let epoch = try #require(result.record?.epoch)
            let token = RunToken(key: key(number, 0), epoch: epoch, worker: workers[turn % 2])
            try await ledger.write { try $0.abandon(token, Progress(count: 4)) }
        }
        #expect(try await ledger.status(number).maybeSent == 0)
    }
}
