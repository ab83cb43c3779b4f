import Campaigns
import Foundation
import HTTPTypes
import PrivateServers
import Servers
import Store
import Testing

@testable import HTTPServer
@testable import Settings
@testable import WebServing

/// Authorization, tested by real requests.
@Suite struct AccessTests {
    /// Returns a path with a value for each parameter.
    private func path(_ route: Route<APIResponder>) -> String {
        var path = route.pattern.path.description
        for name in route.pattern.path.parameters { path = path.replacing("{\(name)}", with: "x") }
        return path
    }

    @Test func `no route but probes answers without a token, and nothing is told of what is not there`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ana", "viewer")]) { server in
            for route in APIRoutes.all {
                let reply = try await server.ask(route.pattern.method.rawValue, path(route))
                if route.access == .open {
                    #expect([200, 503].contains(reply.status), "\(route.operation)")
                } else {
                    #expect(reply.status == 401 && reply.problem == "unauthorized", "\(route.operation)")
                    #expect(reply.fields["www-authenticate"] == #"Bearer realm="fanfare""#)
                    #expect(reply.fields["content-type"] == "application/problem+json")
                }
            }
            #expect(APIRoutes.all.filter { $0.access == .open }.map(\.operation) == ["livez", "readyz"])
            #expect(try await server.ask("GET", "/nothing").status == 401)
            #expect(try await server.ask("DELETE", "/v1/campaigns").status == 401)
        }
    }

    @Test func `a viewer looks and does nothing else, and an app's token sees its app`() async throws {
        let tokens = [
            TestTokens.token("ana", "viewer"), TestTokens.token("ben", "operator", apps: ["shop"]),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            try await server.accept("derby")
            let (ana, ben) = (TestTokens.text("ana"), TestTokens.text("ben"))
            #expect(try await server.ask("GET", "/v1/campaigns/news/derby", token: ana).status == 200)
            let order = try await server.ask("POST", "/v1/campaigns/news/derby:pause", token: ana)
            #expect(order.status == 403 && order.problem == "forbidden")
            #expect(try await server.ask("GET", "/v1/campaigns/news/derby", token: ben).status == 404)
            #expect(try await server.ask("GET", "/v1/campaigns/derby", token: ben).status == 404)
            #expect(try await server.ask("GET", "/v1/campaigns", token: ben).json?["campaigns"]?.array == [])
            #expect(try await server.ask("POST", "/v1/campaigns/news/derby:pause", token: ben).status == 404)
            let found = try await server.ledger.read {
                try $0.status(app: "news", id: "derby", now: WallClock.now().asRead)
            }
            #expect(found != nil && found?.state != "paused")
        }
    }

    @Test func `of another tenant's app nothing is learnt: what is there answers as what is not`() async throws {
        let tokens = [
            TestTokens.token("ben", "operator", apps: ["shop"]),
            TestTokens.token("cleo", "operator", apps: ["shop", "blog"]),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            for app in ["news", "shop", "blog"] { try await server.accept("derby", app: app) }
            try await server.accept("secret", app: "news")
            let (ben, cleo) = (TestTokens.text("ben"), TestTokens.text("cleo"))
            for route in APIRoutes.all where route.pattern.path.parameters.contains("app") {
                func ask(_ app: String) async throws -> (Int, String) {
                    var path = route.pattern.path.description.replacing("{app}", with: app)
                    for name in route.pattern.path.parameters { path = path.replacing("{\(name)}", with: "secret") }
                    let body = route.pattern.method == .put || route.pattern.method == .post ? "{}" : nil
                    let reply = try await server.ask(route.pattern.method.rawValue, path, token: ben, body: body)
                    return (reply.status, reply.text.replacing(app, with: "APP"))
                }
                let (there, nowhere) = (try await ask("news"), try await ask("none"))
                #expect(there == nowhere && there.0 == 404, "\(route.operation): \(there)")
            }
            for (app, status) in [("news", 404), ("none", 404)] {
                for path in ["campaigns", "parked"] {
                    let reply = try await server.ask("GET", "/v1/\(path)?app=\(app)", token: ben)
                    #expect(reply.status == status, "\(path) \(reply.text)")
                }
            }
            // The id alone: another tenant's campaign neither answers nor makes one's own ambiguous.
            for id in ["secret", "nothing"] {
                let reply = try await server.ask("GET", "/v1/campaigns/\(id)", token: ben)
                #expect(reply.status == 404 && reply.text.replacing(id, with: "ID").contains("no campaign ID"))
            }
            let own = try await server.ask("GET", "/v1/campaigns/derby", token: ben)
            #expect(own.status == 200 && own.json?["app"] == "shop", "\(own.text)")
            let two = try await server.ask("GET", "/v1/campaigns/derby", token: cleo)
            #expect(two.text.contains("blog") && two.text.contains("shop") && !two.text.contains("news"), "\(two.text)")
            let job = try await server.ask(
                "POST",
                "/v1/campaigns",
                token: ben,
                body: #"{"app": "news", "id": "secret"}"#
            )
            #expect(job.status == 404 && job.text.contains("no app news"), "\(job.text)")
        }
    }

    @Test func `a token opens nothing from its end on`() async throws {
        let now = WallClock.now().asRead
        func token(_ name: String, _ end: Timestamp) -> AccessToken {
            AccessToken(
                name: name,
                hash: NewAccessToken.hash(TestTokens.text(name)),
                role: "viewer",
                apps: nil,
                expiresAt: end
            )
        }
        let tokens = [token("old", now), token("new", now.advanced(by: .seconds(600)))]
        try await PrivateServer.with(tokens: tokens) { server in
            let old = try await server.ask("GET", "/version", token: TestTokens.text("old"))
            let new = try await server.ask("GET", "/version", token: TestTokens.text("new"))
            #expect(old.status == 401 && new.status == 200)
        }
    }

    @Test func `tokens are read again, and a file that cannot be used changes nothing`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ana", "viewer")]) { server in
            let file = server.folder + "/tokens.yaml"
            try TokensFile.add(TestTokens.token("ben", "viewer"), path: file)
            // Without a signal: the server notices the file.
            try await eventually("ben is known") {
                try await server.ask("GET", "/version", token: TestTokens.text("ben")).status == 200
            }
            try "tokens: [{name: x}]".write(toFile: file, atomically: true, encoding: .utf8)
            await server.server.reload()
            #expect(try await server.ask("GET", "/version", token: TestTokens.text("ben")).status == 200)
        }
    }

    /// Kubernetes replaces a mounted secret by a link to another folder.
    @Test func `a file behind a link is noticed when the link leads to another`() async throws {
        try await PrivateServer.with(settings: ["FANFARE_SERVER_TOKENS_FILE": "tokens.yaml"]) { folder in
            let manager = FileManager.default
            for (version, name) in [("1", "ana"), ("2", "ben")] {
                try manager.createDirectory(atPath: "\(folder)/\(version)", withIntermediateDirectories: false)
                try TokensFile.add(TestTokens.token(name, "viewer"), path: "\(folder)/\(version)/tokens.yaml")
            }
            try manager.createSymbolicLink(atPath: folder + "/now", withDestinationPath: "1")
            try manager.createSymbolicLink(atPath: folder + "/tokens.yaml", withDestinationPath: "now/tokens.yaml")
        } _: { server in
            #expect(try await server.ask("GET", "/version", token: TestTokens.text("ben")).status == 401)
            try FileManager.default.removeItem(atPath: server.folder + "/now")
            try FileManager.default.createSymbolicLink(atPath: server.folder + "/now", withDestinationPath: "2")
            try await eventually("ben is known") {
                try await server.ask("GET", "/version", token: TestTokens.text("ben")).status == 200
            }
        }
    }

    @Test func `an address of their own has probes and metrics, and nothing else`() async throws {
        let tokens = [TestTokens.token("ana", "viewer")]
        let settings = ["FANFARE_SERVER_METRICS_LISTEN": "127.0.0.1:0"]
        try await PrivateServer.with(tokens: tokens, settings: settings) { server in
            let port = try #require(server.metricsPort)
            #expect(try await server.ask("GET", "/livez", port: port).status == 200)
            #expect(try await server.ask("GET", "/metrics", port: port).status == 401)
            let token = TestTokens.text("ana")
            #expect(try await server.ask("GET", "/metrics", token: token, port: port).status == 200)
            for path in ["/version", "/v1/campaigns", "/", "/openapi.json", "/metrics/x"] {
                #expect(try await server.ask("GET", path, token: token, port: port).status == 404, "\(path)")
            }
        }
    }

    @Test func `without tokens metrics are not opened to others either`() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await PrivateServer.with(settings: ["FANFARE_SERVER_METRICS_LISTEN": "0.0.0.0:0"]) { _ in }
        }
        #expect(error?.problems.first?.key == "server.tokens_file")
    }

    @Test func `without tokens only loopback is listened on`() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await PrivateServer.with(settings: ["FANFARE_SERVER_LISTEN": "0.0.0.0:0"]) { _ in }
        }
        #expect(error?.problems.first?.key == "server.tokens_file")
        #expect(error?.problems.first?.fix?.contains("fanfare server token create") == true)
    }

    @Test func `who asks too often is told when to come again`() async throws {
        try await PrivateServer.with(settings: ["FANFARE_SERVER_REQUESTS_PER_SECOND": "1"]) { server in
            var last = try await server.ask("GET", "/version")
            for _ in 0..<20 where last.status == 200 { last = try await server.ask("GET", "/version") }
            #expect(last.status == 429 && last.problem == "too-many-requests")
            #expect(last.fields["retry-after"].flatMap { Int($0) } == 1)
            #expect(try await server.ask("GET", "/livez").status == 200)
        }
    }
}

/// The file of access tokens.
@Suite struct TokensFileTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID()).yaml").path

    @Test func `a token is added to what is there, for its owner's eyes only`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (ana, ben) = (TestTokens.token("ana", "viewer", apps: ["news", "shop"]), TestTokens.token("ben", "admin"))
        try TokensFile.add(ana, path: path)
        try TokensFile.add(ben, path: path)
        #expect(try TokensFile.read(path: path) == [ana, ben])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: ConfigurationError.self) { try TokensFile.add(ana, path: path) }
    }

    @Test func `a token is taken out, and what a person wrote around it stays`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let end = Timestamp(milliseconds: 1_800_000_000_000)
        let ana = AccessToken(
            name: "ana",
            hash: NewAccessToken.hash("a"),
            role: "viewer",
            apps: ["news"],
            expiresAt: end
        )
        try "# ours\ntokens:\n".write(toFile: path, atomically: true, encoding: .utf8)
        let ben = TestTokens.token("ben", "admin")
        try TokensFile.add(ben, path: path)
        try TokensFile.add(ana, path: path)
        #expect(try TokensFile.read(path: path).map(\.expiresAt) == [nil, end])
        try TokensFile.remove(named: "ben", path: path, isDryRun: true)
        #expect(try TokensFile.read(path: path).count == 2)
        try TokensFile.remove(named: "ben", path: path)
        #expect(try TokensFile.read(path: path) == [ana])
        #expect(throws: ConfigurationError.self) { try TokensFile.remove(named: "ben", path: path) }
        try TokensFile.remove(named: "ana", path: path)
        #expect(try TokensFile.read(path: path) == [])
        try TokensFile.add(ben, path: path)
        #expect(try TokensFile.read(path: path) == [ben])
    }

    @Test func `a file that a person wrote is kept, and one that is no plain list is left alone`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let hash = String(repeating: "ab", count: 32)
        let text = "# ours\ntokens:\n- name: ana\n  hash: \(hash)\n  role: viewer\n  apps: [news]"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try TokensFile.add(TestTokens.token("ben", "admin"), path: path)
        #expect(try TokensFile.read(path: path).map(\.name) == ["ana", "ben"])
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(text + "\n- {name: \"ben\""))
        let flow = "tokens: [{name: ana, hash: \(hash), role: viewer, apps: all}]\n"
        try flow.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: ConfigurationError.self) { try TokensFile.add(TestTokens.token("ben", "admin"), path: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == flow)
    }

    @Test(arguments: [
        "tokens: {}", "tokens: [x]", "token: []", "tokens: [{name: a, role: viewer, apps: all}]",
        "tokens: [{name: a, hash: ab, role: viewer, apps: all}]",
        "tokens: [{name: a, hash: '\(String(repeating: "+f", count: 32))', role: viewer, apps: all}]",
        "tokens: [{name: a, hash: H, role: owner, apps: all}]", "tokens: [{name: a, hash: H, role: viewer, apps: []}]",
        "tokens: [{name: a, hash: H, role: viewer, apps: some}]",
        "tokens: [{name: a:b, hash: H, role: viewer, apps: all}]",
        "tokens: [{name: a, hash: H, role: viewer, apps: all, more: 1}]",
    ])
    func `what is no token is refused`(text: String) {
        let text = text.replacing("H", with: String(repeating: "0f", count: 32))
        #expect(throws: ConfigurationError.self) { try TokensFile.read(text: text, path: "tokens.yaml") }
    }
}
