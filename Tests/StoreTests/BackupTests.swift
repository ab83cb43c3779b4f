import Campaigns
import Delivery
import Foundation
import Store
import Testing

struct BackupTests {
    private let scratch = ScratchLedger()
    private var file: String { scratch.folder + "/backup.db" }

    @Test func `a backup is the ledger of one moment, taken while another process writes`() async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted()
        let writing = Task {
            for round in 0..<200 {
                let message = ParkedMessage(queue: "q", reason: "r", body: [UInt8(round)], at: .start)
                try await ledger.write(.normal) { transaction in
                    try transaction.park(message)
                    _ = try transaction.pause(campaign: number, now: .start)
                    _ = try transaction.resume(campaign: number, now: .start)
                }
            }
        }
        let size = try LedgerBackup.backUp(scratch.path, to: file)
        try await writing.value
        #expect(size > 0)
        let copy = try Ledger.open(path: file, create: false)
        #expect(copy.storeID == ledger.storeID)
        let (count, paused) = try await copy.read { (try $0.parkedCount(), try $0.campaign(number)?.pausedBy) }
        #expect(count <= 200)
        // Never the middle of a transaction.
        #expect(paused == [])
        #expect(try await copy.status(number).law == .holds)
        await copy.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.folder)
        #expect(files.filter { $0.contains("partial") }.isEmpty)
    }

    @Test func `a file that exists, a ledger that does not, and a folder that does not are refused`() throws {
        _ = try scratch.open()
        let before = Data("mine".utf8)
        try before.write(to: URL(fileURLWithPath: file))
        #expect(throws: BackupError.exists(path: file)) { try LedgerBackup.backUp(scratch.path, to: file) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(throws: BackupError.ledger(.missing(path: "/nowhere.db"))) {
            try LedgerBackup.backUp("/nowhere.db", to: file + "2")
        }
        #expect(throws: BackupError.self) { try LedgerBackup.backUp(scratch.path, to: "/nonexistent/backup.db") }
    }

    @Test func `a restored ledger knows no message of the time after the backup, and publishes its own anew`()
        async throws
    {
        let ledger = try scratch.open()
        let number = try await ledger.accepted(Sample.campaign([4, 2, 3]))
        let shards = try await ledger.planned(number, max: 2)
        try await ledger.write { try $0.markOut(shards.map { ($0.record.id.key, 1) }, now: .start) }
        let (_, token) = try await ledger.running(key(number, 0))
        var half = Progress(count: 4)
        half.accept(0)
        let saved = half
        _ = try await ledger.write { try $0.saveProgress([(token: token, progress: saved)]) }
        _ = try LedgerBackup.backUp(scratch.path, to: file)
        // What the backup does not know.
        let lost = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "later"), identity: "2"))
        let late = try await ledger.planned(lost)
        #expect(throws: BackupError.inUse(path: scratch.path)) { try LedgerBackup.restore(file, to: scratch.path) }
        await ledger.close()

        let result = try LedgerBackup.restore(file, to: scratch.path)
        #expect(result.shards == 2 && result.devices == 6)
        #expect(result.replaced == scratch.path + ".before-restore-1")
        let restored = try scratch.open(create: false)
        let status = try await restored.status(number)
        #expect(status.law == .holds)
        #expect(status.counts.accepted == 1 && status.pending.held == 5 && status.pending.unplanned == 3)
        let old = Claim(key: key(number, 0), generation: 1, redelivered: true, worker: 9, knowsApp: true)
        #expect(try await restored.write { try $0.claim(old, now: .start) }.decision == .drop)
        let unknown = Claim(
            key: late[0].record.id.key,
            generation: 1,
            redelivered: false,
            worker: 9,
            knowsApp: true
        )
        let parked = try await restored.write { try $0.claim(unknown, now: .start) }.decision
        #expect(parked == .park(reason: "UnknownCampaign"))
        let released = try await restored.write {
            try $0.releaseAside(campaign: number, knowsApp: true, limit: 10, now: .start)
        }
        #expect(released.map(\.record.generation) == [1001, 1001])
        #expect(released[0].record.progress == saved)
        // The same job, sent again by its producer, gets a number that no message of the lost time has.
        let again = try await restored.accepted(Sample.campaign(facts: Sample.facts(id: "later"), identity: "2"))
        #expect(again > lost)
        await restored.close()
        // The lost ledger is whole.
        let kept = try Ledger.open(path: try #require(result.replaced), create: false)
        #expect(try await kept.status(lost).law == .holds)
        await kept.close()
    }

    @Test func `garbage is never put in a ledger's place`() async throws {
        let ledger = try scratch.open()
        await ledger.close()
        try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: file))
        #expect(throws: BackupError.self) { try LedgerBackup.restore(file, to: scratch.path) }
        #expect(throws: BackupError.ledger(.missing(path: file + "2"))) {
            try LedgerBackup.restore(file + "2", to: scratch.path)
        }
        await (try scratch.open(create: false)).close()
    }

    @Test func `a damaged ledger is moved away and replaced`() async throws {
        let ledger = try scratch.open()
        let number = try await ledger.accepted()
        _ = try LedgerBackup.backUp(scratch.path, to: file)
        await ledger.close()
        let garbage = Data(repeating: 0x5A, count: 8192)
        try garbage.write(to: URL(fileURLWithPath: scratch.path))
        // The write-ahead log alone would make a whole ledger of it.
        for log in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: scratch.path + log) {
            try FileManager.default.removeItem(atPath: scratch.path + log)
        }
        let result = try LedgerBackup.restore(file, to: scratch.path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: try #require(result.replaced))) == garbage)
        let restored = try scratch.open(create: false)
        #expect(try await restored.status(number).law == .holds)
        await restored.close()
    }
}
