import Campaigns
import Foundation
import Servers
import Testing

@Suite struct DemoCommandTests {
    private let folder: CommandFolder
    private var command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
        command.environment["TMPDIR"] = folder.path
    }

    @Test func `a demo without a broker ends with 69 and leaves nothing behind`() throws {
        let outcome = try command.run("demo", "--devices", "10", "--amqp", "amqp://127.0.0.1:1")
        #expect(outcome.exit == 69)
        #expect(outcome.output.isEmpty && outcome.errors.contains("127.0.0.1:1"))
        #expect(try folder.files().isEmpty)
    }

    @Test func `a demo does not write into a folder that holds something`() throws {
        try folder.write("mine", "precious")
        let outcome = try command.run("demo", "--folder", folder.path)
        #expect(outcome.exit == 64)
        #expect(try folder.files() == ["mine"])
    }

    @Test func `a demo ends with both counts in agreement and nothing left behind`() async throws {
        let node = try await RabbitMQNode.start()
        defer { node.remove() }
        var command = command
        command.environment["FANFARE_AMQP_URL"] = node.url
        command.environment["FANFARE_AMQP_MANAGEMENT_URL"] = "http://127.0.0.1:\(node.managementPort)"
        let outcome = try await aside { [command] in try command.run("demo", "--devices", "2000", "--json") }
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let report = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
        let campaign = try #require(report["campaign"])
        let ends = ["accepted", "invalid", "expired"].compactMap { campaign[$0]?.integer }
        #expect(ends.count == 3 && ends.allSatisfy { $0 > 0 } && ends.reduce(0, +) == 2000)
        // Dead, too late, and refused once: the last ones were tried twice.
        #expect((campaign["attempts"]?.integer ?? 0) > 2000)
        #expect(report["comparison"]?["simulator"] == report["comparison"]?["ledger"])
        #expect(try folder.files().isEmpty)
    }

    @Test func `a demo over three providers agrees with each of them`() async throws {
        let node = try await RabbitMQNode.start()
        defer { node.remove() }
        var command = command
        command.environment["FANFARE_AMQP_URL"] = node.url
        command.environment["FANFARE_AMQP_MANAGEMENT_URL"] = "http://127.0.0.1:\(node.managementPort)"
        let outcome = try await aside { [command] in try command.run("demo", "--mixed", "--devices", "1000", "--json") }
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let report = try #require(JSONReader.read(Array(outcome.output.utf8)).value)
        let providers = try #require(report["comparison"]?["providers"])
        let devices: [(String, Int64)] = [("apns", 600), ("fcm", 350), ("webpush", 50)]
        for (provider, count) in devices {
            let share = try #require(providers[provider])
            #expect(share["ledger"]?["tokens"]?.integer == count)
            #expect(share["simulator"] == share["ledger"])
        }
        #expect(try folder.files().isEmpty)
    }
}
