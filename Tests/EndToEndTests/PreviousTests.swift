import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// An upgrade as described in Upgrades.md: workers of the previous version, N−1, have the ledger open while this
    /// version migrates it, and go on beside it.
    @Suite("The version before beside this one", .enabled(if: PreviousBuild.isThere))
    struct Previous {
        private static let faults = SmallFlight.faults.merging(
            ["rules": "429=once-429,503=once-503,dead=dead", "latency": "20-40"]
        ) { $1 }

        /// Replaces the fleet's ledger with one of the previous version, lets a worker of that version begin a campaign
        /// in it, and returns once this version has migrated the ledger under it.
        private func begun(_ fleet: PrivateFleet, _ job: TestJob) async throws -> FanfareProcess {
            try await fleet.withLedgerClosed {
                if let database = fleet.database {
                    try database.server.dropDatabase(database.name)
                    try database.server.execute("CREATE DATABASE \(database.name)")
                } else {
                    for end in ["", "-wal", "-shm"] {
                        try? FileManager.default.removeItem(atPath: "\(fleet.folder)/fanfare.db\(end)")
                    }
                }
                let worker = try fleet.start(
                    ["worker", "--config", "fanfare.yaml"],
                    environment: SmallFlight.environment,
                    executable: PreviousBuild.executable
                )
                try await eventually("the worker of the version before is ready") {
                    guard worker.isRunning else { throw FanfareProcess.Failure(worker.errors) }
                    return try await worker.probe("/readyz").status == 200
                }
                try await fleet.publish(job)
                try await fleet.requests(reach: 1000)
                return worker
            }
        }

        private var devices: [String] {
            TestDevices.tokens(4000) + TestDevices.tokens(300, prefix: "429") + TestDevices.tokens(300, prefix: "503")
                + TestDevices.tokens(100, prefix: "dead")
        }

        @Test(arguments: ChaosLedger.all)
        func `D12: a worker of the version before goes on with the ledger of this one, beside a worker of this one`(
            store: ChaosLedger
        ) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(faults: Self.faults, postgreSQL: server) { fleet in
                let previous = try await begun(fleet, TestJob("derby", devices))
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 4600 && status.counts.invalid == 100)
                // To the last request: neither version repeats the other's requests.
                #expect(status.attempts == 5300)
                #expect(fleet.simulator.statistics.requests == 5300)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                // Both versions also work on a campaign that this version accepts.
                try await fleet.putList("fans", TestDevices.tokens(3000, prefix: "c"))
                try await fleet.publish(TestJob("final", list: "fans"))
                #expect(try await fleet.completed("final").counts.accepted == 3000)
                #expect(try await fleet.devices("final").differing.isEmpty)
                #expect(previous.isRunning)
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test(arguments: ChaosLedger.all)
        func `D12: what a worker of the version before had begun is ended by this one when it is killed`(
            store: ChaosLedger
        ) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(faults: Self.faults, postgreSQL: server) { fleet in
                let previous = try await begun(fleet, TestJob("derby", devices))
                let bound = try await previous.metrics().repeatsMost
                previous.kill()
                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 4600 && status.counts.invalid == 100)
                // The requests that the killed worker had in flight or unrecorded, and no more.
                let repeated = Int(fleet.simulator.statistics.requests) - 5300
                #expect(bound < 1000 && (0...bound).contains(repeated), "\(repeated) of at most \(bound)")
            }
        }
    }
}
