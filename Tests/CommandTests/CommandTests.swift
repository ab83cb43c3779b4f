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

    @Test func `the version is one line, with the commit that was built`() throws {
        let outcome = try command.run("--version")
        #expect(outcome.exit == 0)
        let line = try #require(
            outcome.output.wholeMatch(of: /fanfare \d+\.\d+\.\d+ \(commit (unknown|[0-9a-f]{12})\)\n/)
        )
        // The checkout may be at a later commit by now, but there is one.
        let log = URL(filePath: #filePath).appending(path: "../../../.git/logs/HEAD").standardizedFileURL
        #expect(FileManager.default.fileExists(atPath: log.path) == (line.1 != "unknown"))
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
        #expect(app["apns"]?["reached"] == true)
        #expect(app["apns"]?["clock_lead_seconds"]?.integer.map { abs($0) <= 5 } == true)
    }

    @Test func `a provider whose clock is another one ends app check with 1 and one clear line`() throws {
        let process = try command.process(["simulator", "--folder", folder.path, "--fault", "clock_offset=4200"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
        let check = try command.run("app", "check")
        let offline = try command.run("app", "check", "--offline")
        process.terminate()
        process.waitUntilExit()
        #expect(check.exit == 1)
        #expect(check.output.contains("clock skew: this machine's clock is 70 min behind the provider's"))
        #expect(check.errors.split(separator: "\n").count == 1)
        #expect(check.errors.contains("70 min behind"))
        #expect(offline.exit == 0 && !offline.output.contains("clock"))

        let unreached = try command.run("app", "check", "--json")
        #expect(unreached.exit == 0)
        let app = try #require(try json(unreached.output).array?.first)
        #expect(app["apns"]?["reached"] == false)
        #expect(app["apns"]?["unreached_reason"]?.string?.isEmpty == false)
    }

    @Test func `app check says which keys of message ids there are, and none of them`() throws {
        let process = try command.process(["simulator", "--folder", folder.path])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
        process.terminate()
        process.waitUntilExit()
        let apps = try String(contentsOfFile: folder.path + "/apps.yaml", encoding: .utf8)
        try folder.write("apps.yaml", apps + "    edge: {message_key_file: news.key}\n")
        let secret = String(repeating: "ab", count: 32)
        try folder.write("news.key", "4 \(secret)\n3 \(secret)\n")
        let check = try command.run("app", "check", "--offline")
        #expect(check.exit == 0 && check.output.contains("epoch 4, epoch 3 verifies"))
        #expect(!check.output.contains("abab"))
        let json = try json(try command.run("app", "check", "--offline", "--json").output)
        #expect(json.array?.first?["message_key_epochs"]?.array?.compactMap(\.integer) == [4, 3])
    }
}
