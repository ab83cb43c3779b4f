import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// The dashboard of a whole fleet in a real browser.
    @Suite("Dashboard")
    struct Dashboard {
        private func token(_ name: String, _ role: String, _ fleet: PrivateFleet) async throws -> String {
            let made = try await FanfareProcess.run(
                ["server", "token", "create", "--name", name, "--role", role, "--json", "--config", "fanfare.yaml"],
                folder: fleet.folder
            )
            #expect(made.exit == 0, "\(made.errors)")
            return try #require(JSONReader.read(Array(made.output.utf8)).value?["token"]?.string)
        }

        /// Parks a valid shard that the broker has given up on.
        private func park(_ fleet: PrivateFleet) async throws {
            let planner = try await fleet.startWorker(roles: "intake,planner")
            try await fleet.putList("fans", TestDevices.tokens(100))
            try await fleet.publish(TestJob("stuck", list: "fans"))
            let lane = BrokerNames.workQueue(Lane(provider: .apns, urgency: .bulk))
            try await eventually("its shard is out") {
                try await fleet.broker { try await $0.counts(of: lane)?.ready == 1 }
            }
            try await eventually("the broker has parked it") {
                try await PrivateBroker.requeueAll(lane, fleet.endpoint.virtualHost)
                return try await fleet.status("stuck")?.pending.parked == 100
            }
            planner.terminate()
            _ = try await planner.ended(within: .seconds(30))
        }

        @Test(.enabled(if: Browser.isThere))
        func `a person follows a campaign, pauses and resumes it, and replays what is parked`() async throws {
            try await PrivateFleet.with { fleet in
                try await park(fleet)
                _ = try await fleet.startWorker()
                let file = URL(fileURLWithPath: fleet.folder + "/fanfare.yaml")
                let port = try LoopbackPorts.free(1)[0]
                let text = try String(contentsOf: file, encoding: .utf8)
                let more = "server:\n  listen: 127.0.0.1:\(port)\n  tokens_file: tokens.yaml\n"
                try Data((text + more).utf8).write(to: file)
                let (operatorToken, viewerToken) = (
                    try await token("ben", "operator", fleet), try await token("ana", "viewer", fleet)
                )
                let server = try FanfareProcess(["server", "--config", "fanfare.yaml"], folder: fleet.folder)
                defer { server.kill() }
                let environment = [
                    "DASHBOARD_URL": "http://127.0.0.1:\(port)", "FANFARE_OPERATOR": operatorToken,
                    "FANFARE_VIEWER": viewerToken,
                ]
                let seen = try await Browser.run("dashboard.py", environment, in: fleet.folder)
                #expect(seen.last == "the dashboard shows and does what it should", "\(seen)\(server.errors)")
                #expect(try await fleet.completed("stuck").counts.accepted == 100)
                #expect(fleet.simulator.statistics.accepted == 3100)
                #expect(fleet.simulator.statistics.repeatedTokens == 0)
            }
        }
    }
}
