import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// A fleet whose ledger is a PostgreSQL database.
    @Suite("PostgreSQL", .enabled(if: Ledger.hasPostgreSQL), .serialized)
    struct PostgreSQL {
        @Test func `two workers send a campaign, retries and all, and commands see it`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(faults: ["rules": "429=once-429"], postgreSQL: server) { fleet in
                _ = [try await fleet.startWorker(), try await fleet.startWorker()]
                let tokens = TestDevices.mixed(2000, prefix: "429")
                let lines = ["token"] + tokens
                try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: fleet.folder + "/fans.csv"))
                let put = try await fleet.run("list", "put", "fans", "fans.csv", "--app", PrivateFleet.app)
                #expect(put.exit == 0, "\(put.errors)")
                try await fleet.publish(TestJob("derby", list: "fans"))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 4000 && status.attempts == 6000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 6000)
                let shown = try await fleet.run("campaign", "status", "derby", "--json")
                #expect(shown.exit == 0 && shown.output.contains("\"accepted\":4000"), "\(shown.output)\(shown.errors)")
                #expect(try await fleet.run("status").exit == 0)
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `iPhones and Androids get one campaign from it, retries and dead tokens too`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            let rules = ["rules": "dead=dead,cGone=dead,429=once-429"]
            try await PrivateFleet.with(faults: rules, fcm: FCMAccess(), postgreSQL: server) { fleet in
                _ = [try await fleet.startWorker(), try await fleet.startWorker()]
                let apple = TestDevices.mixed(300, prefix: "429") + TestDevices.tokens(30, prefix: "dead")
                let google = TestDevices.fcm(400) + TestDevices.fcm(20, prefix: "cGone")
                try await fleet.publish(TestJob("derby", apple, fcm: google))
                let status = try await fleet.completed("derby")
                #expect(status.audience == 1050)
                #expect(status.counts.accepted == 1000 && status.counts.invalid == 50)
                #expect(status.reasons == ["Unregistered": 30, "UNREGISTERED": 20])
                #expect(status.attempts == 1350)
                let sides = [SimulatedProvider.apns, .fcm].compactMap { fleet.simulator.statistics(of: $0) }
                #expect(sides.map(\.requests) == [930, 420] && sides.map(\.distinctTokens) == [630, 420])
                let shown = try await fleet.run("campaign", "status", "derby", "--json")
                let value = try #require(JSONReader.read(Array(shown.output.utf8)).value)
                #expect(value["providers"]?["apns"]?["accepted"] == 600)
                #expect(value["providers"]?["fcm"]?["accepted"] == 400)
                // A pause of one provider works in this database too, and its end is noticed.
                #expect(try await fleet.run("pause", "--provider", "fcm").exit == 0)
                try await fleet.publish(TestJob("again", TestDevices.tokens(200), fcm: TestDevices.fcm(100)))
                try await eventually("Apple's devices have it") {
                    try await fleet.status("again")?.counts.accepted == 200
                }
                #expect(fleet.simulator.statistics(of: .fcm)?.requests == 420)
                #expect(try await fleet.run("resume", "--provider", "fcm").exit == 0)
                #expect(try await fleet.completed("again").counts.accepted == 300)
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `a database killed again and again in mid-campaign loses nothing, and no worker ends`() async throws
        {
            let (kills, audience) = FullSuite.isOn ? (10, 200_000) : (2, 30_000)
            let server = try PrivatePostgreSQL()
            defer { server.remove() }
            // Few requests in flight: the simulator shares its cores with the servers, and one that answers after the
            // stream deadline is asked again, which has nothing to do with the ledger.
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "100"], postgreSQL: server) { fleet in
                let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                try await fleet.putList("fans", TestDevices.tokens(audience))
                try await fleet.publish(TestJob("derby", list: "fans"))
                for kill in 1...kills {
                    try await fleet.requests(reach: kill * audience / (kills + 2))
                    server.kill()
                    try server.restart()
                }
                #expect(fleet.simulator.statistics.requests < audience)
                let status = try await fleet.completed("derby", within: .seconds(200))
                #expect(status.counts.accepted == audience && status.pending.total == 0)
                #expect(workers.allSatisfy { $0.isRunning })
                let devices = try await fleet.devices("derby")
                #expect(devices.count == audience)
                // No worker died: a device was sent to again only if the provider had not answered in time.
                #expect(status.maybeSent == 0)
                #expect(
                    devices.allSatisfy { $0.attempts == $0.requests && $0.outcome == .accepted && $0.accepted >= 1 }
                )
                #expect(fleet.simulator.statistics.requests == UInt64(audience + status.unknownResent))
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `a server that dies leaves the ledger to its standby, and nobody is lost or sent to twice`()
            async throws
        {
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
                server.kill()
                #expect(fleet.simulator.statistics.requests < audience)
                try standby.promote()
                let status = try await fleet.completed("derby", within: .seconds(200))
                #expect(status.counts.accepted == audience && status.pending.total == 0)
                #expect(workers.allSatisfy { $0.isRunning })
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == UInt64(audience))
                #expect(try await fleet.parked().isEmpty)
            }
        }

        @Test func `a worker killed in mid-campaign leaves it to the other one`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with(faults: SmallFlight.faults, postgreSQL: server) { fleet in
                let first = try await fleet.startSmallWorker()
                _ = try await fleet.startSmallWorker()
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                let bound = try await first.metrics().repeatsMost
                first.kill()
                #expect(fleet.simulator.statistics.requests < 17_000)
                let status = try await fleet.completed("derby", within: .seconds(120))
                #expect(status.counts.accepted == 20_000)
                let devices = try await fleet.devices("derby")
                #expect(devices.count == 20_000 && devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                #expect(bound < 1000)
                #expect(devices.repeats <= bound + status.unknownResent)
            }
        }

        @Test(arguments: [
            ("fanfare:hunter2@", "postgres", 78, "password authentication failed"),
            ("nobody:hunter2@", "postgres", 78, "nobody"),
            ("fanfare:p%40ss%20word@", "nowhere", 78, "nowhere"),
        ])
        func `who is not let in hears why in one line`(
            user: String,
            database: String,
            exit: Int32,
            saying: String
        ) async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with { fleet in
                let url = "postgresql://\(user)127.0.0.1:\(server.port)/\(database)"
                try await expectFailure(fleet, store: url, exit: exit, saying: saying)
            }
        }

        @Test func `without a server, and without tables, commands say so in one line`() async throws {
            let server = try PrivatePostgreSQL.shared.get()
            try await PrivateFleet.with { fleet in
                let port = try LoopbackPorts.free(1)[0]
                let away = "postgresql://fanfare:hunter2@127.0.0.1:\(port)/fanfare"
                try await expectFailure(fleet, store: away, exit: 69, saying: "127.0.0.1:\(port)")
                let url = server.url(try server.createDatabase())
                try configure(fleet, store: url)
                let outcome = try await fleet.run("campaign", "list")
                #expect(outcome.exit == 69 && outcome.errors.contains("there is no ledger"), "\(outcome.errors)")
            }
        }

        private func configure(_ fleet: PrivateFleet, store: String) throws {
            let broker = "amqp://guest:guest@127.0.0.1:\(fleet.endpoint.hosts[0].port)/\(fleet.endpoint.virtualHost)"
            try PrivateFleet.configure(fleet.folder, url: broker, managementPort: 1, store: store)
        }

        private func expectFailure(_ fleet: PrivateFleet, store: String, exit: Int32, saying text: String) async throws
        {
            try configure(fleet, store: store)
            for command in [["worker"], ["campaign", "list"]] {
                let outcome = try await FanfareProcess.run(
                    command + ["--config", "fanfare.yaml"],
                    folder: fleet.folder
                )
                #expect(outcome.exit == exit && !outcome.isSignalled, "\(outcome.errors)")
                #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
                #expect(outcome.errors.contains(text) && !outcome.errors.contains("hunter2"), "\(outcome.errors)")
            }
        }
    }
}
