import Campaigns
import Foundation
import PrivateServers
import Store
import TLS
import Testing

@testable import HTTPServer

/// Uploads in parts.
@Suite struct UploadTests {
    private static let path = "/v1/apps/news/lists/sport/uploads/up-1"

    private func hash(_ part: String) -> String { Hexadecimal.text(SHA256.digest(Array(part.utf8))) }

    private func token(_ number: Int) -> String { String(repeating: "ab", count: 31) + String(format: "%02x", number) }

    private func put(
        _ number: Int,
        _ part: String,
        hash: String? = nil,
        _ server: PrivateServer
    ) async throws -> PrivateServer.Reply {
        let query = "/parts/\(number)?sha256=\(hash ?? self.hash(part))"
        return try await server.ask("PUT", Self.path + query, body: part, type: "application/octet-stream")
    }

    @Test func `a client that was cut asks for the state and sends only what is missing`() async throws {
        try await PrivateServer.with { server in
            let csv = "token,id\n" + (0..<9).map { "\(token($0)),d\($0)\n" }.joined()
            // A part ends anywhere, also in the midst of a line.
            let parts = [String(csv.prefix(100)), String(csv.dropFirst(100).prefix(300)), String(csv.dropFirst(400))]
            let begun = try await server.ask("PUT", Self.path, body: #"{"format": "csv"}"#)
            #expect(begun.status == 201 && begun.json?["part_bytes_max"]?.integer == 4_194_304, "\(begun.text)")
            #expect(try await put(0, parts[0], server).status == 201)
            #expect(try await put(0, parts[0], server).json?["existing"] == true)
            #expect(try await put(1, parts[1], server).status == 201)
            // Here the client was cut; it begins again under the same id.
            let again = try await server.ask("PUT", Self.path, body: #"{"format": "csv"}"#)
            #expect(again.status == 200 && again.json?["parts"]?.integer == 2 && again.json?["bytes"]?.integer == 400)
            #expect(try await put(2, parts[2], server).status == 201)
            #expect(try await server.ask("GET", "/v1/apps/news/lists").json?["lists"]?.array?.isEmpty == true)
            let whole = try await server.ask("POST", Self.path + ":complete")
            #expect(whole.status == 201 && whole.json?["devices"]?.integer == 9, "\(whole.text)")
            let repeated = try await server.ask("POST", Self.path + ":complete")
            #expect(repeated.status == 200 && repeated.json?["version"] == whole.json?["version"])
            #expect(try await server.ask("GET", Self.path).json?["state"]?.string == "complete")
            // In one body it is the same version.
            let direct = try await server.ask("PUT", "/v1/apps/news/lists/sport", body: csv, type: "text/csv")
            #expect(direct.status == 200 && direct.json?["version"] == whole.json?["version"])
        }
    }

    @Test func `a part is refused when it is damaged, another one, or comes too early`() async throws {
        try await PrivateServer.with { server in
            #expect(try await put(0, "token\n", server).status == 404)
            _ = try await server.ask("PUT", Self.path, body: #"{"format": "csv"}"#)
            let damaged = try await put(0, "token\n", hash: hash("tokem\n"), server)
            #expect(damaged.status == 400 && damaged.text.contains("hash"), "\(damaged.text)")
            let early = try await put(1, "x", server)
            #expect(early.status == 409 && early.text.contains("send part 0 first"), "\(early.text)")
            #expect(try await put(0, "token\n", server).status == 201)
            #expect(try await put(0, "id,token\n", server).status == 409)
            #expect(try await put(1, "", server).status == 400)
            #expect(try await server.ask("GET", Self.path).json?["parts"]?.integer == 1)
            let other = "/v1/apps/news/lists/fans/uploads/up-1"
            #expect(try await server.ask("PUT", other, body: #"{"format": "csv"}"#).status == 409)
            #expect(try await server.ask("PUT", Self.path, body: #"{"format": "ndjson"}"#).status == 409)
            #expect(try await server.ask("PUT", Self.path, body: #"{"format": "xml"}"#).status == 400)
        }
    }

    @Test func `an upload that was abandoned, or whose file has a bad line, is gone`() async throws {
        try await PrivateServer.with { server in
            _ = try await server.ask("PUT", Self.path, body: #"{"format": "csv"}"#)
            #expect(try await server.ask("DELETE", Self.path).json?["abandoned"] == true)
            #expect(try await server.ask("GET", Self.path).status == 404)
            // The id may begin anew.
            #expect(try await server.ask("PUT", Self.path, body: #"{"format": "csv"}"#).status == 201)
            #expect(try await put(0, "token\n\(token(1))\nbad\n", server).status == 201)
            let refused = try await server.ask("POST", Self.path + ":complete")
            #expect(refused.status == 422 && refused.problem == "invalid-audience", "\(refused.text)")
            #expect(try await server.ask("GET", Self.path).status == 404)
            #expect(try await server.ask("GET", "/v1/apps/news/lists").json?["lists"]?.array?.isEmpty == true)
        }
    }
}
