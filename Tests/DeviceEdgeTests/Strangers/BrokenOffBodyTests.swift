import Servers
import Testing

@testable import DeviceEdge

/// Bodies that their clients do not send to the end, sent to the built server.
@Suite struct BrokenOffBodyTests {
    private static let heads = [
        ("putList", "PUT /v1/apps/news/lists/fans", "text/csv"),
        ("putContent", "PUT /v1/apps/news/contents/c-1", "text/plain"),
        ("sendCampaign", "POST /v1/campaigns", "application/json"),
    ]

    /// Returns the beginning of a request with a body that goes on.
    private func beginning(_ line: String, _ type: String, _ length: String, _ body: String) -> String {
        ["\(line) HTTP/1.1", "Host: 127.0.0.1", "Content-Type: \(type)", length, "", body].joined(separator: "\r\n")
    }

    @Test(arguments: [("Content-Length: 1000", "token,id\n"), ("Transfer-Encoding: chunked", "9\r\ntoken,id\n\r\n")])
    func `a client that hangs up in the midst of its body is refused, and nothing has failed`(
        _ length: String,
        _ body: String
    ) async throws {
        try await BuiltServer.with { server in
            for (operation, line, type) in Self.heads {
                let text = beginning(line, type, length, body)
                let statuses = try await server.say(text, port: server.port, hangsUp: true)
                #expect(statuses == [400], "\(operation)")
                let count = #"fanfare_http_requests_total{operation="\#(operation)",status="400"}"#
                #expect(try await server.metric(count) == 1)
            }
            #expect(!server.process.errors.contains("a request failed"), "\(server.process.errors)")
        }
    }

    @Test func `a body that stops being HTTP is refused, and nothing has failed`() async throws {
        try await BuiltServer.with { server in
            let text = beginning(Self.heads[0].1, "text/csv", "Transfer-Encoding: chunked", "9\r\ntoken,id\n\r\nzz\r\n")
            let statuses = try await server.say(text, port: server.port)
            #expect(statuses == [400])
            #expect(!server.process.errors.contains("a request failed"), "\(server.process.errors)")
        }
    }
}
