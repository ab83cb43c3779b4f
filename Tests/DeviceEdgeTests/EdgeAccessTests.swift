import Foundation
import HTTPTypes
import Logging
import PrivateServers
import Servers
import Store
import Synchronization
import Testing

@testable import DeviceEdge
@testable import Settings
@testable import WebServing

/// Requests that the edge refuses.
@Suite struct EdgeAccessTests {
    private let key = EdgeFixture.key("news")

    @Test(arguments: EdgeHTTP.allCases)
    func `every route of the edge refuses a request without a key, in one form`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http, tokens: [TestTokens.token("ada", "admin")]) { server in
            for route in EdgeRoutes.all {
                var path = route.pattern.path.description
                for name in route.pattern.path.parameters { path = path.replacing("{\(name)}", with: "x") }
                let reply = try await server.ask(route.pattern.method.rawValue, path, atEdge: true)
                #expect(reply.status == 401 && reply.word == "integration_key_empty", "\(route.operation)")
                // An operator's token is not a key of the edge either.
                let other = try await server.ask(
                    route.pattern.method.rawValue,
                    path,
                    token: TestTokens.text("ada"),
                    atEdge: true
                )
                #expect(other.status == 403 && other.word == "integration_key_unknown", "\(route.operation)")
                if route.access == .device {
                    let early = try await server.ask(route.pattern.method.rawValue, path, token: key, atEdge: true)
                    #expect(early.status == 403 && early.reason.contains("own secret"), "\(route.operation)")
                }
            }
            let post = try await server.ask("POST", "/v1/devices/ana", token: key, atEdge: true)
            #expect(post.status == 405 && post.fields["allow"] == "PUT, DELETE")
            #expect(try await server.ask("GET", "/version", token: key).status == 401)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a secret of one app is nothing to another app, nor to another device`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            let secret = try await server.secret("ana")
            _ = try await server.secret("ana", app: "shop", token: 2)
            let other = try await server.register("ben", key: secret)
            #expect(other.status == 403 && other.word == "integration_key_unknown", "\(other.text)")
            // The secret determines the app: the same id of the other app is unchanged.
            #expect(try await server.register("ana", key: secret, token: 3).status == 200)
            let shop = try #require(try await server.device("ana", app: "shop"))
            #expect(shop.token?.last == 2)
            #expect(try await server.device("ben") == nil)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `an oversized, malformed or other body is refused, and nothing is stored`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            let large = #"{"token": "\#(String(repeating: "a", count: 70_000))"}"#
            let cases: [(body: String, type: String, status: Int)] = [
                (large, "application/json", 413), ("{", "application/json", 400), ("[1]", "application/json", 422),
                (#"{"token": "a", "token": "b"}"#, "application/json", 400), ("a=b", "text/plain", 415),
                (#"{"a": \#(String(repeating: "[", count: 50))"#, "application/json", 400),
            ]
            for (body, type, status) in cases {
                let reply = try await server.ask(
                    "PUT",
                    "/v1/devices/ana",
                    token: key,
                    body: body,
                    type: type,
                    atEdge: true
                )
                #expect(reply.status == status && reply.word == "unexpected_error", "\(reply.text)")
            }
            let long = String(repeating: "x", count: 20_000)
            let reply = try await server.register("ana", key: key, headers: ["X-Long: \(long)"])
            #expect(reply.status == 431 && reply.word == "unexpected_error", "\(reply.text)")
            let query = try await server.ask("PUT", "/v1/devices/ana?a=1", token: key, body: "{}", atEdge: true)
            #expect(query.status == 400, "\(query.text)")
            #expect(try await server.ledger.read { try $0.hasDevices(app: "news") } == false)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a device that asks too often is told when to come again, and others go on`(http: EdgeHTTP) async throws {
        let settings = ["FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "1"]
        try await EdgeFixture.with(http: http, settings: settings) { server in
            let secret = try await server.secret("ana")
            let other = try await server.secret("ben", token: 2)
            var last = try await server.register("ana", key: secret)
            for _ in 0..<20 where last.status == 200 { last = try await server.register("ana", key: secret) }
            #expect(last.status == 429 && last.word == "too_many_requests", "\(last.text)")
            #expect(last.fields["retry-after"].flatMap { Int($0) } == 1)
            #expect(try await server.register("ben", key: other, token: 2).status == 200)
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `who guesses keys is slowed down by address, and devices there go on`(http: EdgeHTTP) async throws {
        let settings = ["FANFARE_SERVER_EDGE_REGISTRATIONS_PER_SECOND": "1"]
        try await EdgeFixture.with(http: http, settings: settings) { server in
            let secret = try await server.secret("ana")
            var last = try await server.register("eve", key: "guess")
            for number in 0..<20 where last.status == 403 {
                last = try await server.register("eve", key: "guess\(number)")
            }
            #expect(last.status == 429 && last.word == "too_many_requests", "\(last.text)")
            #expect(try await server.register("ana", key: secret).status == 200)
        }
    }

    @Test func `keys are rotated and revoked while the server runs`() async throws {
        try await EdgeFixture.with { server in
            try EdgeFixture.add("news", "two", server.folder)
            #expect(try await server.register("a", key: EdgeFixture.key("news", "two")).status == 403)
            await server.server.reload()
            #expect(try await server.register("a", key: EdgeFixture.key("news", "two"), token: 1).status == 201)
            #expect(try await server.register("b", key: key, token: 2).status == 201)
            try IntegrationKeysFile.remove(named: "one", path: server.folder + "/news.keys")
            await server.server.reload()
            #expect(try await server.register("c", key: key, token: 3).word == "integration_key_unknown")
            #expect(try await server.register("c", key: EdgeFixture.key("news", "two"), token: 3).status == 201)
            // And without a signal, a little later.
            try EdgeFixture.add("news", "three", server.folder)
            try await eventually("the new file is seen") {
                try await server.register("d", key: EdgeFixture.key("news", "three"), token: 4).status == 201
            }
            // An unusable file changes nothing.
            try "keys: [{name: x}]".write(toFile: server.folder + "/news.keys", atomically: true, encoding: .utf8)
            await server.server.reload()
            #expect(try await server.register("e", key: EdgeFixture.key("news", "two"), token: 5).status == 201)
        }
    }

    @Test func `an edge with an address of its own is there and nothing else, and it is not at the API's`() async throws
    {
        try await EdgeFixture.with(settings: ["FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:0"]) { server in
            #expect(server.edgePort != nil && server.edgePort != server.port)
            #expect(try await server.register("ana", key: key).status == 201)
            let there = try await server.ask("GET", "/v1/apps/news/devices/ana")
            #expect(there.status == 200, "\(there.text)")
            let body = #"{"token": "\#(EdgeFixture.token(2))"}"#
            let api = try await server.ask("PUT", "/v1/devices/ben", token: key, body: body)
            #expect(api.status == 404 && api.problem == "not-found", "\(api.text)")
            for path in ["/v1/campaigns", "/v1/apps/news/devices/ana", "/metrics", "/readyz", "/openapi.json", "/"] {
                let reply = try await server.ask("GET", path, atEdge: true)
                #expect(reply.status == 404 && reply.word == "unexpected_error", "\(path): \(reply.text)")
            }
            #expect(try await server.ask("GET", "/livez", atEdge: true).text == "ok\n")
            let metrics = try await server.ask("GET", "/metrics").text
            #expect(metrics.contains(#"fanfare_http_requests_total{operation="registerDevice",status="201"} 1"#))
        }
    }

    @Test func `no key, secret, token or user token is in any log`() async throws {
        let log = Mutex<String>("")
        let handler = WrittenLog { line in log.withLock { $0 += line } }
        let files = ["users.json": UserTokenTests.emptyHandedKeys]
        let more = ", user_keys_file: users.json, require_user_token: true"
        try await PrivateServer.with(
            logger: Logger(label: "test") { _ in handler },
            prepare: { try EdgeFixture.write($0, more: more, files: files) }
        ) { server in
            let secret = try await server.secret("ana")
            let jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl"
            _ = try await server.register("ana", key: secret, #""user": "ana""#, headers: ["Fanfare-User: \(jwt)"])
            _ = try await server.register("ana", key: "stolen-key", token: 7)
            _ = try await server.ask("PUT", "/v1/devices/x", token: key, body: #"{"token": "xyzzy-token"}"#)
            _ = try await server.ask("DELETE", "/v1/devices/ana", token: secret)
            let text = log.withLock { $0 }
            #expect(text.contains("registerDevice") && text.contains("deregisterDevice"))
            for mark in [secret, key, EdgeFixture.token(1), EdgeFixture.token(7), jwt, "stolen-key", "xyzzy-token"] {
                #expect(!text.contains(mark), "\(mark)")
            }
        }
    }
}

/// A log handler that writes every line with all its metadata to a text.
struct WrittenLog: LogHandler {
    let write: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        write("\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)\n")
    }
}
