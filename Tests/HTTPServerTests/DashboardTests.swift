import Campaigns
import Foundation
import PrivateServers
import Testing
import WebServing

@testable import HTTPServer

/// The dashboard's files; Tests/Browser tests it in a browser.
@Suite struct DashboardTests {
    @Test func `the page comes without a token, may load from this server only, and is not loaded twice`() async throws
    {
        try await PrivateServer.with(tokens: [TestTokens.token("ana", "viewer")]) { server in
            let page = try await server.ask("GET", "/")
            #expect(page.status == 200 && page.fields["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(page.fields["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            let tag = try #require(page.fields["etag"])
            let again = try await server.ask("GET", "/", headers: ["If-None-Match: \(tag)"])
            #expect(again.status == 304 && again.text.isEmpty)
            // The API behind it still requires a token.
            #expect(try await server.ask("GET", "/v1/caller").status == 401)
            #expect(try await server.ask("POST", "/").status == 401)
        }
    }

    @Test func `every file that the page and its scripts name is there, with its type`() async throws {
        try await PrivateServer.with { server in
            let texts = ([DashboardFile.page] + DashboardFile.others).map { String(decoding: $0.bytes, as: UTF8.self) }
            var names: Set<String> = []
            for text in texts {
                for match in text.matches(of: #/(?:/dashboard/|from "\./)([a-z.]+)"/#) { names.insert(String(match.1)) }
            }
            #expect(names == Set(DashboardFile.others.map(\.name)))
            for file in DashboardFile.others {
                let reply = try await server.ask("GET", "/dashboard/\(file.name)")
                #expect(reply.status == 200 && reply.fields["content-type"] == file.type)
                #expect(reply.text == String(decoding: file.bytes, as: UTF8.self))
            }
            #expect(try await server.ask("GET", "/dashboard/passwd").status == 404)
        }
    }

    @Test func `nothing in it comes from elsewhere or becomes markup`() {
        for file in [DashboardFile.page] + DashboardFile.others {
            let text = String(decoding: file.bytes, as: UTF8.self)
                .replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains("http://") && !text.contains("https://"), "\(file.name)")
            for word in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=", "onclick="] {
                #expect(!text.contains(word), "\(file.name): \(word)")
            }
        }
    }

    @Test func `the page is told who looks`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("ben", "operator", apps: ["shop"])]) { server in
            let caller = try await server.ask("GET", "/v1/caller", token: TestTokens.text("ben"))
            #expect(caller.json?["name"] == "ben" && caller.json?["role"] == "operator")
            #expect(caller.json?["apps"]?.array == ["shop"])
        }
    }
}
