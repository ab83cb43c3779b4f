import Campaigns
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
}
