import Foundation
import Servers
import Simulator
import Testing

extension EndToEnd {
    /// The client for browsers with a whole fleet, in a real browser.
    @Suite("WebClient")
    struct WebClient {
        /// Returns the public half of the VAPID key that the simulator has written into `apps.yaml`.
        private func publicKey(_ fleet: PrivateFleet) throws -> String {
            let apps = try String(contentsOfFile: fleet.folder + "/apps.yaml", encoding: .utf8)
            return String(try #require(apps.firstMatch(of: #/public_key: (\S+)/#)).1)
        }

        @Test(.enabled(if: FullSuite.isOn && Browser.isThere))
        func `a browser registers, shows a campaign, and what a person does with it is counted at the edge`()
            async throws
        {
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                let port = try #require(try LoopbackPorts.free(1).first)
                let more = ", device_tags: true, web_origins: [\"http://localhost:\(port)\"]"
                let (edge, key) = try await fleet.startEdge(
                    more: more,
                    ofApp: "    categories: {GOAL: [{id: LIKE}, {id: MATCH, foreground: true}]}\n"
                )
                _ = try await fleet.startWorker()
                let control = try #require(fleet.simulator.controlPort)
                let environment = [
                    "EDGE_URL": "http://127.0.0.1:\(edge.port)", "INTEGRATION_KEY": key,
                    "VAPID_KEY": try publicKey(fleet), "SIMULATOR_URL": "http://127.0.0.1:\(control)",
                    "SITE_PORT": "\(port)", "PROFILE": fleet.folder + "/profile",
                ]
                let seen = try await Browser.run("web.py", environment, in: fleet.folder)
                #expect(seen.last == "the client for browsers does what it should", "\(seen)")
                let statistics = try #require(fleet.simulator.statistics(of: .webPush))
                #expect(statistics.accepted == 5 && statistics.own["undecipherable"] == 0)
            }
        }
    }
}
