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

    @Test func `a demo of the web takes no devices and sends no campaign`() throws {
        let outcome = try command.run("demo", "--web", "--devices", "10")
        #expect(outcome.exit == 64)
        #expect(outcome.errors.contains("--web has the browser as its only device"))
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

    @Test func `the demo of the web serves a site that its edge lets in, until it is interrupted`() async throws {
        let node = try await RabbitMQNode.start()
        defer { node.remove() }
        let environment = [
            "FANFARE_AMQP_URL": node.url, "TMPDIR": folder.path,
            "FANFARE_AMQP_MANAGEMENT_URL": "http://127.0.0.1:\(node.managementPort)",
        ]
        let demo = try FanfareProcess(["demo", "--web", "--json"], folder: folder.path, environment: environment)
        defer { demo.kill() }
        try await eventually("the demo says where it is") {
            guard demo.isRunning else { throw FanfareProcess.Failure(demo.errors) }
            return demo.output.hasSuffix("\n")
        }
        let addresses = try #require(JSONReader.read(Array(demo.output.utf8)).value)
        let (site, edge) = (try #require(addresses["site"]?.string), try #require(addresses["edge"]?.string))
        #expect(try await Self.page(site).contains("<script type=\"module\" src=\"site.js\">"))
        #expect(try await Self.page(site + "es.html").contains("lang=\"es\""))
        let settings = try await Self.page(site + "settings.js")
        let key = try #require(settings.firstMatch(of: /key: "(fik_[A-Za-z0-9_-]+)"/)).1
        #expect(settings.contains("edge: \"\(edge)\""))
        #expect(try await Self.page(site + "fanfare-worker.js").contains("\(edge)/web/fanfare-worker.js"))
        // As the site's page does, from its origin and with its key.
        let fields = ["Origin: \(site.dropLast())", "Authorization: Bearer \(key)", "Content-Type: application/json"]
        let body = "{\"provider\": \"webpush\", \"token\": \"\(Self.subscription)\"}"
        let request = ["-i", "-X", "PUT", "-d", body] + fields.flatMap { ["-H", $0] }
        let told = try await Self.page(edge + "/v1/devices/ana", request).lowercased()
        #expect(told.contains("access-control-allow-origin: \(site.dropLast())") && told.contains(" 201 "), "\(told)")
        demo.signal(SIGINT)
        #expect(try await demo.ended().exit == 0, "\(demo.errors)")
        #expect(try folder.files().allSatisfy { !$0.hasPrefix("fanfare-demo") })
    }

    /// A subscription with the keys of RFC 8291, section 5.
    private static let subscription =
        "https://push.example.com/ana#BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTB"
        + "Hm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4.BTBZMqHH6r4Tts7J_aSIgg"

    /// Returns a page as curl gets it.
    private static func page(_ address: String, _ options: [String] = []) async throws -> String {
        try await aside {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
            process.arguments = ["-sS"] + options + [address]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
    }
}
