import Foundation
import Servers
import Simulator
import Testing

extension EndToEnd {
    /// The client for browsers with a whole fleet, in real browsers.
    @Suite("WebClient")
    struct WebClient {
        /// Starts an edge for a site on a free port, and a worker; returns what a script of `Tests/Browser` asks for.
        private func settings(_ fleet: PrivateFleet) async throws -> [String: String] {
            let port = try #require(try LoopbackPorts.free(1).first)
            let more = ", device_tags: true, web_origins: [\"http://localhost:\(port)\"]"
            let (edge, key) = try await fleet.startEdge(
                more: more,
                ofApp: "    categories: {GOAL: [{id: LIKE}, {id: MATCH, foreground: true}]}\n"
            )
            _ = try await fleet.startWorker()
            // The simulator has written it.
            let apps = try String(contentsOfFile: fleet.folder + "/apps.yaml", encoding: .utf8)
            let publicKey = String(try #require(apps.firstMatch(of: #/public_key: (\S+)/#)).1)
            return [
                "EDGE_URL": "http://127.0.0.1:\(edge.port)", "INTEGRATION_KEY": key, "VAPID_KEY": publicKey,
                "SITE_PORT": "\(port)", "PROFILE": fleet.folder + "/profile",
            ]
        }

        @Test(.enabled(if: FullSuite.isOn && Browser.isThere))
        func `a browser registers, shows a campaign, and what a person does with it is counted at the edge`()
            async throws
        {
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                var environment = try await settings(fleet)
                let control = try #require(fleet.simulator.controlPort)
                environment["SIMULATOR_URL"] = "http://127.0.0.1:\(control)"
                let seen = try await Browser.run("web.py", environment, in: fleet.folder)
                #expect(seen.last == "the client for browsers does what it should", "\(seen)")
                let statistics = try #require(fleet.simulator.statistics(of: .webPush))
                #expect(statistics.accepted == 5 && statistics.own["undecipherable"] == 0)
            }
        }

        @Test(.enabled(if: FullSuite.isOn && Firefox.isThere))
        func `Firefox decrypts what was sealed for it, and wakes the site's worker with it`() async throws {
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                var environment = try await settings(fleet)
                // The push service is the script's; it has the simulator's certificate, which the app trusts.
                let identity = fleet.simulator.identity
                for (name, bytes) in [("CERTIFICATE", identity.certificatePEM), ("KEY", identity.privateKeyPEM)] {
                    let path = "\(fleet.folder)/PUSH_\(name)"
                    try Data(bytes).write(to: URL(filePath: path))
                    environment["PUSH_\(name)"] = path
                }
                let seen = try await Browser.run("firefox.py", environment, in: fleet.folder)
                #expect(seen.last == "Firefox decrypts what was sealed for it, and shows it", "\(seen)")
            }
        }
    }
}
