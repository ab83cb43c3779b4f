import Campaigns
import Foundation
import Store
import Testing

/// `campaign send` as far as it goes without a broker: all faults of a job are reported at once.
@Suite struct SendCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    private static let refusals: [(name: String, job: String, pointer: String, code: String)] = [
        (
            "an unknown field", Jobs.text(delivery: #"{"ttl": 60, "expire_at": 1}"#), "/delivery/expire_at",
            "unknown_field"
        ),
        (
            "a bad token", Jobs.text(audience: #"{"devices": [{"token": "abc"}]}"#), "/audience/devices/0/token",
            "format"
        ),
        (
            "a collapse id of 65 bytes",
            Jobs.text(delivery: #"{"ttl": 60, "collapse_id": "\#(String(repeating: "c", count: 65))"}"#),
            "/delivery/collapse_id", "length"
        ),
        (
            "a payload of 4,097 bytes", Jobs.text(content: Jobs.content(payloadBytes: 4097)), "/content",
            "payload_too_large"
        ),
        (
            "a past expiry", Jobs.text(delivery: #"{"expires_at": "2020-01-01T00:00:00Z"}"#), "/delivery/expires_at",
            "expired"
        ),
        ("an empty audience", Jobs.text(audience: "{}"), "/audience", "empty"),
        ("no device", Jobs.text(audience: #"{"devices": []}"#), "/audience/devices", "empty"),
    ]

    @Test(arguments: refusals.indices)
    func `a job that cannot be sent ends with 65 and the pointer, checked or sent`(index: Int) throws {
        let (name, text, pointer, code) = Self.refusals[index]
        try folder.write("job.json", text)
        for arguments in [["--dry-run"], []] {
            let told = try command.run(["campaign", "send", "job.json"] + arguments)
            #expect(told.exit == 65, "\(name)")
            #expect(told.output.isEmpty)
            let lines = told.errors.split(separator: "\n")
            #expect(lines.first == "fanfare: The job cannot be sent (derby)", "\(name)")
            let problem = #/fanfare: job\.json:\d+:\d+: (\S+): .+/#
            let pointers = lines.dropFirst().compactMap { $0.wholeMatch(of: problem).map { String($0.1) } }
            #expect(pointers == [pointer], "\(name): \(told.errors)")

            let document = try json(command.run(["campaign", "send", "job.json", "--json"] + arguments).errors)
            #expect(document["type"]?.string == "urn:fanfare:problem:invalid-job")
            #expect(document["status"]?.integer == 422)
            #expect(document["campaign"]?.string == "derby")
            #expect(document["errors"]?.array?.compactMap { $0["pointer"]?.string } == [pointer], "\(name)")
            #expect(document["errors"]?.array?.compactMap { $0["code"]?.string } == [code], "\(name)")
        }
        #expect(try folder.files() == ["job.json"])
    }

    @Test func `a payload of 4,096 bytes can be sent`() throws {
        try folder.write("job.json", Jobs.text(content: Jobs.content(payloadBytes: 4096)))
        #expect(try command.run("campaign", "send", "job.json", "--dry-run").exit == 0)
    }

    @Test func `all problems are told at once, each with its line`() throws {
        try folder.write(
            "job.json",
            """
            {
              "id": "derby",
              "app": "news",
              "content": {"title": "Kick-off", "colour": "red"},
              "audience": {"devices": [
                {"token": "\(Jobs.token)"},
                {"token": "abc"}
              ]},
              "delivery": {"expire_at": "2026-11-20T21:05:00Z", "push_type": "loud"}
            }
            """
        )
        let told = try command.run("campaign", "send", "job.json", "--dry-run")
        #expect(told.exit == 65)
        let locations = told.errors.split(separator: "\n").dropFirst().map {
            $0.split(separator: ": ").prefix(3).joined(separator: " ")
        }
        #expect(
            Set(locations) == [
                "fanfare job.json:4:46 /content/colour", "fanfare job.json:7:15 /audience/devices/1/token",
                "fanfare job.json:9:29 /delivery/expire_at", "fanfare job.json:9:66 /delivery/push_type",
            ]
        )
    }

    @Test func `a text that is no JSON is told with its place, from standard input too`() throws {
        let told = try command.run(["campaign", "send", "-"], input: "{\"id\": \"derby\",\n  oops}")
        #expect(told.exit == 65)
        #expect(told.errors.contains("fanfare: standard input:2:3: "))
    }

    @Test func `a job that can be sent is told so, without store and broker`() throws {
        try folder.write("job.json", Jobs.text())
        let told = try command.run("campaign", "send", "job.json", "--dry-run")
        #expect(told.exit == 0)
        #expect(told.output == "news/derby is a job that can be sent: 1 device\n")
        let document = try json(command.run("campaign", "send", "job.json", "--dry-run", "--json").output)
        #expect(document["verdict"]?.string == "valid")
        #expect(document["warnings"]?.array?.isEmpty == true)
    }

    @Test func `devices that would expire before their turn are warned of, and the last one's time is told`() throws {
        let tokens = (0..<3).map { #"{"token": "\#(String(repeating: "0\($0)", count: 32))"}"# }
        let audience = #"{"devices": [\#(tokens.joined(separator: ", "))]}"#
        let delivery = #"{"ttl": 2, "per_second": 1, "hold": true}"#
        try folder.write("job.json", Jobs.text(audience: audience, delivery: delivery))
        let told = try command.run("campaign", "send", "job.json", "--dry-run")
        #expect(told.exit == 0)
        let warning = "3 devices at 1/s take 3 s; the end leaves 2 s: about 1 would expire"
        #expect(told.errors.contains(warning), "\(told.errors)")
        let lines = told.output.split(separator: "\n").dropFirst()
        #expect(lines.first == "apns: 3 devices in about 3 s: per_second, 1/s", "\(told.output)")
        let last = "the last device is likely reached 3 s after fire (3 s to 3 s)"
        #expect(lines.last?.hasPrefix(last) == true, "\(told.output)")
        let document = try json(command.run("campaign", "send", "job.json", "--dry-run", "--json").output)
        #expect(document["warnings"]?.array?.compactMap { $0["code"]?.string } == ["too_slow"])
        #expect(document["forecast"]?["expiring"]?.integer == 1)
        // A list is not looked up, and nothing is foreseen.
        try folder.write("list.json", Jobs.text(audience: #"{"list": "fans"}"#))
        let list = try json(command.run("campaign", "send", "list.json", "--dry-run", "--json").output)
        #expect(list["forecast"] == .null)
    }

    @Test func `warnings are told on standard error, or in the document`() throws {
        let twice = #"{"devices": [{"token": "\#(Jobs.token)"}, {"token": "\#(Jobs.token)"}]}"#
        try folder.write("job.json", Jobs.text(audience: twice))
        let told = try command.run("campaign", "send", "job.json", "--dry-run")
        #expect(told.exit == 0)
        #expect(told.errors.hasPrefix("fanfare: warning: job.json:"))
        #expect(told.errors.contains("/audience/devices: 1 of 2 devices are repeats"))
        let document = try json(command.run("campaign", "send", "job.json", "--dry-run", "--json").output)
        #expect(document["warnings"]?.array?.first?["code"]?.string == "duplicate_device")
    }

    @Test func `an audience file is checked with the job and nothing of it is kept`() throws {
        try folder.write("job.json", Jobs.text(audience: nil))
        try folder.write("good.csv", "token,first\n\(Jobs.token),Ana\n\(Jobs.token.uppercased()),Ana\n")
        let told = try command.run("campaign", "send", "job.json", "--audience", "good.csv", "--dry-run")
        #expect(told.exit == 0)
        #expect(told.output.contains("1 device, 1 repeat left out"))
        try folder.write("bad.ndjson", "{\"token\": \"\(Jobs.token)\"}\n{\"token\": \"x\"}\n")
        let refused = try command.run("campaign", "send", "job.json", "--audience", "bad.ndjson", "--dry-run")
        #expect(refused.exit == 65)
        #expect(refused.errors.contains("fanfare: bad.ndjson:2:"))
        #expect(try folder.files().filter { $0.hasSuffix(".db") }.isEmpty)
    }

    @Test(arguments: [
        ["job.json", "--audience", "devices.csv"], ["none.json"], ["bare.json", "--audience", "none.csv"],
        ["bare.json", "--audience", "devices.txt"], ["bare.json", "--audience", "-"], ["job.json", "--timeout", "10m"],
        ["job.json", "--wait", "--timeout", "soon"], ["job.json", "--wait", "--dry-run"], ["."],
    ])
    func `a wrong call ends with 64`(arguments: [String]) throws {
        try folder.write("job.json", Jobs.text())
        try folder.write("bare.json", Jobs.text(audience: nil))
        try folder.write("devices.csv", "token\n\(Jobs.token)\n")
        try folder.write("devices.txt", "token\n\(Jobs.token)\n")
        let told = try command.run(["campaign", "send"] + arguments)
        #expect(told.exit == 64)
        #expect(!told.errors.isEmpty && told.output.isEmpty)
    }

    @Test func `without a ledger it ends with 69, names the path and creates nothing`() throws {
        try folder.write("job.json", Jobs.text())
        let told = try command.run("campaign", "send", "job.json")
        #expect(told.exit == 69)
        #expect(told.errors.contains(folder.path + "/fanfare.db"))
        #expect(try folder.files() == ["job.json"])
    }

    @Test func `without a broker it ends with 69 and uploads nothing`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        try folder.write("job.json", Jobs.text(audience: nil))
        try folder.write("devices.csv", "token\n\(Jobs.token)\n")
        let arguments = ["campaign", "send", "job.json", "--audience", "devices.csv", "--amqp", "amqp://127.0.0.1:1"]
        let told = try command.run(arguments)
        #expect(told.exit == 69)
        #expect(told.errors.split(separator: "\n").count == 1 && told.errors.contains("127.0.0.1:1"))
        #expect(try await ledger.read { try $0.lists(app: nil) }.isEmpty)
        await ledger.close()
    }

    @Test func `a list that the ledger does not have is told before anything is published`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        await ledger.close()
        try folder.write("job.json", Jobs.text(audience: #"{"list": "nobody"}"#))
        let document = try json(
            command.run("campaign", "send", "job.json", "--json", "--amqp", "amqp://127.0.0.1:1").errors
        )
        #expect(document["errors"]?.array?.compactMap { $0["pointer"]?.string } == ["/audience/list"])
        #expect(document["errors"]?.array?.compactMap { $0["code"]?.string } == ["unknown_list"])
    }
}
