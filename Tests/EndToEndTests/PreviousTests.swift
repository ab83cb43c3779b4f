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
        /// A worker that is replaced hands over soon, so that its successor has something left to do.
        static let environment = SmallFlight.environment.merging(["FANFARE_WORKER_DRAIN": "1s"]) { $1 }

        /// Starts a worker of the previous version, and returns when it is ready.
        func startPrevious(_ fleet: PrivateFleet) async throws -> FanfareProcess {
            let worker = try fleet.start(
                ["worker", "--config", "fanfare.yaml"],
                environment: Self.environment,
                executable: PreviousBuild.executable
            )
            try await eventually("the worker of the version before is ready") {
                guard worker.isRunning else { throw FanfareProcess.Failure(worker.errors) }
                return try await worker.probe("/readyz").status == 200
            }
            return worker
        }

        /// Replaces the fleet's ledger with one of the previous version, lets a worker of that version begin a campaign
        /// in it, and returns once this version has migrated the ledger under it.
        func begun(_ fleet: PrivateFleet, _ job: TestJob) async throws -> FanfareProcess {
            try await fleet.withLedgerClosed {
                if let database = fleet.database {
                    try database.server.dropDatabase(database.name)
                    try database.server.execute("CREATE DATABASE \(database.name)")
                } else {
                    for end in ["", "-wal", "-shm"] {
                        try? FileManager.default.removeItem(atPath: "\(fleet.folder)/fanfare.db\(end)")
                    }
                }
                let worker = try await startPrevious(fleet)
                try await fleet.publish(job)
                try await fleet.requests(reach: 1000)
                let migration = try await fleet.run("store", "migrate")
                try #require(migration.exit == 0, "\(migration.output)\(migration.errors)")
                return worker
            }
        }

        /// Ends a worker in order, as an operator who replaces it.
        func end(_ worker: FanfareProcess) async throws {
            worker.terminate()
            let outcome = try await worker.ended()
            #expect(outcome.exit == 0, "\(outcome.errors)")
        }

        /// Makes the provider answer after so many milliseconds.
        func setLatency(_ fleet: PrivateFleet, _ milliseconds: String) async throws {
            try await fleet.simulator.changeFaults { faults throws(FaultsError) in
                try faults.set("latency", to: milliseconds)
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

        @Test(arguments: ChaosLedger.all)
        func `D12: a rollout is undone and made again, and each version ends what the other has begun`(
            store: ChaosLedger
        ) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(faults: Self.faults, postgreSQL: server) { fleet in
                let first = try await begun(fleet, TestJob("derby", devices))
                // So slow that the restarts happen meanwhile.
                try await setLatency(fleet, "2000")
                let this = try await fleet.startWorker(environment: Self.environment)
                try await end(first)
                try await fleet.publish(TestJob("final", TestDevices.tokens(1000, prefix: "b")))
                try await eventually("this version has accepted a campaign") { try await fleet.status("final") != nil }

                // Undone: the version before is alone, with the ledger that this one has migrated.
                let check = try await fleet.start(
                    ["store", "migrate", "--check", "--config", "fanfare.yaml"],
                    executable: PreviousBuild.executable
                )
                .ended()
                #expect(check.exit == 0, "\(check.output)\(check.errors)")
                let previous = try await startPrevious(fleet)
                try await end(this)
                #expect(try await fleet.status("derby")?.completedAt == nil, "the restarts came too late")
                #expect(try await fleet.status("final")?.completedAt == nil, "the restarts came too late")
                try await setLatency(fleet, "2-10")
                let derby = try await fleet.completed("derby", within: .seconds(120))
                #expect(derby.counts.accepted == 4600 && derby.counts.invalid == 100)
                #expect(try await fleet.completed("final").counts.accepted == 1000)

                // Made again: this version ends what the version before has accepted.
                try await setLatency(fleet, "2000")
                try await fleet.publish(TestJob("cup", TestDevices.tokens(2000, prefix: "c")))
                try await fleet.requests(reach: 6300 + 50)
                let again = try await fleet.startWorker(environment: Self.environment)
                try await end(previous)
                #expect(try await fleet.status("cup")?.completedAt == nil, "the restarts came too late")
                try await setLatency(fleet, "2-10")
                #expect(try await fleet.completed("cup").counts.accepted == 2000)
                // To the last request: whoever was replaced had answers for all that it sent.
                #expect(fleet.simulator.statistics.requests == 5300 + 1000 + 2000)
                for id in ["derby", "final", "cup"] { #expect(try await fleet.devices(id).differing.isEmpty, "\(id)") }
                #expect(again.isRunning)
                #expect(try await fleet.parked().isEmpty)
            }
        }
    }
}
