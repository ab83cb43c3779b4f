import Campaigns
import Foundation
import PrivateServers
import Store
import TLS
import Testing

@testable import DeviceEdge
@testable import Settings

/// Servers whose apps `news` and `shop` have an edge.
enum EdgeFixture {
    /// Returns the text of an app's key, whose hash is in the server's file.
    static func key(_ app: String, _ name: String = "one") -> String { "fik_\(app)-\(name)" }

    /// Returns a token of Apple's for each number.
    static func token(_ number: Int) -> String { String(repeating: "ab", count: 31) + String(format: "%02x", number) }

    /// Writes apps with a key each; `more` goes into the edge block of `news`.
    static func write(_ folder: String, more: String = "", files: [String: String] = [:]) throws {
        try Data(try ES256.generateKey().privateKeyPEM).write(to: URL(fileURLWithPath: folder + "/key.p8"))
        for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
        for app in ["news", "shop"] { try add(app, "one", folder) }
        try apps(folder, more: more)
    }

    /// Adds a key to an app.
    static func add(_ app: String, _ name: String, _ folder: String) throws {
        try IntegrationKeysFile.add(
            IntegrationKey(name: name, hash: EdgeSecret.hash(key(app, name)), createdAt: "2026-11-20T21:05:00Z"),
            path: "\(folder)/\(app).keys"
        )
    }

    static func apps(_ folder: String, more: String) throws {
        let blocks = ["news", "shop"].map { app in
            """
              \(app):
                apns: {topic: com.example.\(app), team_id: ABCDE12345, key_id: 1234567890, key_file: key.p8}
                edge: {integration_keys_file: \(app).keys\(app == "news" ? more : "")}

            """
        }
        let quiet = "  quiet:\n    apns: {topic: a.b, team_id: ABCDE12345, key_id: 1234567890, key_file: key.p8}\n"
        try ("apps:\n" + blocks.joined() + quiet)
            .write(toFile: folder + "/apps.yaml", atomically: true, encoding: .utf8)
    }

    /// Runs a test on a server with these apps; for HTTP/2 the edge has its own address.
    static func with(
        http: EdgeHTTP = .one,
        more: String = "",
        files: [String: String] = [:],
        tokens: [AccessToken]? = nil,
        settings: [String: String] = [:],
        _ body: (PrivateServer) async throws -> Void
    ) async throws {
        let own = http == .two ? ["FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:0"] : [:]
        try await PrivateServer.with(
            tokens: tokens,
            settings: settings.merging(own) { $1 },
            prepare: { try write($0, more: more, files: files) }
        ) { server in
            var server = server
            server.edgeHTTP = http
            try await body(server)
        }
    }
}

extension PrivateServer {
    /// Sends a registration as an app does; `members` are further members of its JSON body.
    func register(
        _ id: String,
        key: String?,
        token: Int? = 1,
        _ members: String = "",
        headers: [String] = []
    ) async throws -> Reply {
        let said = [token.map { #""token": "\#(EdgeFixture.token($0))""# }, members.isEmpty ? nil : members]
        let body = "{\(said.compactMap(\.self).joined(separator: ", "))}"
        return try await ask("PUT", "/v1/devices/\(id)", token: key, headers: headers, body: body, atEdge: true)
    }

    /// Registers a new device and returns its secret.
    func secret(_ id: String, app: String = "news", token: Int = 1) async throws -> String {
        let reply = try await register(id, key: EdgeFixture.key(app), token: token)
        return try #require(reply.json?["device_secret"]?.string, "\(reply.text)")
    }

    func device(_ id: String, app: String = "news") async throws -> RegisteredDevice? {
        try await ledger.read { try $0.device(app: app, installation: id) }
    }
}

extension PrivateServer.Reply {
    /// The status word of an edge's answer.
    var word: String? { json?["status"]?.string }
    var pointer: String? { json?["pointer"]?.string }
    var reason: String { json?["reason"]?.string ?? "" }
}
