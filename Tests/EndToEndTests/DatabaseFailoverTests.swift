import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// PostgreSQL servers that die while commits wait for their synchronous standby.
    @Suite("Database failover", .enabled(if: Ledger.hasPostgreSQL), .serialized)
    struct DatabaseFailover {
        @Test(arguments: StandbyGap.allCases)
        func `D14: a server dies in mid-COMMIT, and with its standby nobody is lost or sent to twice`(
            _ gap: StandbyGap
        ) async throws {
            let audience = 20_000
            let server = try PrivatePostgreSQL()
            defer { server.remove() }
            let standby = try server.addStandby()
            defer { standby.remove() }
            try await PrivateFleet.with(faults: ["latency": "20"], postgreSQL: server) { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                try await fleet.putList("fans", TestDevices.tokens(audience))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: audience / 4)
                let receiver = try standby.freezeReceiver()
                // One that has the ledger's lock keeps all others from theirs.
                try await eventually("a commit waits for the standby") { try server.waitingCommits() > 0 }
                try await server.fail(over: standby, receiver: receiver, gap)
                #expect(fleet.simulator.statistics.requests < audience)
                let status = try await fleet.completed("derby", within: .seconds(200))
                #expect(status.counts.accepted == audience && status.pending.total == 0)
                #expect(workers.allSatisfy { $0.isRunning })
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == UInt64(audience))
                #expect(try await fleet.parked().isEmpty)
            }
        }
    }
}
