import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct WorkerTests {
    private let scratch = ScratchLedger()

    @Test(arguments: TestDatabase.all) func `an app is live for ten seconds after its worker's last word`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let id = try await ledger.write {
            try $0.registerWorker(
                name: "host-1",
                roles: ["sender", "planner"],
                accounts: .apns(["news", "shop"]),
                now: .start
            )
        }
        #expect(id > 0)
        #expect(try await ledger.read { try $0.liveApps(now: .start + 10) } == ["news", "shop"])
        #expect(try await ledger.read { try $0.liveApps(now: .start + 11) }.isEmpty)
        try await ledger.write { try $0.reportWorker(id, accounts: .apns(["news"]), now: .start + 11) }
        #expect(try await ledger.read { try $0.liveApps(now: .start + 12) } == ["news"])
        let workers = try await ledger.read { try $0.liveWorkers(now: .start + 12) }
        #expect(workers.map(\.roles) == [["sender", "planner"]])
        #expect(workers.map(\.apps) == [["news"]])
    }

    @Test(arguments: TestDatabase.all) func `a worker's id is never used again`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        func register() async throws -> Int64 {
            try await ledger.write {
                try $0.registerWorker(name: "w", roles: [], accounts: .apns(["news"]), now: .start)
            }
        }
        let first = try await register()
        try await ledger.write { try $0.removeWorker(first) }
        #expect(try await ledger.read { try $0.liveApps(now: .start) }.isEmpty)
        #expect(try await register() > first)
    }

    @Test(arguments: TestDatabase.all) func `a worker's health is read as it was reported, and none is none`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let accounts = AppAccounts(["news": [.apns, .fcm], "shop": [.apns]])
        let id = try await ledger.write {
            try $0.registerWorker(name: "host-1", roles: ["sender"], accounts: accounts, now: .start)
        }
        func known() async throws -> WorkerRecord? {
            try await ledger.read { try $0.knownWorkers(now: .start + 2) }.first
        }
        #expect(try await known()?.health == nil)
        var health = WorkerHealth(versions: ["news": "0a1b2c3d"])
        health.ledger = WorkerHealth.Fault(since: .start + 1, reason: "the disk's full: \"no\" room")
        var credential = WorkerHealth.Credential(app: "news", provider: .fcm)
        credential.refusal = WorkerHealth.Fault(since: .start, reason: "invalid_grant")
        health.credentials = [credential]
        try await ledger.write { [health] in
            try $0.reportWorker(id, accounts: accounts, skew: 7, health: health, now: .start + 2)
        }
        let record = try #require(try await known())
        #expect(record.health == health && record.skew == 7 && record.accounts == accounts)
        #expect(record.apps == ["news", "shop"])
        // Those who ask often do without it.
        #expect(try await ledger.read { try $0.liveWorkers(now: .start + 2) }.map(\.health) == [nil])
        try await ledger.write { try $0.reportWorker(id, accounts: accounts, now: .start + 2) }
        #expect(try await known()?.health == nil)
    }

    @Test(arguments: TestDatabase.all) func `a worker that vanished is known for an hour, one that left is gone`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        for name in ["vanished", "stopped"] {
            let id = try await ledger.write {
                try $0.registerWorker(name: name, roles: [], accounts: .apns(["news"]), now: .start)
            }
            if name == "stopped" { try await ledger.write { try $0.removeWorker(id) } }
        }
        #expect(try await ledger.read { try $0.liveWorkers(now: .start + 11) }.isEmpty)
        for (seconds, names) in [(11, ["vanished"]), (3600, ["vanished"]), (3601, [])] {
            let known = try await ledger.read { try $0.knownWorkers(now: .start + seconds) }
            #expect(known.map(\.name) == names && known.allSatisfy { !$0.isLive(now: .start + seconds) })
        }
    }
}
