import Campaigns
import Store
import Testing

@Suite struct DeviceCommandTests {
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

    private func ledger() throws -> Ledger { try Ledger.open(path: folder.path + "/fanfare.db", create: true) }

    @Test func `import registers good lines and reports the others`() async throws {
        let ledger = try ledger()
        let lines = (0..<1_200).map { "\(token($0)),d\($0),user\($0 % 100),sport;x\($0 % 3)" }
        let bad = ["bad,d,u,t", "\(token(5000)),d5000,u,\(String(repeating: "t", count: 200))"]
        try folder.write("devices.csv", (["token,id,user,tags"] + lines + bad).joined(separator: "\n"))
        let dry = try command.run("device", "import", "devices.csv", "--app", "news", "--dry-run", "--json")
        #expect(try json(dry.output)["devices"]?.integer == 1_200)
        #expect(try await ledger.read { try $0.hasDevices(app: "news") } == false)
        let told = try command.run("device", "import", "devices.csv", "--app", "news", "--json")
        let summary = try json(told.output)
        #expect(told.exit == 1)
        #expect(summary["added"]?.integer == 1_200 && summary["refused"]?.integer == 2)
        #expect(summary["problems"]?.array?.first?["pointer"]?.string == "/1201")
        let again = try command.run("device", "import", "devices.csv", "--app", "news")
        #expect(again.output == "1,200 devices: 1,200 unchanged; 2 lines refused\n")
        #expect(again.errors.hasPrefix("fanfare: devices.csv:1202:1: "))
        let shown = try json(command.run("device", "show", "--user", "user7", "--app", "news", "--json").output)
        #expect(shown.array?.count == 12)
        await ledger.close()
    }

    @Test func `what is exported can be imported elsewhere`() async throws {
        let ledger = try ledger()
        let add = [
            "device", "add", "ana", "--app", "news", "--from", "-", "--user", "u", "--locale", "es-ES",
            "--tag", "sport", "--tag", "x", "--attribute", "level=5", "--app-version", "3.2", "--permission", "denied",
        ]
        #expect(try command.run(add, input: " \(token(1))\n").output == "news/ana: added\n")
        #expect(
            try command.run("device", "add", "ana", "--app", "news", "--untag", "x").output == "news/ana: updated\n"
        )
        let export = try command.run("device", "export", "--app", "news")
        #expect(
            export.output.hasPrefix("{\"id\":\"ana\",\"token\":\"\(token(1))\",\"provider\":\"apns\",\"user\":\"u\"")
        )
        try folder.write("all.ndjson", export.output)
        let copied = try command.run("device", "import", "all.ndjson", "--app", "shop")
        #expect(copied.output == "1 device: 1 added\n")
        let (one, two) = (
            try await ledger.read { try $0.device(app: "news", installation: "ana") },
            try await ledger.read { try $0.device(app: "shop", installation: "ana") }
        )
        #expect(one?.traits == two?.traits && one?.token == two?.token && one?.user == two?.user)
        #expect(one?.traits.tags == ["sport"] && one?.traits.permission == .denied)
        await ledger.close()
    }

    @Test func `forget asks for a word, and leaves a tombstone`() async throws {
        let ledger = try ledger()
        for number in 1...2 {
            let id = "d\(number)"
            _ = try command.run(
                ["device", "add", id, "--app", "news", "--from", "-", "--user", "ana"],
                input: token(number)
            )
        }
        #expect(try command.run("device", "forget", "d1", "--app", "news").exit == 64)
        let dry = try json(
            command.run("device", "forget", "--user", "ana", "--app", "news", "--dry-run", "--json").output
        )
        #expect(dry["forgotten"]?.array?.count == 2)
        let list = try await ledger.write { transaction in
            let list = try transaction.beginList(app: "news", name: "fans", now: CommandTime.now)
            var builder = ListBuilder()
            for number in 1...3 {
                let bytes = Array(repeating: UInt8(0), count: 31) + [UInt8(number)]
                _ = builder.add(Device(token: ""), token: bytes)
            }
            try transaction.appendChunks(builder.finish(), to: list, now: CommandTime.now)
            return try transaction.finishList(list, version: "v", duplicates: 0, now: CommandTime.now).number
        }
        let done = try json(command.run("device", "forget", "--user", "ana", "--app", "news", "--yes", "--json").output)
        #expect(done["list_places"]?.integer == 2)
        #expect(try await ledger.read { try $0.listChunks(list, after: -1) }.first?.optedOut == [0, 1])
        #expect(done["forgotten"]?.array?.count == 2 && done["bytes_gone_at"]?.string != nil)
        #expect(try command.run("device", "show", "--user", "ana", "--app", "news").exit == 1)
        let stone = try json(command.run("device", "show", "d1", "--app", "news", "--json").output).array?.first
        #expect(stone?["state"]?.string == "forgotten" && stone?["token"] == nil)
        try folder.write("old.csv", "token,id\n\(token(1)),d1\n")
        #expect(try command.run("device", "import", "old.csv", "--app", "news").output == "1 device: 1 forgotten\n")
        await ledger.close()
    }

    @Test func `what cannot be a device is refused with a reason`() async throws {
        let ledger = try ledger()
        let bad = try command.run(["device", "add", "x", "--app", "news", "--from", "-", "--json"], input: "abc")
        #expect(bad.exit == 65)
        #expect(try json(bad.errors)["errors"]?.array?.first?["pointer"]?.string == "/token")
        #expect(try command.run("device", "add", "x", "--app", "news").exit == 64)
        #expect(try command.run("device", "show", "--app", "news").exit == 64)
        #expect(try command.run("device", "show", "x", "--app", "news").exit == 1)
        await ledger.close()
    }
}
