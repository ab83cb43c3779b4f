import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Tokens, keys, payloads and passwords are in no log.
    @Suite("Secrets")
    struct Secrets {
        /// The texts that must appear nowhere; hexadecimal digits in either case.
        private struct Marks {
            let tokens: [String]
            let text = "Mark4711Payload"
            let keyLine: String

            var all: [String] {
                // A provider token's header begins like this in base64url: {"alg":… Its first three letters sometimes
                // occur in the names that the broker makes up for its files.
                tokens.map { String($0.prefix(20)) } + [text, keyLine, "eyJhbGciOi", ShippedUsers.password]
            }
        }

        @Test func `a planted token, key, payload and password are in no output of a run full of trouble`() async throws
        {
            let faults = ["rules": "feed=once-429,dead=BadDeviceToken,c0de=InvalidProviderToken", "reset": "0.01"]
            try await PrivateFleet.with(faults: faults) { fleet in
                _ = try await ShippedUsers.prepare()
                try await ShippedUsers.grant(in: fleet.endpoint.virtualHost)
                try await fleet.become("fanfare-worker")
                let marks = Marks(tokens: Self.tokens, keyLine: try Self.keyLine(fleet.folder))
                let worker = try await fleet.startWorker(level: "trace")
                try await campaign(fleet, marks)
                worker.kill()
                let second = try await fleet.startWorker(level: "trace")
                try await refusals(fleet, marks)
                try await commands(fleet)
                try await lookFor(marks, fleet, levels: second)
            }
        }

        private static let tokens =
            TestDevices.tokens(200, prefix: "feed") + TestDevices.tokens(20, prefix: "dead")
            + TestDevices.tokens(400, prefix: "5eed")

        /// Returns a line of the app's key that no other file has.
        private static func keyLine(_ folder: String) throws -> String {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let name = try #require(files.first { $0.hasSuffix(".p8") })
            let lines = try String(contentsOfFile: folder + "/" + name, encoding: .utf8).split(separator: "\n")
            return String(try #require(lines.dropFirst().first))
        }

        private func campaign(_ fleet: PrivateFleet, _ marks: Marks) async throws {
            var job = TestJob("derby", marks.tokens)
            job.content = .object(["title": .string(marks.text), "body": "x"])
            try Data(job.body).write(to: URL(fileURLWithPath: fleet.folder + "/job.json"))
            let sent = try await fleet.run(as: "fanfare-producer", "campaign", "send", "job.json", "--wait", "--json")
            #expect(sent.exit == 0, "\(sent.errors)")
            // Refused credentials pause a campaign and open the breaker, with lines in the log.
            try await fleet.publish(TestJob("refused", TestDevices.tokens(50, prefix: "c0de")))
            try await eventually("it is paused") { try await fleet.status("refused")?.pausedBy.isEmpty == false }
            _ = try await fleet.run("campaign", "cancel", "refused")
        }

        /// Publishes unreadable jobs and shards with marks in every position.
        private func refusals(_ fleet: PrivateFleet, _ marks: Marks) async throws {
            var bad = TestJob("bad", [marks.tokens[0] + "zz"])
            bad.content = .object(["title": .array([.string(marks.text)])])
            try await fleet.publish(bad)
            try await fleet.publish(
                Array("{\"title\": \"\(marks.text)\", \"token\": \"\(marks.tokens[0])\"".utf8),
                exchange: BrokerNames.campaigns,
                routingKey: "news"
            )
            try await fleet.publish(
                Array("\(marks.text)\(marks.tokens[0])".utf8),
                exchange: BrokerNames.work,
                routingKey: "apns.bulk"
            )
            try await eventually("they are parked") { try await fleet.parked().count == 3 }
        }

        private func commands(_ fleet: PrivateFleet) async throws {
            _ = try await fleet.run("campaign", "list")
            _ = try await fleet.run("campaign", "status", "derby", "--json")
            _ = try await fleet.run("status", "--json")
            _ = try await fleet.run("parked", "list", "--json")
            _ = try await fleet.run("parked", "replay", "--all")
            _ = try await fleet.run("config", "show")
            _ = try await fleet.run("app", "list")
            _ = try await fleet.run("app", "check")
            _ = try await fleet.run("topology", "plan")
            _ = try await fleet.run("list", "ls")
        }

        private func lookFor(_ marks: Marks, _ fleet: PrivateFleet, levels worker: FanfareProcess) async throws {
            worker.terminate()
            _ = try await worker.ended(within: .seconds(30))
            let node = try await PrivateBroker.node()
            var seen = 0
            for folder in [fleet.folder, node.folder.appendingPathComponent("log").path] {
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    guard folder != fleet.folder || name.hasSuffix(".out") || name.hasSuffix(".err") else { continue }
                    let path = folder + "/" + name
                    guard let data = FileManager.default.contents(atPath: path) else { continue }
                    let text = String(decoding: data, as: UTF8.self).lowercased()
                    seen += text.utf8.count
                    for mark in marks.all {
                        #expect(!text.contains(mark.lowercased()), "\(mark.prefix(12))… is in \(name)")
                    }
                }
            }
            // Proves that the search finds text at all.
            #expect(seen > 5000)
            #expect(worker.errors.contains("worker is up"))
        }
    }
}
