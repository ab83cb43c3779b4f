import Campaigns
import Delivery
import Dispatch
import Testing

@testable import Store

/// The rules that a driver owes to the queries, which do not know their database.
@Suite(.fewLedgersAtOnce)
struct DriverTests {
    private let scratch = ScratchLedger()

    private struct Mistake: Error {}

    @Test(arguments: TestDatabase.all)
    func `values come back as they were given, absent and empty ones too`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        let texts = ["", "goal", "gól ⚽️", "it's ?1", "a\u{1}b"]
        let blobs: [[UInt8]] = [[], [0], Array(0...255)]
        let numbers: [Int64] = [.min, -1, 0, 1, 1 << 40, .max]
        for text in texts {
            #expect(
                try await ledger.first("SELECT CAST(?1 AS text) AS value", .text(text)) { $0.text("value") } == text
            )
        }
        for number in numbers {
            #expect(try await ledger.first("SELECT ?1 AS value", .integer(number)) { $0.int64("value") } == number)
        }
        try await ledger.write { transaction in
            for (index, blob) in blobs.enumerated() {
                try transaction.db.run(
                    "INSERT INTO frequency_charges (device, keep_until, charges) VALUES (?1, 0, ?2)",
                    .blob([UInt8(index)]),
                    .blob(blob)
                )
            }
            try transaction.db.run(
                "INSERT INTO repeats (campaign, next_at, missed_why) VALUES (7, ?1, ?2)",
                .null(.integer),
                .null(.text)
            )
        }
        for (index, blob) in blobs.enumerated() {
            let sql = "SELECT charges FROM frequency_charges WHERE device = ?1"
            #expect(try await ledger.first(sql, .blob([UInt8(index)])) { $0.blob("charges") } == blob)
            #expect(try await ledger.first(sql, .blob([UInt8(index)])) { $0.optionalBlob("charges") } == .some(blob))
        }
        let isAbsent = try await ledger.first("SELECT next_at, missed_why FROM repeats") { rows in
            rows.isNull("next_at") && rows.optionalInt64("next_at") == nil && rows.int64("next_at") == 0
                && rows.optionalText("missed_why") == nil && rows.text("missed_why").isEmpty
        }
        #expect(isAbsent == true)
    }

    @Test(arguments: TestDatabase.all)
    func `columns are found by their names in any order, once or twice, in each row`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let campaigns = ["a", "b", "c"]
        for id in campaigns {
            _ = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: id), identity: id))
        }
        let found = try await ledger.read { reader in
            let rows = try reader.db.rows(
                "SELECT c.number, c.id, c.number * 2 AS twice, (SELECT 5) AS number_of_all FROM campaigns c ORDER BY 1"
            )
            var found: [String] = []
            while try rows.next() {
                let (twice, id) = (rows.int("twice"), rows.text("id"))
                let (number, all) = (rows.int("number"), rows.int("number_of_all"))
                found.append("\(id) \(number) \(twice) \(all) \(rows.int("twice")) \(rows.text("id"))")
            }
            return found
        }
        #expect(found == ["a 1 2 5 2 a", "b 2 4 5 4 b", "c 3 6 5 6 c"])
    }

    @Test(arguments: TestDatabase.all)
    func `numbers come as numbers, whatever type the database gives them`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        for (sql, expected) in [
            ("SELECT CAST(0 AS numeric)", 0), ("SELECT CAST(12345678901234 AS numeric)", 12_345_678_901_234),
            ("SELECT CAST(-70000 AS numeric)", -70_000), ("SELECT CAST(10000 AS numeric)", 10_000),
            ("SELECT CAST(1.75 AS numeric)", 1), ("SELECT CAST(0.75 AS numeric)", 0), ("SELECT -1", -1),
            ("SELECT 1 = 1", 1), ("SELECT CAST(-3 AS smallint)", -3), ("SELECT -5000000000", -5_000_000_000),
        ] as [(String, Int64)] {
            #expect(try await ledger.read { try $0.db.number(sql) } == expected, "\(sql)")
        }
        #expect(try await ledger.read { try $0.db.number("SELECT max(number) FROM campaigns") } == nil)
        #expect(try await ledger.read { try $0.db.number("SELECT number FROM campaigns") } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `text sorts by its bytes, and numbers of rows are never given twice`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        for app in ["b", "B", "a", "é", "a b", "_"] {
            _ = try await ledger.write { try $0.pause(PauseScope(app: app), now: .start) }
        }
        let apps = try await ledger.read { try $0.pauses() }.compactMap(\.scope.app)
        #expect(apps == ["B", "_", "a", "a b", "b", "é"])
        let numbers = try await ledger.write { transaction in
            try (0..<3).map { _ in
                let number = try transaction.beginList(app: "news", name: nil, now: .start)
                try transaction.db.run("DELETE FROM lists")
                return number
            }
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test(arguments: TestDatabase.all)
    func `a statement tells how many rows it changed, and one that returns rows which`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        for id in ["a", "b"] {
            _ = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: id), identity: id))
        }
        let pace = "INSERT INTO app_paces (app, next) VALUES (?1, 5) ON CONFLICT (app) DO NOTHING RETURNING next"
        let (changed, returned) = try await ledger.write { transaction in
            let db = transaction.db
            let all = try db.run("UPDATE campaigns SET hold = 0")
            let none = try db.run("UPDATE campaigns SET hold = 0 WHERE id = ?1", .text("nobody's"))
            let first = try db.writtenNumber(pace, .text("news"))
            return ([all, none], [first, try db.writtenNumber(pace, .text("news"))])
        }
        #expect(changed == [2, 0] && returned == [5, nil])
    }

    @Test(arguments: TestDatabase.all)
    func `what a body wrote before it failed is not there, and the next body finds the ledger whole`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        await #expect(throws: LedgerError.failed("Mistake()")) {
            try await ledger.write { transaction in
                try transaction.audit(.sample)
                throw Mistake()
            }
        }
        // A statement that fails ends its transaction, also for a body that goes on.
        await #expect(throws: LedgerError.self) {
            try await ledger.write { transaction in
                try transaction.audit(.sample)
                try transaction.db.run("INSERT INTO pauses (app) VALUES ('news')")
            }
        }
        #expect(try await ledger.read { try $0.audit(limit: 10) }.isEmpty)
        try await ledger.write { try $0.audit(.sample) }
        #expect(try await ledger.read { try $0.audit(limit: 10) }.count == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `a read sees one state of the ledger, whatever is written meanwhile`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        let (isRead, isWritten) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        async let counts = ledger.read { reader in
            let before = try reader.audit(limit: 10).count
            isRead.continuation.finish()
            isWritten.wait()
            return (before, try reader.audit(limit: 10).count)
        }
        for await _ in isRead.stream {}
        try await ledger.write { try $0.audit(.sample) }
        isWritten.signal()
        #expect(try await counts == (0, 0))
        #expect(try await ledger.read { try $0.audit(limit: 10) }.count == 1)
    }
}

extension Ledger {
    /// Reads a query's first row.
    fileprivate func first<Value: Sendable>(
        _ sql: String,
        _ values: SQLValue...,
        read value: @escaping @Sendable (borrowing Rows) -> Value
    ) async throws -> Value? {
        let values = values
        return try await read { reader in
            let rows = try reader.db.rows(sql, values: values)
            return try rows.next() ? value(rows) : nil
        }
    }
}

extension AuditEntry {
    fileprivate static let sample = AuditEntry(
        at: .start,
        actor: "ana",
        role: "operator",
        peer: "127.0.0.1",
        operation: "pauseCampaign",
        path: "/v1/campaigns/news/derby:pause",
        status: 200,
        request: "7f"
    )
}
