import Campaigns
import Delivery
import Store
import Testing

/// Orders to read the files again, and the answers in the workers' rows.
@Suite(.fewLedgersAtOnce)
struct ReloadOrderTests {
    private let scratch = ScratchLedger()

    @Test(arguments: TestDatabase.all) func `the newest order is the one that counts, and no number comes twice`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        #expect(try await ledger.read { try $0.reloadOrder() } == nil)
        let first = try await ledger.write(.synced) { try $0.orderReload(by: "ada", now: .start) }
        #expect(first.number > 0 && first.by == "ada" && first.at == .start)
        let second = try await ledger.write(.synced) { try $0.orderReload(by: "ben", now: .start + 1) }
        #expect(second.number > first.number)
        #expect(try await ledger.read { try $0.reloadOrder() } == second)
        #expect(try scratch.execute("SELECT CAST(count(*) AS TEXT) FROM reload_orders") == ["1"])
    }

    @Test(arguments: TestDatabase.all) func `a worker's answer is in its row, and goes with it`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        let order = try await ledger.write(.synced) { try $0.orderReload(by: "ada", now: .start) }
        let accounts = AppAccounts.apns(["news", "cup"])
        let id = try await ledger.write {
            try $0.registerWorker(name: "host-1", roles: ["sender"], accounts: .apns(["news"]), now: .start)
        }
        func standing() async throws -> ReloadStanding {
            let workers = try await ledger.read { try $0.knownWorkers(now: .start + 2) }
            return ReloadStanding(order, workers: workers, now: .start + 2)
        }
        #expect(try await standing().lines.map(\.answer) == [.unanswered(.awaited)])
        var answer = ReloadAnswer(to: order.number, at: .start + 1, unchanged: 1)
        answer.new = ["cup"]
        var health = WorkerHealth()
        health.reload = answer
        try await ledger.write { [health] in
            try $0.reportWorker(id, accounts: accounts, health: health, now: .start + 2)
        }
        #expect(try await standing().lines.map(\.answer) == [.takenOver(answer)])
        #expect(try await ledger.read { try $0.liveApps(now: .start + 2) } == ["news", "cup"])
        try await ledger.write { try $0.removeWorker(id) }
        #expect(try await standing().lines.isEmpty)
    }
}
