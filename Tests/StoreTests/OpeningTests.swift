import Campaigns
import Delivery
import Foundation
import GRDB
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct OpeningTests {
    private let scratch = ScratchLedger()

    @Test func `a missing file is created only where it is asked for`() async throws {
        #expect(throws: LedgerError.missing(path: scratch.path)) { try scratch.open(create: false) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
        let ledger = try scratch.open()
        let again = try scratch.open(create: false)
        #expect(ledger.storeID.count == 16)
        #expect(ledger.storeID == again.storeID)
    }

    @Test func `nobody but its owner reads a ledger, its log, its index and its lock, also one of before that`()
        async throws
    {
        let before = umask(0)
        defer { umask(before) }
        let files = ["", "-wal", "-shm", ".lock"].map { scratch.path + $0 }
        func modes() throws -> [Int?] {
            try files.map { try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int }
        }
        let ledger = try scratch.open()
        _ = try await ledger.accepted()
        #expect(try modes() == [0o600, 0o600, 0o600, 0o600])
        for file in files { chmod(file, 0o644) }
        let again = try scratch.open(create: false)
        #expect(try modes() == [0o600, 0o600, 0o600, 0o600])
        await again.close()
    }

    @Test func `a folder that does not exist is said with its path`() {
        let path = "/nonexistent-\(UUID().uuidString)/ledger.db"
        do {
            _ = try Ledger.open(path: path, create: true)
            Issue.record("opened")
        } catch {
            guard case .unreachable(path, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `D6: a file that is no database is refused and left as it is`() throws {
        let garbage = Data(repeating: 0x5A, count: 8192)
        try garbage.write(to: URL(fileURLWithPath: scratch.path))
        do {
            _ = try scratch.open()
            Issue.record("opened")
        } catch let error as LedgerError {
            guard case .damaged(scratch.path, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == garbage)
    }

    @Test func `D6: a ledger whose pages are damaged is refused and left as it is`() async throws {
        let ledger = try scratch.open()
        await ledger.close()
        let raw = try DatabaseQueue(path: scratch.path)
        try await raw.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try raw.close()
        let url = URL(fileURLWithPath: scratch.path)
        var bytes = try Data(contentsOf: url)
        // The schema's own page, after the file header.
        for index in 100..<4096 { bytes[index] = 0xA5 }
        try bytes.write(to: url)
        #expect(throws: LedgerError.self) { try scratch.open(create: false) }
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `a database of another program is refused`() throws {
        let other = try DatabaseQueue(path: scratch.path)
        try other.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        try other.close()
        do {
            _ = try scratch.open()
            Issue.record("opened")
        } catch let error as LedgerError {
            guard case .damaged = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `D12: a ledger of a later version is refused`() async throws {
        let ledger = try scratch.open()
        await ledger.close()
        let raw = try DatabaseQueue(path: scratch.path)
        try await raw.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
        try raw.close()
        #expect(throws: LedgerError.newerVersion(path: scratch.path)) { try scratch.open() }
    }

    @Test func `a ledger from before there were message ids goes on, its campaigns without any`() async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        #expect(try await ledger.read { try $0.shardToPublish(key(number, 0)) }?.facts.messageIDAt == 46)
        await ledger.close()
        let raw = try DatabaseQueue(path: scratch.path)
        try await raw.write { db in
            try db.execute(sql: "ALTER TABLE campaigns DROP COLUMN message_id_at")
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'message_id_at'")
        }
        try raw.close()
        let again = try scratch.open(create: false)
        let shard = try #require(try await again.read { try $0.shardToPublish(key(number, 0)) })
        #expect(shard.facts.messageIDAt == nil && shard.facts.payload == Sample.payload)
        let next = try await again.accepted(Sample.campaign(facts: Sample.facts(id: "next")))
        _ = try await again.planned(next)
        #expect(try await again.read { try $0.shardToPublish(key(next, 0)) }?.facts.messageIDAt == 46)
    }

    @Test func `many open a new file at once and all see one ledger`() async throws {
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 { group.addTask { [scratch] in try scratch.open().storeID } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test func `what was written is there after the file is opened again`() async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(4) { $0.end(1, .failed, Progress.Note(reason: "BadPath")) }
        _ = try await ledger.write(reach: .shards) { try $0.saveProgress([(token, progress)]) }
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
