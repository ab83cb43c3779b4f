import Campaigns
import Delivery
import Operations
import Store
import Testing

@Suite struct ListPutCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func `devices that occur twice are taken once, over all pieces of a file`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let once = (0..<12_000).map { "\(token($0)),user-\($0)" }
        let lines = ["token,id"] + once + ["\(token(0xABC).uppercased()),again", "\(token(11_999)),again"]
        try folder.write("devices.csv", lines.joined(separator: "\n"))
        let put = try json(command.run("list", "put", "sport", "devices.csv", "--app", "news", "--json").output)
        #expect(put["devices"]?.integer == 12_000)
        #expect(put["duplicates"]?.integer == 2)
        #expect(put["existing"] == false)
        let list = try #require(try await ledger.read { try $0.lists(app: "news") }.first)
        #expect(list.version == put["version"]?.string)
        #expect(list.devices == 12_000 && list.duplicates == 2 && list.chunks == 24)
        await ledger.close()
    }

    @Test func `an upload that was cut goes on under its id, and writes no chunk twice`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        // More chunks than one transaction writes: the first 100 are in the ledger when the client is cut.
        let lines = (0..<80_000).map { "\(token($0)),user-\($0)" }
        try folder.write("devices.csv", (["token,id"] + lines).joined(separator: "\n"))
        let cut = try AudienceStream(.csv, app: "news", list: "sport", id: "up-1", to: ledger)
        try await cut.take(Array((["token,id"] + lines.prefix(60_000)).joined(separator: "\n").utf8))
        try await cut.abandon()
        let before = try #require(try await ledger.read { try $0.upload("up-1", app: "news") })
        #expect(before.standing == .underWay && before.mark.chunks == 100)
        #expect(try await ledger.read { try $0.lists(app: "news") }.isEmpty)

        let arguments = ["list", "put", "sport", "devices.csv", "--app", "news", "--upload", "up-1"]
        let told = try command.run(arguments)
        #expect(told.exit == 0 && told.errors.contains("the ledger has 100 chunks of it"))
        let list = try #require(try await ledger.read { try $0.lists(app: "news") }.first)
        #expect(list.number == before.list && list.devices == 80_000 && list.chunks == 160)
        // The same devices without a cut are the same version.
        let whole = try json(command.run("list", "put", "other", "devices.csv", "--app", "news", "--json").output)
        #expect(whole["version"]?.string == list.version)
        // Once more under the id: it is complete, and nothing is added.
        let again = try json(command.run(arguments + ["--json"]).output)
        #expect(again["existing"] == true && again["upload"]?.string == "up-1")
        #expect(again["version"]?.string == list.version)
        await ledger.close()
    }

    @Test func `another file cannot go on with an upload`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let cut = try AudienceStream(.csv, app: "news", list: "sport", id: "up-1", to: ledger)
        try await cut.take(Array((["token"] + (0..<60_000).map(token)).joined(separator: "\n").utf8))
        try await cut.abandon()
        let others = (1..<70_000).map(token)
        try folder.write("others.csv", (["token"] + others).joined(separator: "\n"))
        try folder.write("short.csv", (["token"] + (0..<600).map(token)).joined(separator: "\n"))
        for name in ["others.csv", "short.csv"] {
            let told = try command.run("list", "put", "sport", name, "--app", "news", "--upload", "up-1")
            #expect(told.exit != 0 && told.errors.contains("The upload up-1 began with other devices"))
        }
        let told = try command.run("list", "put", "fans", "others.csv", "--app", "news", "--upload", "up-1")
        #expect(told.errors.contains("The upload up-1 is of the list sport"))
        let record = try await ledger.read { try $0.upload("up-1", app: "news") }
        #expect(record?.standing == .underWay && record?.mark.chunks == 100)
        await ledger.close()
    }

    @Test func `the same devices are the same version, whatever the file's form`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        try folder.write("devices.csv", "token,id\n\(token(1)),a\n\(token(2)),b\n")
        try folder.write(
            "devices.ndjson",
            "{\"token\":\"\(token(1))\",\"id\":\"a\"}\n{\"token\":\"\(token(2))\",\"id\":\"b\"}"
        )
        let first = try command.run("list", "put", "sport", "devices.csv", "--app", "news")
        #expect(first.exit == 0 && first.output.hasPrefix("news/sport@") && first.output.hasSuffix(": 2 devices\n"))
        let arguments = ["list", "put", "sport", "-", "--app", "news", "--format", "ndjson", "--json"]
        let text = "{\"token\":\"\(token(1))\",\"id\":\"a\"}\n{\"token\":\"\(token(2))\",\"id\":\"b\"}"
        let second = try json(command.run(arguments, input: text).output)
        #expect(second["existing"] == true)
        #expect(first.output.contains("@" + (second["version"]?.string ?? "?")))
        let third = try command.run("list", "put", "sport", "devices.ndjson", "--app", "news")
        #expect(third.output.contains("a version that existed already"))
        #expect(try await ledger.read { try $0.lists(app: "news") }.count == 1)
        await ledger.close()
    }

    @Test func `a file with bad lines is refused whole, with their numbers`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        // More valid lines than fit into one transaction precede the first bad one.
        let good = (0..<60_000).map(token)
        let bad = (0..<150).map { "bad\($0)" }
        try folder.write("devices.csv", (["token"] + good + bad).joined(separator: "\n"))
        let told = try command.run("list", "put", "sport", "devices.csv", "--app", "news")
        #expect(told.exit == 65 && told.output.isEmpty)
        // What takes longer than a second says how far it is, whatever comes of it.
        let lines = told.errors.split(separator: "\n").filter { !$0.hasPrefix("so far: ") }
        #expect(lines.first == "fanfare: devices.csv cannot be used: 150 problems, nothing of it was kept")
        #expect(lines.dropFirst().first?.hasPrefix("fanfare: devices.csv:60002:1: ") == true)
        #expect(lines.last == "fanfare: 50 more problems are not listed")
        #expect(lines.count == 102)
        let document = try json(command.run("list", "put", "sport", "devices.csv", "--app", "news", "--json").errors)
        #expect(document["type"]?.string == "urn:fanfare:problem:invalid-audience")
        #expect(document["errors"]?.array?.count == 101)
        #expect(document["errors"]?.array?.first?["pointer"]?.string == "/60001")
        #expect(try await ledger.read { try $0.lists(app: nil) }.isEmpty)
        // Rows written before the bad line were given up: the workers' sweep finds and removes all of them.
        var removals = 0
        while try await ledger.write(.normal, { try $0.sweepLists(now: CommandTime.now) }) { removals += 1 }
        #expect(removals > 0)
        #expect(try command.run("list", "ls", "--json").output == "[]\n")
        await ledger.close()
    }

    @Test(arguments: [("empty.csv", ""), ("header.csv", "token,id\n"), ("empty.ndjson", "\n")])
    func `a file without a device is refused`(name: String, text: String) async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        await ledger.close()
        try folder.write(name, text)
        #expect(try command.run("list", "put", "sport", name, "--app", "news").exit == 65)
    }

    @Test func `without a ledger it ends with 69 and the path`() throws {
        try folder.write("devices.csv", "token\n\(token(1))\n")
        let told = try command.run("list", "put", "sport", "devices.csv", "--app", "news")
        #expect(told.exit == 69)
        #expect(told.errors.contains(folder.path + "/fanfare.db"))
    }

    @Test(arguments: [
        ["sport", "none.csv", "--app", "news"], ["sport", "devices.csv"], ["a b", "devices.csv", "--app", "news"],
        ["sport", "devices.csv", "--app", "a/b"], ["sport", "-", "--app", "news"],
        ["sport", "devices.csv", "--app", "news", "--format", "xml"],
        ["sport", "devices.csv", "--app", "news", "--upload", "a b"],
    ])
    func `a wrong call ends with 64`(arguments: [String]) async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        await ledger.close()
        try folder.write("devices.csv", "token\n\(token(1))\n")
        #expect(try command.run(["list", "put"] + arguments).exit == 64)
    }
}
