import Foundation
import Servers
import Testing

@testable import DeviceEdge

/// Memory for a few bytes: the most that a stranger can make the built server hold.
@Suite(.serialized) struct MemoryTests {
    private static let tooMuch: UInt32 = 11

    /// Sends bytes on separate connections and returns the end of each: the code of GOAWAY, nil without one.
    private func attack(_ server: BuiltServer, _ bytes: [UInt8], connections: Int) async throws -> [UInt32?] {
        try await withThrowingTaskGroup(of: UInt32?.self) { group in
            for _ in 0..<connections {
                group.addTask {
                    let connection = try await RawConnection(to: server.edgePort)
                    // Fails when the server closes before everything was sent, as it should.
                    try? await connection.send(bytes)
                    try? await connection.send(HostileFrames.ping)
                    for await frame in connection.frames {
                        if frame.type == HostileFrames.goAway { return Array(frame.payload[4..<8]).number }
                        if frame.type == HostileFrames.pingType { break }
                    }
                    return nil
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `unfinished requests that refer to one entry of the table hold less than was asked of each`()
        async throws
    {
        try await BuiltServer.with { server in
            let before = try server.memory()
            var bytes = HostileFrames.hello()
            for number in 0..<256 {
                let more = number == 0 ? HostileFrames.entry : Array(repeating: HostileFrames.reference, count: 15)
                let fields = HostileFrames.request("POST", "/v1/tracking", HostileFrames.guess)
                bytes += HostileFrames.headers(UInt32(2 * number + 1), fields, more: more, ends: false)
            }
            // 16 MB each used to be held, 128 MB in all.
            let ends = try await attack(server, bytes, connections: 8)
            #expect(ends.allSatisfy { $0 == Self.tooMuch || $0 == nil }, "\(ends)")
            #expect(try server.memory() - before < 24 << 10)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="connection_memory"}"#) == 8)
        }
    }

    @Test func `a request without a key that could be one is answered at its header fields`() async throws {
        try await BuiltServer.with { server in
            let connection = try await RawConnection(to: server.edgePort)
            let fields = HostileFrames.request("POST", "/v1/tracking", nil)
            try await connection.send(HostileFrames.hello() + HostileFrames.headers(1, fields, ends: false))
            var types: [UInt8] = []
            for await frame in connection.frames where frame.stream == 1 {
                types.append(frame.type)
                // The rest does not need to be sent (RFC 9113, section 8.1).
                if frame.type == RawFrames.reset {
                    #expect(frame.code == 0)
                    break
                }
            }
            #expect(types.first == RawFrames.headers && types.last == RawFrames.reset, "\(types)")
            await connection.close()
        }
    }

    @Test func `bodies that nobody ends are not kept beyond the connection's budget`() async throws {
        try await BuiltServer.with { server in
            let before = try server.memory()
            var bytes = HostileFrames.hello()
            let piece = [UInt8](repeating: UInt8(ascii: " "), count: 16_000)
            for number in 0..<256 {
                let stream = UInt32(2 * number + 1)
                let fields = HostileFrames.request("POST", "/v1/tracking", HostileFrames.guess)
                bytes += HostileFrames.headers(stream, fields, ends: false)
                for _ in 0..<4 { bytes += HostileFrames.data(stream, piece) }
            }
            // 16 MB each used to be held, 64 MB in all.
            let ends = try await attack(server, bytes, connections: 4)
            #expect(ends.allSatisfy { $0 == Self.tooMuch || $0 == nil }, "\(ends)")
            #expect(try server.memory() - before < 20 << 10)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="connection_memory"}"#) == 4)
        }
    }

    @Test func `256 fetches with a window of nothing hold one copy, and few of them wait`() async throws {
        try await BuiltServer.with { server in
            let secret = try await server.deviceWithContent(bytes: 1 << 20)
            let before = try server.memory()
            let connection = try await RawConnection(to: server.edgePort)
            // The settings: INITIAL_WINDOW_SIZE 0.
            var bytes = HostileFrames.hello([RawFrames.setting(4, 0)])
            for number in 0..<256 {
                let fields = HostileFrames.request("GET", "/v1/messages/large", secret)
                bytes += HostileFrames.headers(UInt32(2 * number + 1), fields, ends: true)
            }
            try await connection.send(bytes)
            var (heads, taken) = (0, 0)
            for await frame in connection.frames {
                if frame.type == RawFrames.headers { heads += 1 }
                if frame.type == RawFrames.headers || frame.type == RawFrames.reset { taken += 1 }
                if taken == 256 { break }
            }
            // 256 MB used to be held.
            #expect(try server.memory() - before < 24 << 10)
            #expect(heads >= 1)
            await connection.close()
        }
    }

    @Test func `a reader that takes everything leaves nothing behind`() async throws {
        try await BuiltServer.with { server in
            let secret = try await server.deviceWithContent(bytes: 1 << 20)
            let before = try server.memory()
            let asked = (0..<48).map {
                StreamClient.Asked("GET", "/v1/messages/large", secret: secret, id: "a\($0)")
            }
            for _ in 0..<2 {
                let answers = try await StreamClient.run(asked, to: server.edgePort)
                // Requests for which there is no memory are told to come again.
                #expect(answers.allSatisfy { $0.status == 200 || $0.status == 503 }, "\(answers.map(\.status))")
                #expect(answers.contains { $0.status == 200 })
            }
            #expect(try server.memory() - before < 24 << 10)
            try await eventually("nothing is held but what connections take") {
                try await server.metric("fanfare_http_held_bytes") < 1 << 20
            }
        }
    }

    @Test func `one after the other on HTTP 1 is answered as it is taken`() async throws {
        try await BuiltServer.with { server in
            let secret = try await server.deviceWithContent(bytes: 1 << 20)
            let before = try server.memory()
            let fields = ["Host: edge", "Authorization: Bearer \(secret)", "", ""].joined(separator: "\r\n")
            let text = String(repeating: "GET /v1/messages/large HTTP/1.1\r\n" + fields, count: 64)
            let connection = try await SilentConnection(to: server.edgePort)
            try await connection.send(Array(text.utf8))
            try await eventually("the first is on its way") {
                try await server.metric("fanfare_http_held_bytes") >= 1 << 20
            }
            // Others are answered meanwhile, and of these no more than fit into the sockets' buffers.
            for number in 2..<26 { #expect(try await server.register("other-\(number)", token: number) == 201) }
            let counter = #"fanfare_http_requests_total{operation="getMessage",status="200"}"#
            #expect(try await server.metric(counter) <= 6)
            #expect(try server.memory() - before < 20 << 10)
            await connection.close()
        }
    }

    @Test func `the process has a budget too, and devices go on when strangers have filled it`() async throws {
        // A quarter of 16 MiB.
        try await BuiltServer.with(settings: ["FANFARE_SERVER_MEMORY_MIB": "16"]) { server in
            var bytes = HostileFrames.hello()
            let piece = [UInt8](repeating: UInt8(ascii: " "), count: 16_000)
            for number in 0..<12 {
                let stream = UInt32(2 * number + 1)
                let fields = HostileFrames.request("POST", "/v1/tracking", HostileFrames.guess)
                bytes += HostileFrames.headers(stream, fields, ends: false)
                for _ in 0..<4 { bytes += HostileFrames.data(stream, piece) }
            }
            // Each is within its own budget, but all together are not.
            var connections: [RawConnection] = []
            for _ in 0..<8 {
                let connection = try await RawConnection(to: server.edgePort)
                connections.append(connection)
                try? await connection.send(bytes + HostileFrames.ping)
                for await frame in connection.frames
                where frame.type == HostileFrames.pingType || frame.type == HostileFrames.goAway { break }
            }
            // Half of it is not for them; the initial memory of a connection comes on top.
            #expect(try await server.metric("fanfare_http_held_bytes") <= 3 << 20)
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="process_memory"}"#) > 0)
            #expect(try await server.register("ben", token: 2) == 201)
            for connection in connections { await connection.close() }
            try await eventually("all of it is given back") {
                try await server.metric("fanfare_http_held_bytes") < 1 << 20
            }
            #expect(try await server.register("ana", token: 1) == 201)
        }
    }

    @Test func `what dribbles ends in time, on both versions of HTTP`() async throws {
        try await BuiltServer.with { server in
            let two = try await SilentConnection(to: server.edgePort)
            let fields = HostileFrames.request("POST", "/v1/tracking", HostileFrames.guess)
            try await two.send(HostileFrames.hello() + HostileFrames.headers(1, fields, ends: false))
            let one = try await SilentConnection(to: server.edgePort)
            let head = "POST /v1/tracking HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n"
            try await one.send(Array((head + "Authorization: Bearer \(HostileFrames.guess)\r\n\r\n").utf8))
            // This is about time: without the deadline both go on for as long as a byte comes.
            try await eventually("both are ended", within: .seconds(50)) {
                try? await two.send(HostileFrames.data(1, [32]))
                try? await one.send([32])
                return two.isOver && one.isOver
            }
            #expect(try await server.metric(#"fanfare_http_refused_total{reason="deadline"}"#) == 2)
        }
    }
}

extension [UInt8] {
    /// A number in network byte order.
    var number: UInt32 { reduce(0) { $0 << 8 | UInt32($1) } }
}
