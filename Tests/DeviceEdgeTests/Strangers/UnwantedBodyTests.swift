import Delivery
import Foundation
import PrivateServers
import Servers
import Testing

@testable import DeviceEdge
@testable import WebServing

/// Unwanted HTTP/1.1 bodies, and bodies for which there is no memory.
@Suite(.serialized) struct UnwantedBodyTests {
    /// Returns the beginning of a request with a body that never ends.
    private func beginning(_ fields: [String] = []) -> String {
        let lines = ["POST /v1/tracking HTTP/1.1", "Host: edge", "Content-Type: application/json"]
        return (lines + fields + ["", "{"]).joined(separator: "\r\n")
    }

    @Test(arguments: ["Content-Length: 200000", "Content-Length: 90000000", "Transfer-Encoding: chunked"])
    func `a body without a key is refused at its header fields, and what comes of it is not read`(
        _ length: String
    ) async throws {
        try await BuiltServer.with { server in
            // A server that waited for the body would never answer.
            #expect(try await server.say(beginning([length])) == [401])
            #expect(try await server.say(beginning([length, "Authorization: Bearer nobodys"])) == [403])
            // The connection is closed, although more of the body comes.
            let connection = try await SilentConnection(to: server.edgePort)
            try await connection.send(Array(beginning([length]).utf8))
            try await eventually("the server has closed it") {
                try? await connection.send(Array(repeating: UInt8(ascii: " "), count: 4096))
                return connection.isOver
            }
        }
    }

    @Test func `bodies of the API count for the process, and are refused when it holds what it may`() async throws {
        try await PrivateServer.with { server in
            let load = server.server.core.load
            let job = String(repeating: " ", count: 100_000)
            func send() async throws -> Int { try await server.ask("POST", "/v1/campaigns", body: job).status }
            #expect(try await send() == 422)
            #expect(load.budget.peak >= 100_000)
            let rest = load.room - 65_536
            load.change(by: rest)
            #expect(try await send() == 503)
            #expect(load.metrics.refused[.processMemory] == 1)
            load.change(by: -rest)
            #expect(try await send() == 422)
            try await eventually("nothing is held any more") { load.budget.held < 65_536 }
        }
    }

    @Test(arguments: EdgeHTTP.allCases)
    func `when too many requests of the process are being answered, others are told to come again`(
        _ http: EdgeHTTP
    ) async throws {
        try await EdgeFixture.with(http: http) { server in
            let secret = try await server.secret("ana")
            let load = server.server.core.load
            func ask() async throws -> Int {
                // HTTP/2 resets the stream, for which curl reports nothing.
                (try? await server.ask("GET", "/v1/messages/none", token: secret, atEdge: true).status) ?? 0
            }
            #expect(try await ask() == 404)
            // The client may have the answer before the server has counted its end.
            try await eventually("it is answered") { load.budget.answering == 0 }
            for _ in 0..<load.budget.answeringMax { _ = load.begins() }
            #expect(try await ask() == (http == .two ? 0 : 503))
            #expect((load.metrics.refused[.processAnswering] ?? 0) >= 1)
            for _ in 0..<load.budget.answeringMax { load.ends() }
            #expect(try await ask() == 404)
            // The client may have the answer before the server has counted its end.
            try await eventually("it is answered") { load.budget.answering == 0 }
        }
    }
}
