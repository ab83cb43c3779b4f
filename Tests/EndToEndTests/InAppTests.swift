import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// In-app messages through the built program: a worker, a server, and a phone that asks.
    @Suite("In-app messages")
    struct InAppMessages {
        private static let session =
            #"{"id": "0199d9f2-6a51-7c5e-8a55-2f0a6d0b9a01", "started_at": "2026-11-20T21:05:00Z"}"#

        /// An answer of the server to curl: its status and its body.
        private static func ask(
            _ fleet: PrivateFleet,
            _ method: String,
            _ url: String,
            bearer: String,
            body: String
        ) async throws -> (status: Int, json: JSONValue?) {
            let file = fleet.folder + "/body.json"
            try Data(body.utf8).write(to: URL(fileURLWithPath: file))
            let text = try await aside {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
                process.arguments = [
                    "-s", "-X", method, "-w", "\n%{http_code}", "-H", "Authorization: Bearer \(bearer)", "-H",
                    "Content-Type: application/json", "--data-binary", "@" + file, url,
                ]
                process.standardInput = FileHandle.nullDevice
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let data = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return String(decoding: data, as: UTF8.self)
            }
            let end = text.lastIndex(of: "\n") ?? text.startIndex
            return (Int(text[end...].dropFirst()) ?? 0, JSONReader.read(Array(text[..<end].utf8)).value)
        }

        private static func job(_ id: String, _ audience: String) -> String {
            """
            {"id": "\(id)", "app": "news", "kind": "in_app", "audience": \(audience),
             "content": {"in_app": {"type": "modal", "header": "Two tickets left"}},
             "delivery": {"in_app": {"triggers": [{"on": "session_start"}], "priority": 3}}}
            """
        }

        /// Gives the app an edge; its integration key.
        private static func openEdge(_ fleet: PrivateFleet) async throws -> String {
            let apps = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let edge = "    edge: {message_key_file: ids.key, integration_keys_file: news.keys}\n"
            try (try Data(contentsOf: apps) + Data(edge.utf8)).write(to: apps)
            try Data("1 \(String(repeating: "0b", count: 32))\n".utf8)
                .write(to: URL(fileURLWithPath: fleet.folder + "/ids.key"))
            let made = try await fleet.run("app", "key", "create", "news", "--name", "test")
            try #require(made.exit == 0, "\(made.errors)")
            return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        @Test func `a message reaches the phones that it is for when their sessions start, and no push is sent`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let key = try await Self.openEdge(fleet)
                _ = try await fleet.startWorker()
                let port = try LoopbackPorts.free(1)[0]
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "FANFARE_SERVER_LISTEN": "127.0.0.1:\(port)",
                        "FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "1000",
                    ]
                )
                defer { server.kill() }
                let base = "http://127.0.0.1:\(port)/v1"
                func register(_ id: String, _ token: String) async throws -> String {
                    let body = #"{"token": "\#(token)"}"#
                    let answer = try await eventually("\(id) is registered") {
                        guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                        let answer = try await Self.ask(fleet, "PUT", "\(base)/devices/\(id)", bearer: key, body: body)
                        return answer.status == 201 ? answer : nil
                    }
                    return try #require(answer.json?["device_secret"]?.string)
                }
                let tokens = TestDevices.tokens(2)
                let (ana, bo) = (try await register("ana", tokens[0]), try await register("bo", tokens[1]))
                func messages(_ secret: String) async throws -> [JSONValue] {
                    let answer = try await Self.ask(
                        fleet,
                        "POST",
                        base + "/sessions",
                        bearer: secret,
                        body: Self.session
                    )
                    try #require(answer.status == 200 || answer.status == 429, "\(answer)")
                    return answer.json?["messages"]?.array ?? []
                }

                for (name, text) in [
                    ("all", Self.job("all", #"{"everyone": true}"#)),
                    ("one", Self.job("one", #"{"devices": [{"token": "\#(tokens[0])"}]}"#)),
                ] {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(fleet.folder)/\(name).json"))
                    // It ends when the message is live, although the campaign goes on.
                    let sent = try await fleet.run("campaign", "send", name + ".json", "--wait", "--timeout", "60s")
                    #expect(sent.exit == 0, "\(sent.errors)")
                    #expect(try await fleet.status(name)?.state == "sending")
                }
                let both = try await eventually("ana gets both") {
                    let found = try await messages(ana)
                    return found.count == 2 ? found : nil
                }
                #expect(both.map { $0["campaign"] } == ["one", "all"])
                #expect(both.allSatisfy { $0["m"]?.string?.utf8.count == 22 && $0["priority"] == 3 })
                try await eventually("bo gets one") { try await messages(bo).map { $0["campaign"] } == ["all"] }
                let status = try #require(try await fleet.status("all"))
                #expect(status.audience == 2 && status.counts.accepted == 2 && status.law == .holds)
                #expect(try await fleet.status("one")?.audience == 1)

                #expect(try await fleet.run("campaign", "cancel", "all").exit == 0)
                try await eventually("the cancelled one is gone") {
                    try await messages(ana).map { $0["campaign"] } == ["one"]
                }
                #expect(try await fleet.status("all")?.state == "cancelled")
                #expect(fleet.simulator.statistics.requests == 0)
            }
        }
    }
}
