import Campaigns
import Delivery
import Foundation
import GRDB
import PushProviders
import Store
import Testing

/// Instants written by a wrong clock keep nobody waiting, and two processes share one time.
@Suite(.fewLedgersAtOnce)
struct ClockTests {
    private let scratch = ScratchLedger()
    private static let steps = [3600, 7200, 86_400]

    @Test(arguments: TestDatabase.all, steps)
    func `a lease of a clock that was ahead has run out`(_ database: TestDatabase, step: Int) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4, 2]))
        func lease(_ worker: Int64, _ now: Timestamp) async throws -> [UInt32] {
            try await ledger.write {
                try $0.leaseCampaigns(worker: worker, apps: ["news"], now: now).map(\.leaseEpoch)
            }
        }
        let first = try await lease(1, .start + step)
        #expect(first.count == 1)
        #expect(try await ledger.read { try $0.leaseOutlook(of: 2, apps: ["news"], now: .start) }.isAnyFree)
        #expect(try await lease(2, .start) == first.map { $0 + 1 })
        // A plausible lease is another worker's.
        #expect(try await lease(1, .start + 2).isEmpty)
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `its own lease of a clock that was ahead is renewed`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        _ = try await ledger.accepted(Sample.campaign([4, 2]))
        for now in [Timestamp.start + 7200, .start] {
            let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
            #expect(leased.count == 1)
        }
        // Written anew, it runs out when it should.
        #expect(try await !ledger.read { try $0.leaseOutlook(of: 2, apps: ["news"], now: .start + 2) }.isAnyFree)
        #expect(try await ledger.read { try $0.leaseOutlook(of: 2, apps: ["news"], now: .start + 4) }.isAnyFree)
    }

    @Test(arguments: TestDatabase.all) func `a worker of a clock that was ahead is not taken for a live one`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let id = try await ledger.write {
            try $0.registerWorker(
                name: "w",
                roles: ["planner"],
                accounts: .apns(["news"]),
                skew: -4000,
                now: .start + 7200
            )
        }
        #expect(try await ledger.read { try $0.liveWorkers(now: .start) }.isEmpty)
        #expect(try await ledger.read { try $0.liveApps(now: .start) }.isEmpty)
        try await ledger.write { try $0.reportWorker(id, accounts: .apns(["news"]), skew: 61_000, now: .start) }
        #expect(try await ledger.read { try $0.liveWorkers(now: .start) }.map(\.skew) == [61_000])
    }

    @Test(arguments: TestDatabase.all, steps)
    func `shards that a clock that was ahead has written are swept`(_ database: TestDatabase, step: Int) async throws {
        let ledger = try scratch.open(on: database)
        let late = Sample.campaign([4, 2], facts: Sample.facts(expiresAt: .start + 200_000))
        _ = try await ledger.accepted(late)
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: .start + step) }
        let lease = try #require(leased.first)
        let planned = try await ledger.write { try $0.plan(lease.token, shardsMax: 2, now: .start + step) }
        guard case .planned(let shards) = planned, shards.count == 2 else {
            Issue.record("\(planned)")
            return
        }
        let left = try await ledger.read { try $0.unpublished(olderThan: .start, now: .start + 10, limit: 10) }
        #expect(left.count == 2)
    }

    @Test(arguments: TestDatabase.all, steps)
    func `turns of an app's rate that a clock that was ahead has given away wait for nobody`(
        _ database: TestDatabase,
        step: Int
    ) async throws {
        let ledger = try scratch.open(on: database)
        for (id, now) in [("one", Timestamp.start + step), ("two", .start)] {
            let facts = Sample.facts(id: id, expiresAt: .start + 200_000)
            let number = try await ledger.accepted(Sample.campaign([4, 2], facts: facts))
            let shards = try await ledger.write { transaction -> [ShardToPublish] in
                let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: now)
                let lease = try #require(leased.first { $0.facts.number == number })
                return try transaction.givePacedTurns(lease.token, appPace: Pace(perSecond: 10), now: now).shards
            }
            #expect(!shards.isEmpty, "\(id)")
        }
    }

    @Test(arguments: TestDatabase.all) func `two processes have one time, near this host's`(
        _ database: TestDatabase
    ) async throws {
        let first = try scratch.open(on: database)
        let second = try scratch.open(create: false)
        for _ in 0..<20 {
            try await first.write { _ in }
            try await second.read { _ in }
            #expect(abs(first.now().since(second.now()) / .milliseconds(1)) <= 50)
        }
        #expect(first.standing.verdict == .inStep)
        #expect(first.standing.source == (database == .postgreSQL ? .server : .host))
        await second.close()
    }

    /// Another process of the host has seen the wall clock step; `HostAnchorTests` covers the file's own rule.
    @Test(arguments: [-86_400, -3600, 3600, 86_400])
    func `a stored anchor is the time, whatever the wall clock says, until nothing is open`(step: Int64) async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted(Sample.campaign([4]))
        await ledger.close()
        try await move(by: step)
        let anew = try scratch.open(create: false)
        try await anew.write { _ in }
        #expect(abs(anew.now().since(WallClock.now().asRead) / .seconds(1) - Double(step)) < 5)
        #expect(anew.standing.verdict == .apart)
        _ = try await anew.write(.synced) {
            _ = try $0.registerWorker(name: "w", roles: ["planner"], accounts: .apns(["news"]), now: anew.now())
            return try $0.cancel(campaign: number, now: anew.now())
        }
        #expect(try await anew.status(number).completedAt != nil)
        await anew.close()
        let last = try scratch.open(create: false)
        try await last.write { _ in }
        #expect(abs(last.now().since(WallClock.now().asRead) / .seconds(1)) < 5)
        // A job that comes before the worker's next report finds it alive.
        #expect(try await last.read { try $0.liveWorkers(now: last.now()) }.map(\.name) == ["w"])
        await last.close()
    }

    @Test(arguments: [-3600, 3600])
    func `a synced body knows that another process has set the time meanwhile`(step: Int64) async throws {
        let ledger = try scratch.open()
        // With something open, the time stays where it was set.
        _ = try await ledger.accepted(Sample.campaign([4]))
        try await ledger.write { _ in }
        #expect(ledger.timeSteps == 0)
        let before = ledger.now()
        try await move(by: step)
        let (steps, now) = try await ledger.write(.synced) { _ in (ledger.timeSteps, ledger.now()) }
        #expect(steps == 1)
        #expect(abs(now.since(before) / .seconds(1) - Double(step)) < 60)
        await ledger.close()
    }

    private func move(by seconds: Int64) async throws {
        let raw = try DatabaseQueue(path: scratch.path)
        try await raw.write { db in
            try db.execute(
                sql: "UPDATE clock SET lead = lead + ?1, goal = goal + ?1, last = last + ?2",
                arguments: [seconds * 1_000_000, seconds * 1000]
            )
        }
        try raw.close()
    }
}
