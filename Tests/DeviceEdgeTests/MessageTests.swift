import Foundation
import PrivateServers
import Testing

@testable import DeviceEdge

/// Contents as phones fetch them, by curl.
@Suite struct MessageTests {
    private static let text = "<h1>Olé</h1>"

    private func put(_ server: PrivateServer, _ id: String = "c-81", app: String = "news") async throws {
        let path = "/v1/apps/\(app)/contents/\(id)"
        let answer = try await server.ask("PUT", path, body: Self.text, type: "text/html; charset=utf-8")
        try #require(answer.status == 201, "\(answer.text)")
    }

    private func get(
        _ server: PrivateServer,
        _ secret: String?,
        _ id: String = "c-81",
        method: String = "GET",
        headers: [String] = []
    ) async throws -> PrivateServer.Reply {
        try await server.ask(method, "/v1/messages/\(id)", token: secret, headers: headers, atEdge: true)
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a registered device gets the content, in parts, and only once`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            try await put(server)
            let secret = try await server.secret("ana")
            let whole = try await get(server, secret)
            #expect(whole.status == 200 && whole.text == Self.text, "\(whole.text)")
            #expect(whole.fields["content-type"] == "text/html; charset=utf-8")
            #expect(whole.fields["x-content-type-options"] == "nosniff")
            #expect(whole.fields["content-security-policy"]?.contains("sandbox") == true)
            #expect(whole.fields["cache-control"] == "private, no-cache")
            let tag = try #require(whole.fields["etag"])
            let known = try await get(server, secret, headers: ["If-None-Match: \(tag)"])
            #expect(known.status == 304 && known.text.isEmpty)
            let part = try await get(server, secret, headers: ["Range: bytes=4-7"])
            #expect(part.status == 206 && part.text == "Olé" && part.fields["content-range"] == "bytes 4-7/13")
            let beyond = try await get(server, secret, headers: ["Range: bytes=13-"])
            #expect(beyond.status == 416 && beyond.fields["content-range"] == "bytes */13")
            let head = try await get(server, secret, method: "HEAD")
            #expect(head.status == 200 && head.text.isEmpty && head.fields["content-length"] == "13")
            let later = try await server.ask("PUT", "/v1/apps/news/contents/c-81", body: "new", type: "text/plain")
            #expect(later.status == 200)
            let again = try await get(server, secret, headers: ["If-None-Match: \(tag)"])
            #expect(again.status == 200 && again.text == "new")
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `nobody else gets it: not without a secret, not with the app's key, not from another app`(
        http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http) { server in
            try await put(server)
            let none = try await get(server, nil)
            #expect(none.status == 401 && none.word == "integration_key_empty")
            for key in [EdgeFixture.key("news"), "nobody's"] {
                let reply = try await get(server, key)
                #expect(reply.status == 403 && reply.word == "integration_key_unknown", "\(reply.text)")
            }
            let other = try await server.secret("bea", app: "shop", token: 2)
            let foreign = try await get(server, other)
            #expect(foreign.status == 404 && foreign.reason == "there is no content of this id", "\(foreign.text)")
            let own = try await server.secret("ana")
            #expect(try await get(server, own, "c-82").status == 404)
            #expect(try await get(server, own, "c-81?x=1").status == 400)
        }
    }
}
