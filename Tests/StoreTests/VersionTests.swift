import Campaigns
import Delivery
import Foundation
import GRDB
import Store
import Testing

/// Versions N and N−1 on one ledger.
@Suite(.fewLedgersAtOnce)
struct VersionTests {
    private let scratch = ScratchLedger()

    /// Returns a copy of the oldest kept ledger, written by that version's `accept`, `plan`, `settle`, `parkShard` and
    /// `cancel`.
    private func kept() throws -> Ledger {
        try opened("ledger-v1")
    }

    private func opened(_ name: String) throws -> Ledger {
        try FileManager.default.copyItem(atPath: KeptLedger.kept(name), toPath: scratch.path)
        return try scratch.open(create: false)
    }

    @Test(arguments: ["ledger-v2", "ledger-v3", "ledger-v4", "ledger-v5"])
    func `a kept ledger of several providers is read, and what was half done comes to its end`(
        name: String
    ) async throws {
        try await KeptLedger.goesOn(try opened(name))
    }

    @Test(arguments: zip(["ledger-v3", "ledger-v4", "ledger-v5"], [[:], ["UNAVAILABLE": 1], ["UNAVAILABLE": 1]]))
    func `a kept ledger tells why devices are tried again, where the version that wrote it knew`(
        name: String,
        reasons: [String: Int]
    ) async throws {
        let ledger = try opened(name)
        let derby = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") })
        #expect(try await ledger.status(derby).retryReasons == reasons)
    }

    @Test(arguments: TestDatabase.all)
    func `what this version would keep for the next ones is read by itself`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        try await KeptLedger.write(ledger)
        try await KeptLedger.goesOn(ledger)
    }

    @Test(.enabled(if: KeptLedger.wanted != nil, "FANFARE_KEEP_LEDGER says where to"))
    func `a ledger of this version is written where somebody wants it`() async throws {
        try await KeptLedger.keep(at: try #require(KeptLedger.wanted))
    }

    @Test func `what is kept is one file, and whoever only reads it leaves no other beside it`() async throws {
        try await KeptLedger.keep(at: scratch.path)
        try await readsAlone()
    }

    @Test(arguments: ["ledger-v1", "ledger-v2", "ledger-v3", "ledger-v4", "ledger-v5"])
    func `reading a kept ledger leaves no other file beside it`(name: String) async throws {
        try FileManager.default.copyItem(atPath: KeptLedger.kept(name), toPath: scratch.path)
        try await readsAlone()
    }

    private func readsAlone() async throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: scratch.path, configuration: configuration)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM campaigns") } ?? 0 > 0)
        try queue.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder) == ["ledger.db"])
    }

    @Test func `a kept ledger of an earlier version is read, and its campaign goes on to its end`() async throws {
        let ledger = try kept()
        let number = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") })
        let before = try await ledger.status(number)
        #expect(before.law == .holds && before.audience == 13 && before.counts.accepted == 3)
        #expect(before.pending.retrying == 1 && before.pending.queued == 4)
        #expect(before.pending.parked == 2 && before.pending.unplanned == 3)
        let cancelled = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "done") })
        #expect(try await ledger.status(cancelled).counts.cancelled == 2)

        let parked = try #require(try await ledger.read { try $0.parked(limit: 1) }.first)
        let replayed = try await ledger.write(.synced) { try $0.carryOut(.replay, parked.id, now: .start) }
        #expect(replayed == .publishedAnew)
        _ = try await ledger.planned(number)
        _ = try await ledger.write { try $0.releaseAside(campaign: number, knowsApp: true, limit: 10, now: .start) }
        for row in try await ledger.read({ try $0.openShards(campaign: number) }) {
            let (record, token) = try await ledger.running(row.id.key, generation: row.generation)
            let settlement = try Settlement.of(.accepted(record.count), attempt: record.attempt)
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        let after = try await ledger.status(number)
        #expect(after.stage == .completed && after.counts.accepted == 13 && after.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a worker whose ledger a later version migrates goes on, and can be started again`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let worker = try await ledger.write {
            try $0.registerWorker(name: "old", roles: ["planner"], accounts: .apns(["news"]), now: .start)
        }
        let number = try await ledger.accepted(Sample.campaign([4, 2]))
        _ = try await ledger.planned(number, max: 1)
        let (_, token) = try await ledger.running(key(number, 0))
        try migrate()

        _ = try await ledger.write(.synced) { try $0.settle(token, .of(.accepted(4)), now: .start) }
        try await ledger.write { try $0.reportWorker(worker, accounts: .apns(["news", "shop"]), now: .start + 1) }
        let shards = try await ledger.planned(number)
        let (_, next) = try await ledger.running(try #require(shards.first).record.id.key)
        #expect(try await ledger.write { try $0.parkShard(next, reason: "LawViolated", now: .start) })
        let id = try #require(try await ledger.read { try $0.parked(limit: 1) }.first?.id)
        #expect(try await ledger.write(.synced) { try $0.carryOut(.discard, id, now: .start) } == .ended(.failed))
        let another = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "next"), identity: "2"))
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: another, now: .start) }
        let status = try await ledger.status(number)
        #expect(status.stage == .completed && status.law == .holds)
        #expect(status.counts.accepted == 4 && status.counts.failed == 2)
        // One that starts now works with it, too.
        await (try scratch.open(create: false)).close()
    }

    /// Makes the changes that the rules of `Upgrades` permit a later version in every table.
    private func migrate() throws {
        let tables = try scratch.tables()
        #expect(tables.count > 10)
        for table in tables where table != "meta" {
            try scratch.execute("ALTER TABLE \(table) ADD COLUMN later BIGINT NOT NULL DEFAULT 0")
        }
        try scratch.execute("CREATE TABLE later (number BIGINT)")
        try scratch.migrateFurther()
    }
}
