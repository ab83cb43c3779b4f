import Campaigns
import Delivery
import Synchronization
import Testing

@testable import Store

@Suite(.fewLedgersAtOnce)
struct ClaimTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func claim(
        _ key: ShardKey,
        generation: UInt32 = 1,
        redelivered: Bool = false,
        returns: Int = 0,
        worker: Int64 = 7,
        knowsApp: Bool = true,
        adopting: UInt32? = nil,
        now: Timestamp = .start
    ) async throws -> ClaimResult {
        let claim = Claim(
            key: key,
            generation: generation,
            redelivered: redelivered,
            returns: returns,
            worker: worker,
            knowsApp: knowsApp,
            adopting: adopting
        )
        return try await ledger.write(scope: .shards) { try $0.claim(claim, now: now) }
    }

    @Test(arguments: TestDatabase.all) func `a first claim runs with epoch 1 and brings what is known`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let result = try await claim(key(number, 1))
        #expect(result.decision == .run)
        #expect(result.record?.epoch == 1)
        #expect(result.record?.owner == 7)
        #expect(result.record?.progress.pendingCount == 4)
        #expect(result.campaign?.id == "derby")
        #expect(result.deaths == 0 && result.maybeSent == 0)
        #expect(try await ledger.row(key(number, 1))?.state == .running)
    }

    @Test(arguments: TestDatabase.all) func `unknown campaigns, shards and generations are parked`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        #expect(try await claim(key(999, 0)).decision == .park(reason: "UnknownCampaign"))
        #expect(try await claim(key(number, 99)).decision == .park(reason: "UnknownCampaign"))
        let ahead = try await claim(key(number, 0), generation: 2)
        #expect(ahead.decision == .park(reason: "UnknownGeneration"))
        #expect(try await ledger.row(key(number, 0))?.state == .unpublished)
    }

    @Test(arguments: TestDatabase.all) func `a second copy is dropped, a lost one takes over with what was saved`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        var progress = Progress(count: 4)
        progress.accept(0)
        let saved = progress
        #expect(try await ledger.write(scope: .shards) { try $0.saveProgress([(token, saved)]) }.isEmpty)

        #expect(try await claim(key(number, 0), worker: 8).decision == .drop)
        let taken = try await claim(key(number, 0), redelivered: true, worker: 8)
        #expect(taken.decision == .run)
        #expect(taken.record?.epoch == 2)
        #expect(taken.record?.progress == saved)
        // The requests that the first run made and did not save are unknown: three of four.
        #expect(taken.deaths == 0 && taken.maybeSent == 3)
        #expect(try await ledger.write(scope: .shards) { try $0.saveProgress([(token, saved)]) } == [token])
    }

    @Test(arguments: TestDatabase.all)
    func `a run whose connection came back goes on and is not counted as left behind`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (record, _) = try await ledger.running(key(number, 0))
        let result = try await claim(key(number, 0), redelivered: true, adopting: record.epoch)
        #expect(result.decision == .run)
        #expect(result.record?.epoch == 2)
        #expect(result.deaths == 0 && result.maybeSent == 0)
    }

    @Test(arguments: TestDatabase.all) func `a shard of a cancelled or expired campaign ends in the claim`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        let result = try await claim(key(number, 0), redelivered: true, worker: 8)
        #expect(result.decision == .end(.cancelled))
        #expect(result.record?.state == .settled)
        #expect(result.record?.progress.counts.cancelled == 4)
        let settlement = try Settlement.of(.accepted(4))
        #expect(try await ledger.write(scope: .shards) { try $0.settle(token, settlement, now: .start) } == .fenced)

        let late = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "late")))
        _ = try await ledger.planned(late)
        let expired = try await claim(key(late, 0), now: .start + 3600)
        #expect(expired.decision == .end(.expired))
        #expect(try await ledger.status(late).counts.expired == 4)
    }

    @Test(arguments: TestDatabase.all)
    func `a paused campaign's shard is set aside and comes back with the next generation`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        _ = try await ledger.write { try $0.pause(campaign: number, now: .start) }
        let aside = try await claim(key(number, 0))
        #expect(aside.decision == .setAside(.paused))
        #expect(aside.record?.generation == 2)
        #expect(aside.record?.aside == .paused)
        #expect(try await ledger.status(number).pending.held == 4)
        // Its old message, delivered once more, finds a row with a newer generation.
        #expect(try await claim(key(number, 0), redelivered: true).decision == .drop)

        func release() async throws -> [ShardToPublish] {
            try await ledger.write {
                try $0.releaseAside(campaign: number, knowsApp: true, limit: 10, now: .start)
            }
        }
        #expect(try await release().isEmpty)
        _ = try await ledger.write { try $0.resume(campaign: number, now: .start) }
        let released = try await release()
        #expect(released.map(\.record.generation) == [2])
        #expect(released.map(\.record.state) == [.unpublished])
        #expect(released.map(\.messageID) == ["\(number).0.0#2"])
        #expect(try await claim(key(number, 0), generation: 2).decision == .run)
    }

    @Test(arguments: TestDatabase.all) func `a shard whose app is not known here waits for a worker that knows it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        #expect(try await claim(key(number, 0), knowsApp: false).decision == .setAside(.app))
        let none = try await ledger.write {
            try $0.releaseAside(campaign: number, knowsApp: false, limit: 10, now: .start)
        }
        #expect(none.isEmpty)
        let released = try await ledger.write {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 10, now: .start)
        }
        #expect(released.count == 1)
    }

    @Test(arguments: TestDatabase.all) func `a settled shard says which of its retry shards are not published`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(4) { progress in
            progress.retry(1, .seconds5, Progress.Note(reason: "ServiceUnavailable"))
            progress.retry(3, .seconds30, Progress.Note(reason: "TooManyRequests"))
        }
        let settlement = try Settlement.of(progress)
        let result = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        guard case .settled(let children) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(children.map(\.id.path) == [".5sa2", ".30sa2"])
        try await ledger.write(scope: .shards) { try $0.markOut([(children[0].id.key, 1)], now: .start) }
        let again = try await claim(key(number, 0), redelivered: true)
        #expect(again.decision == .settledAlready)
        #expect(again.unpublished.map(\.record.id.path) == [".30sa2"])
        #expect(again.unpublished.map(\.record.positions) == [[3]])
    }

    @Test(arguments: TestDatabase.all) func `a message that came back too often is replaced by another generation's`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let renewed = try await claim(key(number, 0), redelivered: true, returns: 10)
        #expect(renewed.decision == .setAside(.handOver))
        #expect(renewed.unpublished.map(\.record.id) == [renewed.record?.id])
        #expect(renewed.record?.state == .unpublished && renewed.record?.generation == 2)
        #expect(try await claim(key(number, 0), redelivered: true, returns: 11).decision == .drop)
        try await ledger.write(scope: .shards) { try $0.markOut([(key(number, 0), 2)], now: .start) }
        #expect(try await claim(key(number, 0), generation: 2).decision == .run)
    }

    @Test(arguments: [false, true])
    func `a claim that ends or sets aside survives a power loss, because its message is acked next`(
        isCancelled: Bool
    ) async throws {
        try scratch.open(on: .sqlite)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        _ = try await ledger.running(key(number, 0))
        _ = try await ledger.write {
            isCancelled
                ? try $0.cancel(campaign: number, now: .start)
                : try $0.pause(campaign: number, now: .start)
        }
        let levels = Mutex<[Int64?]>([])
        let claim = Claim(key: key(number, 0), generation: 1, redelivered: true, worker: 7, knowsApp: true)
        let result = try await ledger.write(.normal) { transaction in
            let level = try transaction.db.number("PRAGMA synchronous")
            levels.withLock { $0.append(level) }
            return try transaction.claim(claim, now: .start)
        }
        #expect(result.decision == (isCancelled ? .end(.cancelled) : .setAside(.paused)))
        // 2 is FULL: the body ran again in a synced transaction.
        #expect(levels.withLock { $0 }.last == 2)
        // A run is not synced: the message brings back everything that is lost with it.
        let after = try await ledger.write(.normal) { try $0.db.number("PRAGMA synchronous") }
        #expect(after == 1)
    }
}
