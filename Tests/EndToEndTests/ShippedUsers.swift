import Campaigns
import Foundation
import Servers
import Testing
import Transport

/// The users of `Deploy/rabbitmq/definitions.json` on the tests' broker, with passwords.
enum ShippedUsers {
    /// The password, which must be in no log and no output.
    static let password = "sesame-\(UInt32.random(in: 1_000_000 ... .max))"
    static let names = [
        "fanfare-admin", "fanfare-edge", "fanfare-observer", "fanfare-producer", "fanfare-server", "fanfare-worker",
    ]

    private static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Deploy/rabbitmq/definitions.json")

    /// Returns the users that could log in before they had a password, after the import; checked once for all tests.
    static func prepare() async throws -> [String] { try await once.value }

    private static let once = Task { () async throws -> [String] in
        let node = try await PrivateBroker.node()
        let text = try String(contentsOf: file, encoding: .utf8)
        try await PrivateBroker.manage("POST", "/api/definitions", body: text)
        var open: [String] = []
        for name in names {
            var login = try AMQPEndpoint(parsing: node.url)
            (login.user, login.password) = (name, "")
            do {
                await (try AMQPClient.connect(login, name: "test", on: PrivateBroker.loop)).close()
                open.append(name)
            } catch let error as AMQPConnectError where error.kind == .wrongPassword {
                continue
            }
        }
        // The steps that the page on security requires after the import.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { try await node.rabbitmqctl("change_password", name, password) } }
            try await group.waitForAll()
        }
        return open
    }

    /// Grants them in another virtual host the permissions that the file grants in `/`.
    static func grant(in virtualHost: String) async throws {
        let definitions = try #require(JSONReader.read(Array(try Data(contentsOf: file))).value)
        for (part, path) in [("permissions", "permissions"), ("topic_permissions", "topic-permissions")] {
            for entry in try #require(definitions[part]?.array) {
                let user = try #require(entry["user"]?.string)
                let rest = (entry.members ?? []).filter { $0.name != "user" && $0.name != "vhost" }
                let body = JSONValue.object(rest).text
                try await PrivateBroker.manage("PUT", "/api/\(path)/\(virtualHost)/\(user)", body: body)
            }
        }
    }

    static func url(_ user: String, _ endpoint: AMQPEndpoint) -> String {
        let path = endpoint.virtualHost == "/" ? "" : "/\(endpoint.virtualHost)"
        return "amqp://\(user):\(password)@\(endpoint.hosts[0])\(path)"
    }
}

extension PrivateFleet {
    /// Makes everything that is started from now on use this user.
    func become(_ user: String) async throws {
        let node = try await PrivateBroker.node()
        try configure(url: ShippedUsers.url(user, endpoint), managementPort: node.managementPort)
    }

    /// Runs a command as one of the users.
    func run(as user: String, _ arguments: String...) async throws -> FanfareProcess.Outcome {
        try await FanfareProcess.run(
            arguments + ["--config", "fanfare.yaml"],
            folder: folder,
            environment: ["FANFARE_AMQP_URL": ShippedUsers.url(user, endpoint)]
        )
    }
}
