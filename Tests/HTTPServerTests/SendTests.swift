import Campaigns
import Foundation
import PrivateServers
import Store
import Testing

@testable import HTTPServer

/// Pushes to one device or user by HTTP: errors name the body's own positions, and content comes along.
@Suite struct SendTests {
    private static let token = String(repeating: "0a", count: 32)

    private func errors(_ reply: PrivateServer.Reply) -> [String] {
        (reply.json?["errors"]?.array ?? []).map { "\($0["pointer"]?.string ?? "-") \($0["code"]?.string ?? "-")" }
    }

    private func send(
        _ members: String,
        content: String = #"{"title": "Kick-off"}"#,
        to receiver: String? = nil,
        on server: PrivateServer,
        headers: [String] = []
    ) async throws -> PrivateServer.Reply {
        let receiver = receiver ?? #""device": {"token": "\#(Self.token)"}"#
        let own = [members, receiver, #""content": \#(content)"#].filter { !$0.isEmpty }.joined(separator: ", ")
        return try await server.ask("POST", "/v1/sends", headers: headers, body: #"{"app": "news", \#(own)}"#)
    }

    @Test func `every error of a send names a place of its own body`() async throws {
        try await PrivateServer.with { server in
            let wrong = try await send(
                #""id": "goal", "delivery": {"urgancy": "urgent"}"#,
                to: #""device": {"token": "zz", "enviroment": "sandbox"}"#,
                on: server
            )
            #expect(wrong.status == 422 && wrong.problem == "invalid-job", "\(wrong.text)")
            let found = errors(wrong)
            for pointer in [
                "/device/enviroment unknown_field", "/device/token format", "/delivery/urgancy unknown_field",
            ] {
                #expect(found.contains(pointer), "\(found)")
            }
            #expect(!wrong.text.contains("/audience"), "\(wrong.text)")

            let id = #""id": "goal""#
            let cases: [(receiver: String, error: String)] = [
                (#""device": 7"#, "/device type"), (#""device": null"#, "/device type"),
                (#""user": """#, "/user empty"), (#""user": 7"#, "/user type"), ("", "/device required"),
                (#""device": {"token": "\#(Self.token)"}, "user": "ana""#, "/user conflict"),
                (#""device": {"token": "\#(Self.token)"}, "audience": {"everyone": true}"#, "/audience conflict"),
                // The registry knows nobody.
                (#""user": "ana""#, "/user empty"),
            ]
            for (receiver, error) in cases {
                let reply = try await send(id, to: receiver, on: server)
                #expect(reply.status == 422 && errors(reply) == [error], "\(receiver): \(reply.text)")
            }
            // Values added by the server have no position in the body.
            let both = try await send("", content: #"{"body": ""}"#, to: "", on: server)
            #expect(errors(both) == ["/device required", "/id required", "/content/body empty"], "\(both.text)")
        }
    }

    @Test func `content that comes with a send is judged at its own places, and none is stored`() async throws {
        try await PrivateServer.with { server in
            let cases: [(rich: String, errors: [String])] = [
                (#""type": "coupon", "body": "x""#, ["/content/rich/content_type required"]),
                (#""type": "coupon", "body": "x", "content_type": "a/b""#, ["/content/rich/content_type value"]),
                (#""type": "coupon", "content_type": "text/html""#, ["/content/rich/body required"]),
                (#""type": "coupon", "content_type": "image/png", "body": "x""#, ["/content/rich/body format"]),
                (
                    #""type": "coupon", "content_type": "image/png", "body": "x", "encoding": "base64""#,
                    ["/content/rich/body format"]
                ),
                (
                    #""type": "coupon", "content_type": "text/html", "body": "x", "encoding": "hex""#,
                    ["/content/rich/encoding value"]
                ),
                (
                    #""id": "a/b", "content_type": "text/html", "body": 7"#,
                    ["/content/rich/body type", "/content/rich/type required", "/content/rich/id format"]
                ),
            ]
            for (rich, wanted) in cases {
                let content = #"{"title": "Hi", "rich": {\#(rich)}}"#
                let reply = try await send(#""id": "goal""#, content: content, on: server)
                #expect(reply.status == 422 && errors(reply) == wanted, "\(rich): \(reply.text)")
            }
            // Without bytes it is a name, as in a job.
            let named = try await send(
                #""id": "goal""#,
                content: #"{"title": "Hi", "rich": {"type": "coupon", "id": "c-81"}}"#,
                on: server
            )
            #expect(errors(named) == ["/content/rich/id unknown_content"], "\(named.text)")
            #expect(try await server.ledger.read { try $0.contents() } == [])
        }
    }

    @Test func `a send stores its content and publishes the job that names it, and a repeat is the same`() async throws
    {
        let url = try await TestBroker.url("api-sends")
        try await PrivateServer.with(broker: url) { server in
            let text = #"{"title": "Hi", "rich": {"type": "coupon", "content_type": "text/html", "body": "<p>Olé"}}"#
            for status in [202, 200] {
                let reply = try await send("", content: text, on: server, headers: ["Idempotency-Key: k-1"])
                #expect(reply.status == status, "\(reply.text)")
            }
            let stored = try #require(try await server.ledger.read { try $0.content(app: "news", id: "k-1") })
            #expect(stored.bytes == Array("<p>Olé".utf8) && stored.contentType == .html && stored.type == "coupon")
            let bytes = #"""
                {"title": "Hi", "rich": {"type": "jingle", "id": "s-1", "content_type": "audio/wav", "encoding": "base64",
                 "body": "UklGRgQAAABXQVZF"}}
                """#
            let sound = try await send(#""id": "goal""#, content: bytes, on: server)
            #expect(sound.status == 202, "\(sound.text)")
            let head = try #require(try await server.ledger.read { try $0.content(app: "news", id: "s-1") })
            #expect(head.contentType == .wav && head.bytes == Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WAVE".utf8))
        }
    }

    @Test func `a push is looked at device by device, and a campaign to many is not`() async throws {
        try await PrivateServer.with(tokens: [TestTokens.token("shop", "viewer", apps: ["shop"])]) { server in
            try await server.accept("derby")
            let stranger = try await server.ask("GET", "/v1/sends/derby", token: TestTokens.text("shop"))
            #expect(stranger.status == 404, "\(stranger.text)")
        }
        try await PrivateServer.with { server in
            try await server.accept("derby")
            let sent = try await server.ask("GET", "/v1/sends/derby?app=news")
            let devices = try #require(sent.json?["devices"]?.array, "\(sent.text)")
            #expect(devices.compactMap { $0["id"]?.string } == ["d1", "d2", "d3"] && sent.json?["app"] == "news")
            #expect(devices.allSatisfy { $0["outcome"] == "pending" && $0["read"] == false && $0["token"] == nil })
            var many = PrivateServer.campaign("all")
            var (builder, chunks): (ListBuilder, [ListChunk]) = (ListBuilder(), [])
            for number in 0...SendRoutes.devicesMax {
                let full = builder.add(Device(token: ""), token: [UInt8(number >> 8), UInt8(number & 255)])
                if let full { chunks.append(full) }
            }
            many.audience = .inline(chunks + builder.finish(), version: "many", duplicates: 0)
            try await server.accept([many])
            let all = try await server.ask("GET", "/v1/sends/all")
            #expect(all.status == 409 && all.problem == "wrong-state", "\(all.text)")
            #expect(try await server.ask("GET", "/v1/sends/cup").status == 404)
            #expect(try await server.ask("GET", "/v1/sends/derby?app=shop").status == 404)
        }
    }
}
