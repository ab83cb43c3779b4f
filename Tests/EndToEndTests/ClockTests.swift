import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Wrong wall clocks, and clocks that step while campaigns run: by seconds, an hour and a day in both directions.
    ///
    /// The processes under test have shifted clocks (`ShiftedClock`); the test and the servers have the right one.
    @Suite("Clocks", .serialized)
    struct Clocks {
        /// The kind of ledger.
        enum LedgerKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
            case sqlite, postgreSQL

            static var built: [LedgerKind] { Ledger.hasPostgreSQL ? allCases : [.sqlite] }

            var testDescription: String { rawValue }
        }

        private static let shifts = [-86_400, -3600, -10, 10, 3600, 86_400]
        /// The full suite runs every pair.
        ///
        /// Otherwise each ledger has a day in both directions, and the one whose time is another host's also a
        /// difference that is small enough to work on with.
        private static let pairs = LedgerKind.built.flatMap { store in
            shifts.filter { shift in
                FullSuite.isOn || abs(shift) == 86_400 || store == .postgreSQL && abs(shift) == 10
            }.map { (store, $0) }
        }
        private static let audience = 3000

        private func with(_ store: LedgerKind, _ body: (PrivateFleet) async throws -> Void) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(
                faults: ["latency": "10"],
                postgreSQL: server,
                clockSkewMost: 100_000,
                body
            )
        }

        /// Starts a campaign and sends a third of it, at a rate that takes three seconds.
        private func begin(_ id: String, on fleet: PrivateFleet) async throws {
            try await fleet.putList("fans", TestDevices.tokens(Self.audience))
            try await fleet.publish(
                TestJob(id, list: "fans").delivered(["per_second": 1000, "ttl": 1800])
            )
            try await fleet.requests(reach: Self.audience / 3)
        }

        /// Checks that every device was sent to once.
        private func allAccepted(_ id: String, on fleet: PrivateFleet) async throws {
            let status = try await fleet.completed(id)
            #expect(status.counts.accepted == Self.audience && status.counts.expired == 0)
            #expect(try await fleet.devices(id).differing.isEmpty)
        }

        private func readiness(of worker: FanfareProcess, is status: Int) async throws -> String {
            var text = ""
            try await eventually("readiness \(status) of worker \(worker.pid)") {
                let answer = try await worker.probe("/readyz")
                text = String(decoding: answer.body, as: UTF8.self)
                return answer.status == status
            }
            return text
        }

        @Test(arguments: pairs)
        func `a second worker whose clock is wrong expires nothing and stops nothing`(
            store: LedgerKind,
            shift: Int
        ) async throws {
            try await with(store) { fleet in
                _ = try await fleet.startWorker()
                try await begin("derby", on: fleet)
                let clock = try ShiftedClock(in: fleet.folder)
                try clock.set(ahead: shift)
                let second = try await fleet.startWorker(environment: clock.environment())
                try await allAccepted("derby", on: fleet)
                guard store == .postgreSQL else { return }
                // The worker's own report of the skew, if another host's time counts.
                let skew = try await second.metrics().sum("fanfare_clock_skew_seconds")
                #expect(abs(skew - shift) <= 2)
                let told = try await fleet.run("status")
                #expect(told.output.contains("clock is"), "\(told.output)\(told.errors)")
                let doctor = try await fleet.run("doctor")
                #expect(doctor.output.contains("clock is"), "\(doctor.output)\(doctor.errors)")
                guard abs(shift) >= 60 else { return }
                #expect(try await readiness(of: second, is: 503).contains("clock"))
                try clock.set(ahead: 0)
                _ = try await readiness(of: second, is: 200)
            }
        }

        @Test(arguments: pairs)
        func `a clock that steps in mid-campaign expires nobody and stops nothing for good`(
            store: LedgerKind,
            shift: Int
        ) async throws {
            try await with(store) { fleet in
                let clock = try ShiftedClock(in: fleet.folder)
                let worker = try await fleet.startWorker(environment: clock.environment())
                try await begin("derby", on: fleet)
                try clock.set(ahead: shift)
                if store == .postgreSQL, abs(shift) >= 60 {
                    #expect(try await readiness(of: worker, is: 503).contains("clock"))
                    try clock.set(ahead: 0)
                }
                try await allAccepted("derby", on: fleet)
                _ = try await readiness(of: worker, is: 200)
            }
        }

        @Test(arguments: LedgerKind.built, [-7200, 7200])
        func `a worker killed after a step leaves its lease to the next one`(
            store: LedgerKind,
            shift: Int
        ) async throws {
            try await with(store) { fleet in
                let clock = try ShiftedClock(in: fleet.folder)
                let first = try await fleet.startWorker(environment: clock.environment())
                try await begin("derby", on: fleet)
                try clock.set(ahead: shift)
                first.kill()
                #expect(fleet.simulator.statistics.requests < UInt64(Self.audience))
                // The next worker is on the same host if the ledger is a file.
                _ = try await fleet.startWorker(environment: store == .sqlite ? clock.environment() : [:])
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == Self.audience && status.counts.expired == 0)
            }
        }

        @Test(arguments: [-7200, 7200])
        func `after a restart with the right clock the turns of an app's rate are given away`(
            shift: Int
        ) async throws {
            try await with(.sqlite) { fleet in
                let path = fleet.folder + "/apps.yaml"
                var apps = try String(contentsOfFile: path, encoding: .utf8)
                apps = apps.replacing(
                    "  \(PrivateFleet.app):\n",
                    with: "  \(PrivateFleet.app):\n    per_second: 1000\n"
                )
                try Data(apps.utf8).write(to: URL(fileURLWithPath: path))
                let clock = try ShiftedClock(in: fleet.folder)
                try clock.set(ahead: shift)
                let first = try await fleet.startWorker(environment: clock.environment())
                try await fleet.publish(TestJob("one", TestDevices.tokens(500)).delivered(["ttl": 100_000]))
                #expect(try await fleet.completed("one").counts.accepted == 500)
                first.terminate()
                #expect(try await first.ended().exit == 0)
                try clock.set(ahead: 0)
                _ = try await fleet.startWorker(environment: clock.environment())
                try await fleet.publish(
                    TestJob("two", TestDevices.tokens(500, prefix: "c")).delivered(["ttl": 100_000])
                )
                #expect(try await fleet.completed("two").counts.accepted == 500)
            }
        }
    }
}
