import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The commands that README and the pages tell people to type.
    @Suite("Documents")
    struct Documents {
        /// Commands that run forever or long; other end-to-end tests and the commands' own tests run them.
        private static let elsewhere = [
            ["worker"], ["server", "--listen"], ["server", "--config"], ["server"], ["simulator"], ["demo"], ["bench"],
            ["store", "restore"], ["manual"], ["phone"],
            ["webhook", "resume"],
        ]
        /// Commands that report a finding by their exit code, or that refuse, as the page says.
        private static let otherExits: [[String]: Int32] = [
            ["status"]: 1, ["doctor"]: 1, ["parked", "replay"]: 1, ["campaign", "send", "mistakes.json"]: 65,
        ]

        @Test func `every command that is shown does what it says`() async throws {
            let commands = try DocumentedCommands.all().filter { command in
                !Self.elsewhere.contains { command.arguments.starts(with: $0) && !command.isHelp }
            }
            #expect(commands.count > 50)
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                _ = try await fleet.startWorker()
                let scene = try await Scene(fleet)
                for command in commands {
                    let arguments = try await scene.arguments(command.arguments)
                    var ended = try await scene.run(arguments)
                    // A command that is only named, without its arguments.
                    if ended.exit == 64, command.isName { ended = try await scene.run(command.arguments + ["--help"]) }
                    let other = Self.otherExits.first { command.arguments.starts(with: $0.key) }?.value
                    #expect(
                        ended.exit == 0 || ended.exit == other,
                        "\(command), run as \(arguments): \(ended.exit) \(ended.errors)"
                    )
                    if command.arguments.first == "pause" { _ = try await fleet.run("resume") }
                }
            }
        }
    }
}

extension DocumentedCommands.Command {
    fileprivate var isHelp: Bool { arguments.contains("--help") }

    /// True if there are only words of the command itself.
    fileprivate var isName: Bool {
        arguments.count <= 2 && arguments.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
    }
}

/// A fleet in which the pages' names exist.
private struct Scene {
    private let fleet: PrivateFleet
    let environment: [String: String]

    init(_ fleet: PrivateFleet) async throws {
        self.fleet = fleet
        environment = [
            "HOME": fleet.folder, "FANFARE_SERVER_TOKENS_FILE": fleet.folder + "/tokens.yaml",
            "PATH": "/usr/bin:/bin",
        ]
        let configurations = fleet.folder + "/.config/fanfare"
        try FileManager.default.createDirectory(atPath: configurations, withIntermediateDirectories: true)
        let yaml = try String(contentsOfFile: fleet.folder + "/fanfare.yaml", encoding: .utf8)
        let absolute = yaml.replacing("sqlite:", with: "sqlite:\(fleet.folder)/")
            .replacing("apps.yaml", with: fleet.folder + "/apps.yaml")
        try write(".config/fanfare/production.yaml", absolute)
        try FileManager.default.createDirectory(atPath: fleet.folder + "/backup", withIntermediateDirectories: true)
        let tokens = TestDevices.tokens(40)
        let named = ["ana-iphone", "phone-41"].enumerated().map { "\(tokens[$0.offset]),\($0.element)" }
        try write("devices.csv", (["token,id"] + named + tokens[2...].map { "\($0)," }).joined(separator: "\n"))
        try write("ana.txt", tokens[0])
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        try png.write(to: URL(fileURLWithPath: fleet.folder + "/coupon.png"))
        try write("job.json", job("shown", hold: true))
        try write("hello.json", job("hello-1", hold: false))
        let inline = TestJob("inline", Array(tokens.prefix(2))).body
        try Data(inline).write(to: URL(fileURLWithPath: fleet.folder + "/inline.json"))
        try write("mistakes.json", #"{"id": "hello-2", "app": "news", "delivery": {"expire_at": 1}}"#)
        let android = #"[{"token": "\#(TestDevices.fcm(1)[0])", "provider": "fcm", "id": "ana-pixel"}]"#
        try write("android.json", job("hello-android", hold: false, audience: #"{"devices": \#(android)}"#))
        let put = try await fleet.run("list", "put", "subscribers", "devices.csv", "--app", "news")
        try #require(put.exit == 0, "\(put.errors)")
        for id in ["hello-1", "derby-kickoff", "bad"] {
            try write("job-\(id).json", job(id, hold: false))
            let sent = try await fleet.run("campaign", "send", "job-\(id).json", "--wait")
            try #require(sent.exit == 0, "\(sent.errors)")
        }
        try await park()
        try await openEdge()
        try write("ben.txt", tokens[39])
        let ben = ["device", "add", "ben-iphone", "--app", "news", "--user", "ben", "--from", "ben.txt"]
        let registered = try await run(ben)
        try #require(registered.exit == 0, "\(registered.errors)")
    }

    func run(_ arguments: [String]) async throws -> FanfareProcess.Outcome {
        try await FanfareProcess.run(arguments, folder: fleet.folder, environment: environment)
    }

    /// Gives the app an edge, and a key made earlier by the reader.
    private func openEdge() async throws {
        let apps = try String(contentsOfFile: fleet.folder + "/apps.yaml", encoding: .utf8)
        try write(
            "apps.yaml",
            apps.replacing("  news:\n", with: "  news:\n    edge: {integration_keys_file: news.keys}\n")
        )
        let made = try await run(["app", "key", "create", "news", "--name", "ios-2025"])
        try #require(made.exit == 0, "\(made.errors)")
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/" + name))
    }

    private func job(_ id: String, hold: Bool, audience: String = #"{"list": "subscribers"}"#) -> String {
        #"{"id": "\#(id)", "app": "news", "audience": \#(audience), "content": {"title": "Hello"}, "#
            + #""delivery": {"ttl": 3600, "hold": \#(hold)}}"#
    }

    /// Parks a refused job for a person.
    private func park() async throws {
        let before = try await fleet.ledger.read { try $0.parkedCount() }
        try await fleet.publish(Array("no job \(UUID())".utf8), exchange: "fanfare.campaigns", routingKey: "news")
        try await eventually("it is parked") {
            try await fleet.ledger.read { try $0.parkedCount() } > before
        }
    }

    /// Returns the arguments with the pages' placeholders replaced by names of this fleet.
    func arguments(_ shown: [String]) async throws -> [String] {
        var result = shown.filter { $0 != "$(date" && $0 != "+%F-%H%M).db" }
        if let position = result.firstIndex(of: "--config") { result.removeSubrange(position...(position + 1)) }
        for (index, word) in result.enumerated() {
            if word == "ID" { result[index] = try await name(for: shown) }
            if word == "INSTANT" { result[index] = TestClock.now().advanced(by: .seconds(7200)).rfc3339 }
            if word == "FILE" { result[index] = "inline.json" }
            if word.hasPrefix("Deploy/examples/") { result[index] = "hello.json" }
            if word.hasSuffix("/devices.csv") { result[index] = "devices.csv" }
            if word.hasPrefix("/backup/") { result[index] = fleet.folder + "/backup/\(UUID()).db" }
        }
        // Nobody is there to confirm.
        if shown.starts(with: ["parked", "discard"]), !shown.contains("--yes") { result.append("--yes") }
        return result
    }

    /// Returns a campaign in a suitable state for the command, or a parked message.
    private func name(for command: [String]) async throws -> String {
        if command.first == "parked" {
            try await park()
            let listed = try await fleet.run("parked", "list", "--json")
            let rows = try #require(JSONReader.read(Array(listed.output.utf8)).value?.array)
            let ids = rows.compactMap { $0["id"]?.integer ?? $0["id"]?.string.flatMap { Int64($0) } }
            let newest = try #require(ids.max())
            return String(newest)
        }
        guard ["pause", "resume", "cancel", "fire", "set"].contains(command[1]) else { return "derby-kickoff" }
        let id = "held-\(UInt32.random(in: 0 ... .max))"
        try write("\(id).json", job(id, hold: true))
        let sent = try await fleet.run("campaign", "send", "\(id).json")
        try #require(sent.exit == 0, "\(sent.errors)")
        if command[1] == "resume" { _ = try await fleet.run("campaign", "pause", id) }
        return id
    }
}
