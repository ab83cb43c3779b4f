import Campaigns
import Foundation
import PrivateServers
import Store
import Testing

@testable import HTTPServer

/// Contents over HTTP, requested by curl.
struct ContentTests {
    private static let text = "Olé, a coupon."

    @Test func `an operator puts a content, sees it in the list, gets it and removes it`() async throws {
        try await PrivateServer.with { server in
            let path = "/v1/apps/news/contents/c-81"
            let added = try await server.ask("PUT", path + "?type=coupon", body: Self.text, type: "text/plain")
            #expect(added.status == 201 && added.json?["type"] == "coupon" && added.json?["bytes"] == 15)
            let again = try await server.ask("PUT", path + "?type=coupon", body: Self.text, type: "text/plain")
            #expect(again.status == 200 && again.json?["version"] == added.json?["version"])
            let list = try await server.ask("GET", "/v1/apps/news/contents")
            #expect(list.json?["contents"]?.array?.compactMap { $0["id"]?.string } == ["c-81"])
            let got = try await server.ask("GET", path)
            #expect(got.status == 200 && got.text == Self.text)
            #expect(got.fields["content-type"] == "text/plain; charset=utf-8")
            #expect(got.fields["x-content-type-options"] == "nosniff")
            #expect(got.fields["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(try await server.ask("DELETE", path).status == 200)
            #expect(try await server.ask("DELETE", path).status == 404)
            #expect(try await server.ask("GET", path).status == 404)
        }
    }

    @Test func `a cache asks with the tag, a download goes on where it broke off, a head has no body`() async throws {
        try await PrivateServer.with { server in
            let path = "/v1/apps/news/contents/c-81"
            _ = try await server.ask("PUT", path, body: Self.text, type: "text/html")
            let whole = try await server.ask("GET", path)
            let tag = try #require(whole.fields["etag"])
            #expect(whole.fields["cache-control"]?.hasPrefix("private") == true)
            let known = try await server.ask("GET", path, headers: ["If-None-Match: \(tag)"])
            #expect(known.status == 304 && known.text.isEmpty && known.fields["etag"] == tag)
            let part = try await server.ask("GET", path, headers: ["Range: bytes=6-"])
            #expect(part.status == 206 && part.text == "a coupon.")
            #expect(part.fields["content-range"] == "bytes 6-14/15" && part.fields["content-length"] == "9")
            let same = try await server.ask("GET", path, headers: ["Range: bytes=0-0", "If-Range: \(tag)"])
            #expect(same.status == 206 && same.text == "O")
            let other = try await server.ask("GET", path, headers: ["Range: bytes=0-0", "If-Range: \"x\""])
            #expect(other.status == 200 && other.text == Self.text)
            let beyond = try await server.ask("GET", path, headers: ["Range: bytes=15-"])
            #expect(beyond.status == 416 && beyond.fields["content-range"] == "bytes */15")
            let head = try await server.ask("HEAD", path)
            #expect(head.status == 200 && head.text.isEmpty && head.fields["content-length"] == "15")
        }
    }

    @Test func `what is no content is refused, and nothing is stored`() async throws {
        try await PrivateServer.with { server in
            let path = "/v1/apps/news/contents/c-81"
            let wrong = try await server.ask("PUT", path, body: Self.text, type: "image/png")
            #expect(wrong.status == 422 && wrong.problem == "invalid-content")
            #expect(wrong.json?["errors"]?.array?.first?["pointer"] == "/body")
            #expect(try await server.ask("PUT", path, body: "x", type: "text/css").status == 415)
            #expect(try await server.ask("PUT", path, body: "", type: "text/plain").status == 422)
            let large = String(repeating: "x", count: ContentType.bytesMax + 1)
            #expect(try await server.ask("PUT", path, body: large, type: "text/plain").status == 413)
            let type = try await server.ask("PUT", path + "?type=a%20b", body: "x", type: "text/plain")
            #expect(type.status == 422 && type.json?["errors"]?.array?.first?["pointer"] == "/type")
            let id = try await server.ask("PUT", "/v1/apps/news/contents/a%20b", body: "x", type: "text/plain")
            #expect(id.status == 422)
            #expect(try await server.ledger.read { try $0.contents() } == [])
        }
    }

    @Test func `only an operator of the app may change a content`() async throws {
        let tokens = [
            TestTokens.token("viewer", "viewer"), TestTokens.token("op", "operator", apps: ["shop"]),
        ]
        try await PrivateServer.with(tokens: tokens) { server in
            let path = "/v1/apps/news/contents/c-81"
            // Nobody learns anything about another app's content.
            for (name, status) in [("viewer", 403), ("op", 404)] {
                let token = TestTokens.text(name)
                let put = try await server.ask("PUT", path, token: token, body: "x", type: "text/plain")
                let removed = try await server.ask("DELETE", path, token: token)
                #expect(put.status == status && removed.status == status, "\(name)")
            }
            let stranger = try await server.ask("GET", path)
            #expect(stranger.status == 401)
        }
    }
}
