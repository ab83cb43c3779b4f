import Campaigns
import Foundation
import PrivateServers
import TLS
import Testing
import WebServing

@testable import DeviceEdge

/// The client for browsers as the edge serves it, and the pages of which origins may talk to the edge;
/// Tests/Browser/web.py uses it in a browser.
@Suite struct WebClientTests {
    private static let site = "https://news.example.com"
    private static let sites = ", web_origins: [\(site), \"http://localhost:8000\"]"

    /// Returns the fields of a browser's question if a page may send a request.
    private static func preflight(_ origin: String, _ method: String) -> [String] {
        ["Origin: \(origin)", "Access-Control-Request-Method: \(method)"]
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `its files come without a key, with their types, and not twice`(http: EdgeHTTP) async throws {
        try await EdgeFixture.with(http: http) { server in
            for file in WebFiles.all {
                let path = "/web/\(file.name)"
                let first = try await server.ask("GET", path, atEdge: true)
                #expect(first.status == 200 && first.fields["content-type"] == file.type, "\(first.text)")
                #expect(first.text == String(decoding: file.bytes, as: UTF8.self))
                #expect(first.fields["cache-control"] == "public, max-age=3600" && first.fields["vary"] == "Origin")
                #expect(first.fields["cross-origin-resource-policy"] == "cross-origin")
                let tag = try #require(first.fields["etag"])
                let again = try await server.ask("GET", path, headers: ["If-None-Match: \(tag)"], atEdge: true)
                #expect(again.status == 304 && again.text.isEmpty)
            }
            #expect(try await server.ask("GET", "/web/passwd", atEdge: true).status == 404)
            #expect(try await server.ask("PUT", "/web/fanfare.js", body: "{}", atEdge: true).status == 405)
        }
    }

    @Test func `its description has the version and the hashes that browsers check`() async throws {
        try await EdgeFixture.with { server in
            let told = try #require(try await server.ask("GET", "/web/fanfare.json").json)
            let version = try #require(told["version"]?.string)
            for name in ["fanfare.js", "fanfare-worker.js"] {
                let script = try await server.ask("GET", "/web/\(name)").text
                #expect(script.contains("const version = \"\(version)\";"), "\(name) is of another version")
                let hash = Data(SHA256.digest(Array(script.utf8))).base64EncodedString()
                #expect(told["files"]?[name]?["integrity"] == .string("sha256-\(hash)"))
                #expect(told["files"]?[name]?["bytes"] == .number(JSONNumber(script.utf8.count)))
            }
        }
    }

    @Test func `its scripts have 12 KB together as gzip makes them, and no comments`() throws {
        var size = 0
        for file in [WebFiles.page, WebFiles.worker] {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("//") || $0.hasPrefix(" ") })
            size += try Self.compressed(file.bytes)
        }
        #expect(size <= 12 * 1024, "\(size) bytes")
    }

    /// Returns the size of what gzip makes of bytes.
    private static func compressed(_ bytes: [UInt8]) throws -> Int {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-web-\(UUID())")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
        process.arguments = ["-9c", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return data.count
    }

    @Test func `nothing in its scripts comes from elsewhere or becomes markup`() {
        for file in [WebFiles.page, WebFiles.worker] {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("http://") && !text.contains("https://"), "\(file.name)")
            for word in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=", "onclick="] {
                #expect(!text.contains(word), "\(file.name): \(word)")
            }
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a page of the app's sites may ask, and is told the methods and fields of a path`(
        http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http, more: Self.sites) { server in
            let paths = [
                ("/v1/devices/ana", "PUT", "PUT, DELETE"), ("/v1/tracking", "POST", "POST"),
                ("/v1/sessions", "POST", "POST"), ("/v1/messages/offer", "GET", "GET"),
                ("/v1/polls/offer/answers", "POST", "POST"),
            ]
            for (path, method, methods) in paths {
                let reply = try await server.ask(
                    "OPTIONS",
                    path,
                    headers: Self.preflight(Self.site, method),
                    atEdge: true
                )
                #expect(reply.status == 204, "\(path): \(reply.text)")
                #expect(reply.fields["access-control-allow-origin"] == Self.site)
                #expect(reply.fields["access-control-allow-methods"] == methods)
                let fields = reply.fields["access-control-allow-headers"] ?? ""
                #expect(fields == "Authorization, Content-Type, Fanfare-Message, Fanfare-User, If-None-Match")
                #expect(reply.fields["access-control-max-age"] == "7200" && reply.fields["vary"] == "Origin")
                #expect(reply.fields["access-control-allow-credentials"] == nil)
            }
        }
    }

    @Test(arguments: [
        "https://evil.example.com", "https://news.example.com:8443", "http://news.example.com", "null",
        "https://news.example.com.evil.net", "HTTPS://NEWS.EXAMPLE.COM",
    ])
    func `a page of any other origin is refused, and reads no answer`(_ origin: String) async throws {
        try await EdgeFixture.with(more: Self.sites) { server in
            let asked = try await server.ask("OPTIONS", "/v1/devices/ana", headers: Self.preflight(origin, "PUT"))
            #expect(asked.status == 405 && asked.fields["allow"] == "PUT, DELETE")
            let file = try await server.ask("GET", "/web/fanfare.js", headers: ["Origin: \(origin)"])
            let reply = try await server.register(
                "ana",
                key: EdgeFixture.key("news"),
                headers: ["Origin: \(origin)"]
            )
            #expect(file.status == 200 && reply.status == 201)
            for answer in [asked, file, reply] {
                #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control") }, "\(answer.fields)")
            }
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `a page reads every answer of its own app, refusals too, and none of another app`(
        http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http, more: Self.sites) { server in
            let origin = ["Origin: \(Self.site)"]
            func isReadable(_ reply: PrivateServer.Reply) -> Bool {
                reply.fields["access-control-allow-origin"] == Self.site
                    && reply.fields["access-control-expose-headers"] == "ETag, Retry-After, X-Request-ID"
            }
            let registered = try await server.register("ana", key: EdgeFixture.key("news"), headers: origin)
            #expect(registered.status == 201 && isReadable(registered), "\(registered.fields)")
            let secret = try #require(registered.json?["device_secret"]?.string)
            let refused = [
                try await server.register("ana", key: nil, headers: origin),
                try await server.register("ana", key: "fik_nobody", headers: origin),
                try await server.register("ana", key: secret, token: nil, #""locale": "!""#, headers: origin),
                // Tracking has a path of its own, which phones use.
                try await server.ask(
                    "POST",
                    "/v1/tracking",
                    token: secret,
                    headers: origin,
                    body: #"{"events": []}"#,
                    atEdge: true
                ),
            ]
            #expect(refused.map(\.status) == [401, 403, 422, 422])
            for reply in refused { #expect(isReadable(reply), "\(reply.status): \(reply.fields)") }
            let file = try await server.ask("GET", "/web/fanfare.js", headers: origin, atEdge: true)
            #expect(file.status == 200 && isReadable(file))
            let foreign = try await server.register("ben", key: EdgeFixture.key("shop"), token: 2, headers: origin)
            #expect(foreign.status == 201 && foreign.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `without sites, no page of any origin may ask`() async throws {
        try await EdgeFixture.with { server in
            let asked = try await server.ask("OPTIONS", "/v1/devices/ana", headers: Self.preflight(Self.site, "PUT"))
            #expect(asked.status == 405 && asked.fields["access-control-allow-origin"] == nil)
        }
    }
}
