import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Devices that register themselves, and what a campaign makes of it.
    @Suite("Edge")
    struct Edge {
        @Test func `a device that registers is sent to, one that denies alerts or goes is not`() async throws {
            try await PrivateFleet.with { fleet in
                let key = try await Self.open(fleet)
                let port = try LoopbackPorts.free(1)[0]
                let server = try FanfareProcess(
                    ["server", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: [
                        "FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:\(port)", "FANFARE_SERVER_LISTEN": "127.0.0.1:0",
                    ]
                )
                defer { server.kill() }
                let edge = "http://127.0.0.1:\(port)/v1/devices/"
                try await eventually("it listens") {
                    guard server.isRunning else { throw FanfareProcess.Failure(server.errors) }
                    return (try? await Self.ask("PUT", edge + "x", key: nil, "{}"))?["status"] != nil
                }
                let words = [
                    "ana": #""permission": "authorized""#, "ben": #""permission": "denied""#,
                    "cleo": #""permission": "provisional""#,
                ]
                var secrets: [String: String] = [:]
                for (token, word) in zip(TestDevices.tokens(3), words.sorted(by: { $0.key < $1.key })) {
                    let body = #"{"token": "\#(token)", \#(word.value)}"#
                    let answer = try await Self.ask("PUT", edge + word.key, key: key, body)
                    secrets[word.key] = try #require(answer["device_secret"]?.string, "\(answer)")
                }
                _ = try await fleet.startWorker()
                try await fleet.publish(Self.job("first"))
                let first = try await fleet.completed("first")
                #expect(first.counts.accepted == 2 && first.counts.skipped == 1, "\(first.counts)")
                let gone = try await Self.ask("DELETE", edge + "cleo", key: secrets["cleo"], nil)
                #expect(gone["status"]?.string == "forgotten")
                try await fleet.publish(Self.job("second"))
                let second = try await fleet.completed("second")
                #expect(second.counts.accepted == 1 && second.counts.skipped == 1, "\(second.counts)")
            }
        }

        /// Gives the fleet's app an edge, as an operator does; the key.
        private static func open(_ fleet: PrivateFleet) async throws -> String {
            let path = fleet.folder + "/apps.yaml"
            let yaml = try String(contentsOfFile: path, encoding: .utf8)
            let block = "  news:\n    edge: {integration_keys_file: news.keys}\n"
            try Data(yaml.replacing("  news:\n", with: block).utf8).write(to: URL(fileURLWithPath: path))
            let made = try await fleet.run("app", "key", "create", "news", "--name", "one")
            try #require(made.exit == 0, "\(made.errors)")
            return String(made.output.dropLast())
        }

        private static func job(_ id: String) -> TestJob {
            var job = TestJob(id, [])
            job.audience = ["everyone": true]
            return job
        }

        private static func ask(
            _ method: String,
            _ url: String,
            key: String?,
            _ body: String?
        ) async throws -> JSONValue {
            var arguments = ["-sS", "-X", method, url, "-H", "Content-Type: application/json"]
            if let key { arguments += ["-H", "Authorization: Bearer \(key)"] }
            if let body { arguments += ["--data-binary", body] }
            let asked = arguments
            let data = try await aside {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
                process.arguments = asked
                process.standardInput = FileHandle.nullDevice
                let output = Pipe()
                process.standardOutput = output
                process.standardError = FileHandle.nullDevice
                try process.run()
                let data = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return data
            }
            guard let answer = JSONReader.read(Array(data)).value else { throw FanfareProcess.Failure("no answer") }
            return answer
        }
    }
}
