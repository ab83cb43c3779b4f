import Foundation
import Servers
import Testing

@testable import DeviceEdge

/// Endless requests: streams that the server is made to reset, unknown keys, silent connections.
@Suite(.serialized) struct FloodTests {
    @Test func `streams that the server itself resets count, and end in GOAWAY`() async throws {
        try await BuiltServer.with { server in
            let connection = try await RawConnection(to: server.edgePort)
            let fields = HostileFrames.request("GET", "/v1/messages/none", HostileFrames.guess)
            var bytes = HostileFrames.hello()
            // A window update beyond the maximum, once the request is complete (CVE-2025-8671).
            for number in 0..<12_000 {
                let stream = UInt32(2 * number + 1)
                bytes += HostileFrames.headers(stream, fields, ends: true)
                bytes += HostileFrames.windowUpdate(stream, 0x7FFF_FFFF)
            }
            try? await connection.send(bytes)
            var (resets, code) = (0, UInt32?.none)
            for await frame in connection.frames {
                if frame.type == RawFrames.reset { resets += 1 }
                if frame.type == RawFrames.goAway { code = Array(frame.payload[4..<8]).number }
            }
            #expect(code == 11)
            // A read holds a few hundred of them, which are reset before they are counted.
            #expect(resets < 6000)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="resets"}"#) == 1)
        }
    }

    @Test func `requests without a key do not make those with a good one fail`() async throws {
        let settings = ["FANFARE_SERVER_EDGE_REGISTRATIONS_PER_SECOND": "30"]
        try await BuiltServer.with(settings: settings) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let request = "GET /v1/messages/none HTTP/1.1\r\nHost: a\r\n\r\n"
                        let text = String(repeating: request, count: 1000)
                        let statuses = try await server.say(text, wanted: 1000)
                        #expect(statuses.allSatisfy { $0 == 401 || $0 == 429 } && statuses.contains(429))
                    }
                }
                for number in 0..<60 {
                    group.addTask {
                        // As many as one address may make at once.
                        let status = try await server.register("good-\(number)", token: number)
                        #expect(status == 201)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `idle connections of one address leave room for others, and the API answers`() async throws {
        try await BuiltServer.with(descriptors: 200) { server in
            var idle: [SilentConnection] = []
            for _ in 0..<400 { if let one = try? await SilentConnection(to: server.edgePort) { idle.append(one) } }
            #expect(idle.count > 100)
            // 34 of them, and those being closed right now.
            try await eventually("those beyond the address' part are closed") {
                try await server.metric(#"fanfare_http_connections{listener="edge"}"#) <= 40
            }
            let text = BuiltServer.request("GET", "/livez")
            #expect(try await server.say(text, port: server.port).first == 200)
            #expect(try await server.register("ana", token: 1, from: "127.0.0.2") == 201)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="address_connections"}"#) > 0)
            for connection in idle { await connection.close() }
            try await eventually("all that went make room") {
                try await server.register("ben", token: 2) == 201
            }
        }
    }

    @Test func `when there are as many connections as may be, accepting waits and nothing spins`() async throws {
        let settings = [
            "FANFARE_SERVER_CONNECTIONS": "16", "FANFARE_SERVER_ADDRESS_CONNECTIONS": "1000",
        ]
        try await BuiltServer.with(settings: settings) { server in
            var idle: [SilentConnection] = []
            for _ in 0..<24 { idle.append(try await SilentConnection(to: server.edgePort)) }
            try await eventually("as many as may be are open") {
                try await server.metric(#"fanfare_http_connections{listener="edge"}"#) >= 16
            }
            // NIO may accept a few more at once.
            #expect(try await server.metric(#"fanfare_http_connections{listener="edge"}"#) < 32)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="connections"}"#) > 0)
            let text = BuiltServer.request("GET", "/livez")
            #expect(try await server.say(text, port: server.port).first == 200)
            // Silent connections are closed after five seconds, and the next ones are accepted.
            let status = try await server.register("ana", token: 1)
            #expect(status == 201)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="idle"}"#) > 0)
            for connection in idle { await connection.close() }
        }
    }
}
