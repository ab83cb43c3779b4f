import Campaigns
import Delivery
import Foundation
import GRDB
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct SQLiteOpeningTests {
    private let scratch = ScratchLedger()

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
}
