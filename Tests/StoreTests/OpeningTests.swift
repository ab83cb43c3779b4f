import Campaigns
import Delivery
import Foundation
import GRDB
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct OpeningTests {
    private let scratch = ScratchLedger()

    @Test(arguments: TestDatabase.all)
    func `a missing ledger is created only where it is asked for`(_ database: TestDatabase) async throws {
        try scratch.choose(database)
        let location = try scratch.location()
        #expect(throws: LedgerError.missing(path: location)) { try scratch.open(create: false) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
        let ledger = try scratch.open()
        let again = try scratch.open(create: false)
        #expect(ledger.storeID.count == 16)
        #expect(ledger.storeID == again.storeID)
    }

    /// GRDB commits its own table before the first migration, so a worker may be killed in between.
    @Test func `a ledger whose creation was cut short is created by the next one to open it`() async throws {
        let queue = try DatabaseQueue(path: scratch.path)
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try queue.close()
        let ledger = try scratch.open()
        #expect(ledger.storeID.count == 16)
    }

    @Test(arguments: TestDatabase.all)
    func `many open a new ledger at once and all see one`(_ database: TestDatabase) async throws {
        try scratch.choose(database)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 { group.addTask { [scratch] in try scratch.open().storeID } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `D12: a ledger that the next version has migrated is opened, so that a rollout can be undone`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        await ledger.close()
        try scratch.migrateFurther()
        let standing = try scratch.schema()
        #expect(standing.unknown == ["99"] && standing.missing.isEmpty && standing.isUsable)
        let again = try scratch.open(create: false)
        #expect(again.storeID == ledger.storeID)
        await again.close()
    }

    @Test(arguments: TestDatabase.all)
    func `D12: a ledger that says that this version is too old for it is refused`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        await ledger.close()
        try scratch.migrateFurther()
        let known = try scratch.schema().applied.count - 1
        try scratch.execute("INSERT INTO meta (key, value) VALUES ('needed_migrations', \(known))")
        #expect(try scratch.schema().isUsable)
        try scratch.execute("UPDATE meta SET value = \(known + 1) WHERE key = 'needed_migrations'")
        #expect(try scratch.schema().isTooNew)
        let location = try scratch.location()
        #expect(throws: LedgerError.newerVersion(path: location)) { try scratch.open() }
    }

    @Test(arguments: TestDatabase.all)
    func `a ledger of another branch, without a migration of ours, is refused`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        await ledger.close()
        try scratch.migrateFurther()
        let last = try #require(try scratch.schema().applied.filter { $0 != "99" }.last)
        let table = database == .sqlite ? "grdb_migrations WHERE identifier" : "migrations WHERE name"
        try scratch.execute("DELETE FROM \(table) = '\(last)'")
        #expect(try scratch.schema().isTooNew)
        let location = try scratch.location()
        #expect(throws: LedgerError.newerVersion(path: location)) { try scratch.open() }
    }

    @Test(arguments: TestDatabase.all)
    func `what was written is there after the ledger is opened again`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(4) { $0.end(1, .failed, Progress.Note(reason: "BadPath")) }
        _ = try await ledger.write(scope: .shards) { try $0.saveProgress([(token, progress)]) }
        await ledger.close()
        await #expect(throws: LedgerError.closed) { try await ledger.status(number) }
        await #expect(throws: LedgerError.closed) { try await ledger.write { _ in } }
        let again = try scratch.open(create: false)
        let status = try await again.status(number)
        #expect(status.counts.accepted == 3)
        #expect(status.counts.failed == 1)
        #expect(status.reasons == ["BadPath": 1])
        #expect(status.law == .holds)
    }
}
