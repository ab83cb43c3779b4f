import Campaigns
import Store
import Testing

@Suite struct LedgerCommandTests {
    private let folder: CommandFolder
    private let command: Command
    private let now = Timestamp(milliseconds: 1_795_204_510_000)

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    @Test(arguments: [
        ["campaign", "status", "derby"], ["campaign", "list"], ["campaign", "pause", "derby"],
        ["campaign", "cancel", "news/derby"], ["campaign", "outcomes", "derby"], ["list", "ls"], ["parked", "list"],
        ["parked", "show", "1"], ["status", "--amqp", "amqp://127.0.0.1:1"],
    ])
    func `without a ledger a command ends with 69, names the path and creates nothing`(arguments: [String]) throws {
        let outcome = try command.run(arguments)
        #expect(outcome.exit == 69)
        #expect((outcome.output + outcome.errors).contains(folder.path + "/fanfare.db"))
        #expect(try folder.files().filter { $0.hasSuffix(".db") }.isEmpty)
    }

    @Test func `an empty ledger lists nothing and knows no campaign`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        await ledger.close()
        for arguments in [["campaign", "list", "--json"], ["list", "ls", "--json"], ["parked", "list", "--json"]] {
            let outcome = try command.run(arguments)
            #expect(outcome.exit == 0)
            #expect(outcome.output == "[]\n")
        }
        for verb in ["status", "pause", "resume", "cancel", "outcomes"] {
            let outcome = try command.run("campaign", verb, "news/derby", "--json")
            #expect(outcome.exit == 1)
            #expect(try json(outcome.errors)["type"]?.string == "urn:fanfare:problem:not-found")
        }
        #expect(try command.run("campaign", "status", "/derby").exit == 64)
        #expect(try command.run("campaign", "outcomes", "derby", "--outcome", "lost").exit == 64)
    }

    @Test func `a parked message is listed and shown, its text harmless for a terminal`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let problem = Problem(pointer: "/delivery/expire_at", code: .unknownField, detail: "no such field")
        let message = ParkedMessage(
            queue: "fanfare.v1.campaigns",
            reason: "InvalidJob",
            errors: JSONValue.array([problem.json]).text,
            app: "news",
            body: Array("{\"a\": \"\u{1B}[2J\"}".utf8),
            headers: #"{"urgency":"urgent"}"#,
            at: now
        )
        let id = try await ledger.write(.synced) { try $0.park(message) }
        await ledger.close()

        let row = try #require(try json(command.run("parked", "list", "--json").output).array?.first)
        #expect(row["id"]?.string == String(id))
        #expect(row["errors"]?.array?.first?["pointer"]?.string == "/delivery/expire_at")
        let shown = try command.run("parked", "show", String(id))
        #expect(shown.exit == 0)
        #expect(shown.output.contains("/delivery/expire_at: no such field"))
        #expect(shown.output.contains("{\"a\": \"?[2J\"}"))
        let object = try json(try command.run("parked", "show", String(id), "--json").output)
        #expect(object["headers"]?["urgency"]?.string == "urgent")
        #expect(object["body"]?.string == "{\"a\": \"\u{1B}[2J\"}")
        #expect(try command.run("parked", "show", "4711").exit == 1)
    }
}
