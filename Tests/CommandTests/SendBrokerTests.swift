import Campaigns
import Foundation
import Servers
import Store
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `campaign send` with a real broker and no worker: the message in the queue, and the errors otherwise.
@Suite struct SendBrokerTests {
    private let folder: CommandFolder
    private let now = CommandTime.now

    private static let broker = SharedNode()

    init() throws {
        folder = try CommandFolder()
    }

    private func json(_ text: String) throws -> JSONValue {
        try #require(JSONReader.read(Array(text.utf8)).value)
    }

    /// Creates the test's own virtual host on the shared node, and a ledger.
    private func broker(_ name: String, topology: Bool = true) async throws -> (RabbitMQNode, Command, Ledger) {
        let node = try await Self.broker.node()
        try await node.addVirtualHost(name)
        let environment = [
            "FANFARE_AMQP_URL": "\(node.url)/\(name)",
            "FANFARE_AMQP_MANAGEMENT_URL": "http://127.0.0.1:\(node.managementPort)",
        ]
        let command = Command(folder: folder.path, environment: environment)
        if topology {
            let applied = try command.run("topology", "apply")
            try #require(applied.exit == 0, "\(applied.errors)")
        }
        return (node, command, try Ledger.open(path: folder.path + "/fanfare.db", create: true))
    }

    /// Takes the only message from a queue, as the management API shows it.
    private func message(_ node: RabbitMQNode, _ virtualHost: String, _ queue: String) async throws -> JSONValue {
        let url = "http://127.0.0.1:\(node.managementPort)/api/queues/\(virtualHost)/\(queue)/get"
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.setValue("Basic " + Data("guest:guest".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        request.httpBody = Data(#"{"count": 2, "ackmode": "ack_requeue_false", "encoding": "auto"}"#.utf8)
        let (data, _) = try await URLSession.shared.data(for: request)
        let messages = try #require(try json(String(decoding: data, as: UTF8.self)).array)
        #expect(messages.count == 1)
        return try #require(messages.first)
    }

    @Test func `the message is the job as it lies in the file, with all that the contract asks for`() async throws {
        let (node, command, ledger) = try await broker("send-plain")
        let text = Jobs.text(delivery: #"{ "ttl":600,  "urgency":"urgent" }"#)
        try folder.write("job.json", text)
        let told = try command.run("campaign", "send", "job.json")
        #expect(told.exit == 0)
        #expect(told.output.contains("news/derby is published; no worker has taken it yet: see fanfare status"))
        let message = try await message(node, "send-plain", "fanfare.v1.campaigns.urgent")
        #expect(message["payload"]?.string == text)
        #expect(message["exchange"]?.string == "fanfare.campaigns")
        #expect(message["routing_key"]?.string == "news")
        let properties = try #require(message["properties"])
        #expect(properties["content_type"]?.string == "application/json")
        #expect(properties["type"]?.string == "fanfare.campaign.v1")
        #expect(properties["message_id"]?.string == "derby")
        #expect(properties["delivery_mode"]?.integer == 2)
        #expect(properties["headers"]?["urgency"]?.string == "urgent")
        let timestamp = try #require(properties["timestamp"]?.integer)
        #expect((now.seconds...now.seconds + 600).contains(timestamp))
        await ledger.close()
    }

    @Test func `an audience file becomes a list, and the job names its version`() async throws {
        let (node, command, ledger) = try await broker("send-list")
        try folder.write("job.json", Jobs.text(audience: nil))
        try folder.write("devices.csv", "token,first\n\(Jobs.token),Ana\n\(Jobs.token),Bo\n")
        let arguments = ["campaign", "send", "job.json", "--audience", "devices.csv", "--json"]
        let document = try json(command.run(arguments).output)
        #expect(document["verdict"]?.string == "pending")
        #expect(document["list"]?["duplicates"]?.integer == 1)
        #expect(document["forecast"]?["providers"]?.array?.first?["devices"]?.integer == 1)
        let list = try #require(try await ledger.read { try $0.lists(app: "news") }.first)
        #expect(list.name == "derby" && list.devices == 1)
        let payload = try #require(try await message(node, "send-list", "fanfare.v1.campaigns")["payload"]?.string)
        #expect(try json(payload)["audience"]?["list"]?.string == "derby@\(list.version)")
        await ledger.close()
    }

    @Test func `a verdict that does not come in the time of --wait ends with 75`() async throws {
        let (_, command, ledger) = try await broker("send-wait")
        try folder.write("job.json", Jobs.text())
        let told = try command.run("campaign", "send", "job.json", "--wait", "--timeout", "1ms", "--json")
        #expect(told.exit == 75)
        #expect(try json(told.errors)["type"]?.string == "urn:fanfare:problem:timeout")
        await ledger.close()
    }

    @Test func `an exchange or a queue that is missing is one line that says what to run`() async throws {
        let (node, command, ledger) = try await broker("send-bare", topology: false)
        try folder.write("job.json", Jobs.text())
        let bare = try command.run("campaign", "send", "job.json")
        #expect(bare.exit == 69)
        #expect(bare.errors == "fanfare: the broker has no exchange fanfare.campaigns: run fanfare topology apply\n")
        #expect(try command.run("topology", "apply").exit == 0)
        try await node.rabbitmqctl("delete_queue", "-p", "send-bare", "fanfare.v1.campaigns")
        let returned = try command.run("campaign", "send", "job.json")
        #expect(returned.exit == 69)
        #expect(returned.errors.split(separator: "\n").count == 1)
        #expect(returned.errors.contains("no queue for campaigns") && returned.errors.contains("topology apply"))
        await ledger.close()
    }

    @Test func `an app that the user may not send for ends with 77`() async throws {
        let (node, command, ledger) = try await broker("send-foreign")
        try await node.rabbitmqctl(
            "set_topic_permissions",
            "-p",
            "send-foreign",
            "guest",
            "fanfare.campaigns",
            "^sport$",
            ".*"
        )
        try folder.write("job.json", Jobs.text())
        let told = try command.run("campaign", "send", "job.json")
        #expect(told.exit == 77)
        #expect(told.errors.split(separator: "\n").count == 1 && told.errors.contains("news"))
        await ledger.close()
    }

    @Test func `a full queue says so, and no campaign is lost in silence`() async throws {
        let (node, command, ledger) = try await broker("send-full")
        let policy = #"{"max-length":1,"overflow":"reject-publish"}"#
        let pattern = #"^fanfare\.v1\.campaigns$"#
        try await node.rabbitmqctl("set_policy", "-p", "send-full", "full", pattern, policy, "--priority", "200")
        var last = Command.Outcome(exit: 0, output: "", errors: "")
        // A quorum queue takes a little more than its limit before it refuses.
        for number in 0..<10 where last.exit == 0 {
            try folder.write("job.json", Jobs.text(id: "full-\(number)"))
            last = try command.run("campaign", "send", "job.json")
        }
        #expect(last.exit == 69)
        #expect(last.errors.contains("full") && last.errors.split(separator: "\n").count == 1)
        await ledger.close()
    }
}
