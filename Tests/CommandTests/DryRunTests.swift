import Campaigns
import Foundation
import Store
import Testing

/// Tests of `--dry-run` on the commands that change something.
@Suite struct DryRunTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path, environment: ["FANFARE_AMQP_URL": "amqp://127.0.0.1:1"])
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    @Test(arguments: [("pause", "paused"), ("cancel", "cancelled"), ("set", "at most 7 a second")])
    func `an order to a campaign tells what it would come to, and changes nothing`(
        _ verb: String,
        _ word: String
    ) async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        try await ledger.acceptThree("derby")
        let arguments = ["campaign", verb, "derby", "--dry-run"] + (verb == "set" ? ["--per-second", "7"] : [])
        let told = try command.run(arguments)
        #expect(told.exit == 0 && told.output.contains("would be") && told.output.contains(word), "\(told)")
        let document = try json(command.run(arguments + ["--json"]).output)
        #expect(document["dry_run"] == .bool(true) && document["id"]?.string == "derby")
        let events = try command.run("campaign", "events", "derby", "--json").output.split(separator: "\n")
        #expect(events.count == 1, "\(events)")
        // The order itself is one more.
        #expect(try command.run(arguments.filter { $0 != "--dry-run" }).exit == 0)
        #expect(try command.run("campaign", "events", "derby", "--json").output.split(separator: "\n").count > 1)
        await ledger.close()
    }

    @Test func `an order that would be refused is refused with the same code`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        try await ledger.acceptThree("derby")
        let refused = try command.run("campaign", "fire", "derby")
        #expect(refused.exit != 0)
        let tried = try command.run("campaign", "fire", "derby", "--dry-run")
        #expect(tried.exit == refused.exit && tried.errors == refused.errors)
        await ledger.close()
    }

    @Test func `pause and resume of an app are tried without a trace`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        try await ledger.acceptThree("derby")
        let pause = try command.run("pause", "--app", "news", "--dry-run")
        #expect(pause.exit == 0 && pause.output.contains("would be paused"), "\(pause)")
        #expect(try await ledger.read { try $0.pauses() }.isEmpty)
        #expect(try command.run("pause", "--app", "news").exit == 0)
        let resume = try command.run("resume", "--dry-run")
        #expect(resume.exit == 0 && resume.output.contains("would go on"), "\(resume)")
        #expect(try await ledger.read { try $0.pauses() }.count == 1)
        await ledger.close()
    }

    @Test func `a list is read and counted, and not written`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let token = String(repeating: "ab", count: 32)
        try Data("token\n\(token)\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/fans.csv"))
        let put = try command.run("list", "put", "fans", "fans.csv", "--app", "news", "--dry-run")
        #expect(put.exit == 0 && put.output.contains("1 device, nothing written"), "\(put)")
        #expect(try await ledger.read { try $0.lists(app: nil) }.isEmpty)
        await ledger.close()
    }

    @Test func `a backup is checked, and the ledger stays`() async throws {
        let path = folder.path + "/fanfare.db"
        let ledger = try Ledger.open(path: path, create: true)
        try await ledger.acceptThree("derby")
        #expect(try command.run("store", "backup", "copy.db").exit == 0)
        try await ledger.acceptThree("sale")
        let tried = try command.run("store", "restore", "copy.db", "--dry-run")
        #expect(tried.exit == 0 && tried.output.contains("would be restored from copy.db"), "\(tried)")
        #expect(try command.run("campaign", "status", "sale").exit == 0)
        await ledger.close()
        try Data("no ledger".utf8).write(to: URL(fileURLWithPath: folder.path + "/broken.db"))
        #expect(try command.run("store", "restore", "broken.db", "--dry-run").exit == 1)
    }

    @Test func `a token of the API is not made`() throws {
        let environment = ["FANFARE_SERVER_TOKENS_FILE": folder.path + "/tokens.yaml"]
        let command = Command(folder: folder.path, environment: environment)
        let made = try command.run("server", "token", "create", "--name", "ana", "--role", "viewer", "--dry-run")
        #expect(made.exit == 0 && made.output.contains("would gain the token ana"), "\(made)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/tokens.yaml"))
    }
}
