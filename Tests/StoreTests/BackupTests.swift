import Campaigns
import Delivery
import Foundation
import Servers
import Testing

@testable import Store

@Suite(.fewLedgersAtOnce)
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
        // Never from the middle of a transaction.
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

    /// Makes a backup: of a file with our own command, of a database with its server's tools.
    private func backUp() throws {
        guard let database = scratch.database else {
            _ = try LedgerBackup.backUp(scratch.path, to: file)
            return
        }
        try PrivatePostgreSQL.shared.get().dump(database, to: file)
    }

    /// Performs the runbook's steps once nobody has the ledger open.
    private func restore() async throws -> RestoredLedger {
        guard let database = scratch.database else { return try LedgerBackup.restore(file, to: scratch.path) }
        let server = try PrivatePostgreSQL.shared.get()
        try await eventually("the closed ledger's sessions are over") {
            let sessions = "FROM pg_stat_activity WHERE application_name = 'fanfare' AND datname = '\(database)'"
            return try server.execute("SELECT count(*) \(sessions)") == "0"
        }
        try server.restore(file, to: database)
        return try LedgerBackup.restoreInPlace(postgreSQL: server.url(database))
    }

    private func restoreInUse() throws {
        guard let database = scratch.database else {
            #expect(throws: BackupError.inUse(path: scratch.path)) { try LedgerBackup.restore(file, to: scratch.path) }
            return
        }
        let server = try PrivatePostgreSQL.shared.get()
        #expect(throws: BackupError.inUse(path: "postgresql://127.0.0.1:\(server.port)/\(database)")) {
            try LedgerBackup.restoreInPlace(postgreSQL: server.url(database))
        }
    }

    @Test func `a restored ledger takes runs up to the shared time for sent, whatever the host's clock says`()
        async throws
    {
        let ledger = try scratch.open()
        var repeated = Sample.campaign(facts: Sample.facts(id: "daily"), identity: "3")
        repeated.audience = .registry
        repeated.repetition = NewRepetition(next: NextRun(at: .start + 100, madeAt: .start + 100))
        let daily = try await ledger.accepted(repeated)
        // The host's clock was set back by an hour while a campaign was open.
        try await ledger.write {
            try $0.db.run("UPDATE clock SET lead = lead + 3600000000, goal = goal + 3600000000")
        }
        await ledger.close()
        try backUp()
        _ = try await restore()
        let restored = try scratch.open(create: false)
        let since = try #require(try await restored.read { try $0.repeatedCampaign(daily)?.restoredAt })
        #expect(abs(since.milliseconds - Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000) < 60_000)
        await restored.close()
    }

    @Test(arguments: TestDatabase.all)
    func `a restored ledger knows no message of the time after the backup, and publishes its own anew`(
        _ kind: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: kind)
        let number = try await ledger.accepted(Sample.campaign([4, 2, 3]))
        let shards = try await ledger.planned(number, max: 2)
        try await ledger.write { try $0.markOut(shards.map { ($0.record.id.key, 1) }, now: .start) }
        let (_, token) = try await ledger.running(key(number, 0))
        var half = Progress(count: 4)
        half.accept(0)
        let saved = half
        _ = try await ledger.write { try $0.saveProgress([(token: token, progress: saved)]) }
        var repeated = Sample.campaign(facts: Sample.facts(id: "daily"), identity: "3")
        repeated.audience = .registry
        repeated.repetition = NewRepetition(next: NextRun(at: .start + 100, madeAt: .start + 100))
        let daily = try await ledger.accepted(repeated)
        try backUp()
        // A campaign that the backup does not know.
        let lost = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "later"), identity: "2"))
        let late = try await ledger.planned(lost)
        try restoreInUse()
        #expect(try await ledger.status(lost).law == .holds)
        await ledger.close()

        let result = try await restore()
        #expect(result.shards == 2 && result.devices == 6)
        #expect(result.replaced == (kind == .sqlite ? scratch.path + ".before-restore-1" : nil))
        let restored = try scratch.open(create: false)
        let status = try await restored.status(number)
        #expect(status.law == .holds)
        // Runs up to now may have been sent.
        let since = try await restored.read { try $0.repeatedCampaign(daily)?.restoredAt }
        #expect(try abs(#require(since).milliseconds - Int64(Date().timeIntervalSince1970 * 1000)) < 60_000)
        // A worker of the lost period wakes up.
        #expect(try await restored.write { try $0.saveProgress([(token: token, progress: saved)]) } == [token])
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
        // The same job, sent again by its producer, gets a number that no message of the lost period has.
        let again = try await restored.accepted(Sample.campaign(facts: Sample.facts(id: "later"), identity: "2"))
        #expect(again > lost)
        await restored.close()
        guard let replaced = result.replaced else { return }
        // The replaced ledger is intact.
        let kept = try Ledger.open(path: replaced, create: false)
        #expect(try await kept.status(lost).law == .holds)
        await kept.close()
    }

    @Test(arguments: TestDatabase.all)
    func `the backup of a ledger without a campaign gives no number out again`(_ kind: TestDatabase) async throws {
        let ledger = try scratch.open(on: kind)
        try backUp()
        let lost = try await ledger.accepted()
        await ledger.close()
        let result = try await restore()
        #expect(result.shards == 0)
        let restored = try scratch.open(create: false)
        #expect(try await restored.accepted() > lost + 100_000)
        await restored.close()
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
        // The write-ahead log alone would make a complete ledger of it.
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
