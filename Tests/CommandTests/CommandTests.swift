import Campaigns
import Foundation
import Testing

@Suite struct CommandTests {
    private let folder: CommandFolder
    private var command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    @Test func `the version is one line`() throws {
        let outcome = try command.run("--version")
        #expect(outcome.exit == 0)
        #expect(outcome.output.hasPrefix("fanfare ") && outcome.output.hasSuffix("\n"))
    }

    @Test(arguments: [
        ["bogus"], ["config", "show", "--bogus"], ["config", "show", "--config"], ["config", "show", "extra"],
        ["simulator", "--fault", "dead=2"], ["simulator", "--fault", "dead"], ["simulator", "--port", "99999"],
        ["config", "show", "--amqp", "amqp://me:hunter2@broker"],
    ])
    func `a wrong call ends with 64 and says what is wrong`(arguments: [String]) throws {
        let outcome = try command.run(arguments)
        #expect(outcome.exit == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty && !outcome.errors.contains("hunter2"))
    }

    @Test func `a wrong call with --json is a problem document on standard error`() throws {
        let outcome = try command.run("config", "show", "--bogus", "--json")
        #expect(outcome.exit == 64)
        #expect(try json(outcome.errors)["type"]?.string == "urn:fanfare:problem:usage")
    }

    @Test func `the configuration is shown with its origins and without passwords`() throws {
        try folder.write("fanfare.yaml", "log: {level: debug}\n")
        var command = command
        command.environment = ["FANFARE_AMQP_URL": "amqp://me:hunter2@broker"]
        let outcome = try command.run("config", "show", "--json", "--log-format", "json")
        #expect(outcome.exit == 0)
        let shown = try json(outcome.output)
        #expect(shown["amqp.url"]?["value"]?.string == "amqp://me:***@broker")
        #expect(shown["amqp.url"]?["origin"]?.string == "environment")
        #expect(shown["log.level"]?["origin"]?.string == "file")
        #expect(shown["log.format"]?["origin"]?.string == "flag")
        #expect(shown["store.url"]?["origin"]?.string == "default")
        let table = try command.run("config", "show")
        #expect(table.output.contains("amqp://me:***@broker") && !table.output.contains("hunter2"))
    }

    @Test func `every configuration problem is a line of its own and ends with 78`() throws {
        try folder.write("fanfare.yaml", "amqp: {ulr: x}\nworker: {loops: many}\n")
        var command = command
        command.environment = ["FANFARE_LGO_LEVEL": "info"]
        let outcome = try command.run("config", "show")
        #expect(outcome.exit == 78)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("fanfare: ") })
        #expect(
            lines.first?.hasSuffix("fanfare.yaml:1: amqp.ulr: there is no such key; did you mean amqp.url?") == true
        )
        let document = try json(try command.run("config", "show", "--json").errors)
        #expect(document["type"]?.string == "urn:fanfare:problem:configuration")
        #expect(document["errors"]?.array?.count == 3)
        #expect(document["errors"]?.array?.first?["pointer"]?.string == "/amqp/ulr")
    }

    @Test func `an unreadable key is one clear line and 78`() throws {
        try folder.write(
            "apps.yaml",
            """
            apps:
              news:
                apns: {topic: a.b, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: none.p8}
            """
        )
        for arguments in [["app", "check"], ["config", "check"]] {
            let outcome = try command.run(arguments)
            #expect(outcome.exit == 78)
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(outcome.errors.contains("apps.yaml:3: apps.news.apns.key_file: the file "))
        }
    }

    @Test func `the schema of a job is JSON`() throws {
        let outcome = try command.run("schema", "job")
        #expect(outcome.exit == 0)
        #expect(try json(outcome.output)["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    }

    @Test(arguments: ["plan", "apply", "diff"])
    func `topology without a broker is one clear line and 69`(verb: String) throws {
        let outcome = try command.run("topology", verb, "--amqp", "amqp://127.0.0.1:1")
        #expect(outcome.exit == 69)
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.contains("127.0.0.1:1"))
    }

    @Test func `the simulator writes apps that check, and ends at once on SIGTERM`() throws {
        let process = try command.process(["simulator", "--folder", folder.path, "--app", "sports", "--json"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let ready = try json(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
        let check = try command.run("app", "check", "--json")
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(check.exit == 0)
        let app = try #require(try json(check.output).array?.first)
        #expect(app["app"]?.string == "sports")
        #expect(app["apns"]?["endpoint"] == ready["endpoint"])
    }
}
