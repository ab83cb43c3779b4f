import Campaigns
import Foundation
import Servers
import Simulator
import Testing
import Transport

extension EndToEnd {
    /// The archive that an operator sends to whoever helps.
    @Suite("Bundle for support")
    struct Bundles {
        /// The password in the URL of the tests' PostgreSQL.
        private static let storePassword = "p@ss word"

        /// Names with contents of the files of an archive, as the system's tar unpacks them.
        private func unpacked(_ fleet: PrivateFleet, _ name: String) throws -> [String: String] {
            let place = URL(fileURLWithPath: fleet.folder + "/unpacked-\(name)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let tar = Process()
            tar.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
            tar.arguments = ["-xzf", "\(fleet.folder)/\(name)", "-C", place.path]
            try tar.run()
            tar.waitUntilExit()
            try #require(tar.terminationStatus == 0)
            let root = place.appendingPathComponent("fanfare-bundle").path
            var files: [String: String] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
                guard let bytes = FileManager.default.contents(atPath: "\(root)/\(path)") else { continue }
                files[path] = String(decoding: bytes, as: UTF8.self)
            }
            return files
        }

        /// Returns a line of the app's key that no other file has.
        private func keyLine(_ folder: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let text = try String(
                contentsOfFile: "\(folder)/\(#require(names.first { $0.hasSuffix(".p8") }))",
                encoding: .utf8
            )
            return String(try #require(text.split(separator: "\n").dropFirst().first))
        }

        @Test(arguments: ChaosLedger.all)
        func `a bundle of a fleet at work has all its parts, and no secret, token or payload`(
            store: ChaosLedger
        ) async throws {
            let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
            try await PrivateFleet.with(postgreSQL: server) { fleet in
                _ = try await ShippedUsers.prepare()
                try await ShippedUsers.grant(in: fleet.endpoint.virtualHost)
                let node = try await PrivateBroker.node()
                try PrivateFleet.configure(
                    fleet.folder,
                    url: ShippedUsers.url("fanfare-worker", fleet.endpoint),
                    managementPort: node.managementPort,
                    store: fleet.database?.url ?? "sqlite:fanfare.db"
                )
                let (tokens, text) = (TestDevices.tokens(200, prefix: "feed"), "Mark4711Payload")
                let log = "\(fleet.folder)/worker.log"
                try #require(FileManager.default.createFile(atPath: log, contents: nil))
                let handle = try #require(FileHandle(forWritingAtPath: log))
                _ = try await fleet.startWorker(level: "trace", log: handle)
                var job = TestJob("derby", tokens)
                job.content = .object(["title": .string(text), "body": "x"])
                try await fleet.publish(job)
                _ = try await fleet.completed("derby")
                // Lines that no version of ours writes: a peer's text may have anything in it.
                let key = try keyLine(fleet.folder)
                let planted = [
                    "token=\(tokens[0])", "user:\(ShippedUsers.password)@x", "password=\"\(Self.storePassword)\"",
                    "got \(key)",
                ]
                try handle.seekToEnd()
                try handle.write(contentsOf: Data((planted.joined(separator: "\n") + "\n").utf8))

                let told = try await fleet.run(
                    "doctor",
                    "--offline",
                    "--bundle",
                    "out.tar.gz",
                    "--log",
                    "worker.log",
                    "--json"
                )
                #expect(told.exit == 0, "\(told.errors)")
                let files = try unpacked(fleet, "out.tar.gz")
                let marks = [
                    String(tokens[0].prefix(24)), text, key, Self.storePassword, "p%40ss", ShippedUsers.password,
                    "eyJhbGciOi",
                    "BEGIN PRIVATE",
                ]
                for (name, content) in files {
                    for mark in marks {
                        #expect(!content.lowercased().contains(mark.lowercased()), "\(mark.prefix(12))… is in \(name)")
                        #expect(!told.output.lowercased().contains(mark.lowercased()))
                    }
                }
                expectParts(files, fleet)
            }
        }

        private func expectParts(_ files: [String: String], _ fleet: PrivateFleet) {
            let contents = [
                "configuration.json": "\"amqp.url\":{\"value\":\"amqp://fanfare-worker:***@",
                "apps.json": "\"app\":\"news\"", "doctor.json": "\"check\":\"broker\"",
                "status.json": "\"name\":\"store\"", "topology.json": "\"changes\":[", "versions.json": "\"fanfare\":",
                "events.ndjson": "campaign.completed", "log/1-worker.log": "worker is up", "errors.txt": "server",
            ]
            for (name, part) in contents {
                #expect(files[name]?.contains(part) == true, "\(name): \(files[name]?.prefix(300) ?? "is not there")")
            }
            #expect(files["events.ndjson"]?.contains("\"campaign\":\"derby\"") == true)
            let metrics = files.first { $0.key.hasPrefix("metrics/worker-") }
            #expect(metrics?.value.contains("fanfare_") == true)
            let attributes = try? FileManager.default.attributesOfItem(atPath: fleet.folder + "/out.tar.gz")
            #expect(attributes?[.posixPermissions] as? Int == 0o600)
        }

        @Test func `parts that cannot be had are lines of errors txt, and the others are there`() async throws {
            try await PrivateFleet.with { fleet in
                let ports = try LoopbackPorts.free(2)
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "amqp://fanfare:hidden-4711@127.0.0.1:\(ports[0])",
                    managementPort: ports[0],
                    store: "sqlite:nowhere.db"
                )
                let file = fleet.folder + "/fanfare.yaml"
                let yaml = try String(contentsOfFile: file, encoding: .utf8)
                try Data((yaml + "worker:\n  listen: 127.0.0.1:\(ports[1])\n").utf8).write(
                    to: URL(fileURLWithPath: file)
                )
                let told = try await fleet.run("doctor", "--offline", "--bundle", "down.tar.gz", "--log", "none.log")
                #expect(told.exit == 0, "\(told.errors)")
                let files = try unpacked(fleet, "down.tar.gz")
                let errors = try #require(files["errors.txt"])
                let lines = errors.split(separator: "\n")
                for part in ["store", "broker", "topology", "broker's version", "metrics of a worker", "events", "log"]
                {
                    #expect(lines.contains { $0.hasPrefix("\(part): ") }, "\(part) is not in \(errors)")
                }
                for name in ["doctor.json", "configuration.json", "apps.json", "status.json", "versions.json"] {
                    #expect(files[name] != nil, "\(name)")
                }
                #expect(!files.values.contains { $0.contains("hidden-4711") })

                // Not even a configuration that nobody can read keeps the rest back.
                try Data("wörker: {\n".utf8).write(to: URL(fileURLWithPath: file))
                #expect(try await fleet.run("doctor", "--bundle", "unread.tar.gz").exit == 0)
                let rest = try unpacked(fleet, "unread.tar.gz")
                #expect(rest["versions.json"] != nil && rest["errors.txt"]?.contains("configuration: ") == true)
            }
        }
    }
}
