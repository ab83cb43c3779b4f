import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// A ledger that is lost and restored while the broker keeps its messages.
    @Suite("Restoring")
    struct Restoring {
        @Test(arguments: Ledger.hasPostgreSQL ? [false, true] : [false])
        func `no device is lost, and what is sent twice is bounded by what happened since the backup`(
            onPostgreSQL: Bool
        ) async throws {
            let faults = SmallFlight.faults.merging(["rules": "4290=once-429"]) { $1 }
            let server = onPostgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(faults: faults, postgreSQL: server) { fleet in
                let workers = [try await fleet.startSmallWorker(), try await fleet.startSmallWorker()]
                try await fleet.putList("fans", TestDevices.tokens(29_000) + TestDevices.tokens(1000, prefix: "4290"))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                var bound = 0
                for worker in workers { bound += try await worker.metrics().repeatsMost }
                let before = Int(fleet.simulator.statistics.requests)
                try await backUp(fleet)

                // Work goes on: more of the first campaign, and a second one that the backup does not know.
                try await fleet.requests(reach: before + 3000)
                let later = TestJob("later", TestDevices.tokens(2000, prefix: "b"))
                try await fleet.publish(later)
                try await eventually("it is accepted") { try await fleet.status("later")?.startedAt != nil }
                let early = try await restore(fleet)
                #expect(early.exit == 1 && early.errors.contains("stop all workers"), "\(early.errors)")
                for worker in workers { worker.kill() }
                let lost = Int(fleet.simulator.statistics.requests)
                let restored = try await fleet.withLedgerClosed {
                    if let database = fleet.database {
                        try await sessionsEnd(database)
                        try database.server.restore(fleet.folder + "/backup.db", to: database.name)
                    }
                    return try await restore(fleet)
                }
                #expect(restored.exit == 0, "\(restored.errors)")
                #expect(try await fleet.status("later") == nil)

                _ = try await fleet.startWorker()
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 30_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.count == 30_000)
                #expect(devices.allSatisfy { $0.accepted >= 1 })
                #expect(devices.unseen <= status.unknownResent)
                // Requests since the backup, and those whose answers it did not have yet.
                bound += lost - before
                #expect(bound < 28_000, "the campaign was over too soon")
                #expect(devices.repeats <= bound + status.unknownResent)
                try await doesNotKnow(later, fleet)
            }
        }

        private func backUp(_ fleet: PrivateFleet) async throws {
            let backup = try await fleet.run("store", "backup", "backup.db", "--json")
            if let database = fleet.database {
                #expect(backup.exit == 64 && backup.errors.contains("pg_dump"))
                try database.server.dump(database.name, to: fleet.folder + "/backup.db")
            } else {
                #expect(backup.exit == 0, "\(backup.errors)")
                #expect(try await fleet.run("store", "backup", "backup.db").exit == 1)
            }
        }

        /// Runs our part of a restore; a server's database was restored by its own tools before.
        private func restore(_ fleet: PrivateFleet) async throws -> FanfareProcess.Outcome {
            try await fleet.run("store", "restore", fleet.database == nil ? "backup.db" : "--in-place", "--yes")
        }

        /// Waits until the server has noticed the workers' end.
        private func sessionsEnd(_ database: PrivateFleet.Database) async throws {
            let sessions = "pg_stat_activity WHERE application_name = 'fanfare' AND datname = '\(database.name)'"
            try await eventually("nobody has the ledger open") {
                try database.server.execute("SELECT count(*) FROM \(sessions)") == "0"
            }
        }

        /// Checks that the messages of the campaign unknown to the backup are parked, and that its job may be sent
        /// again.
        private func doesNotKnow(_ later: TestJob, _ fleet: PrivateFleet) async throws {
            try await eventually("what the broker had of it is parked") {
                let parked = try await fleet.parked().filter { $0.campaign == "later" }
                return !parked.isEmpty && parked.allSatisfy { $0.reason == "UnknownCampaign" }
            }
            let replay = try await fleet.run("parked", "replay", "--campaign", "later")
            #expect(replay.exit == 1)
            try await fleet.publish(later)
            let status = try await fleet.completed("later", within: .seconds(60))
            #expect(status.counts.accepted == 2000)
            #expect(try await fleet.devices("later").allSatisfy { $0.accepted >= 1 })
            #expect(try await fleet.run("parked", "discard", "--campaign", "later", "--yes").exit == 0)
        }
    }
}
