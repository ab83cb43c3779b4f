import HTTP2
import Testing

/// Bytes that no sane server sends: an error, never a trap, never without end.
@Suite struct HostilePeerTests {
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    private func feed(_ bytes: [UInt8]) throws -> HTTP2ClientSession {
        let session = try HTTP2ClientSession()
        try bytes.withUnsafeBytes { try session.receive($0) }
        return session
    }

    private func frame(type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }

    @Test func `floods of SETTINGS and PING end the connection`() {
        let pings = Self.settings + (0..<10_000).flatMap { _ in frame(type: 6, flags: 0, stream: 0, Array(1...8)) }
        let settings = (0..<10_000).flatMap { _ in Self.settings }
        for bytes in [pings, settings] {
            let error = #expect(throws: HTTP2Error.self) { try self.feed(bytes) }
            #expect(error?.code == .flooded)
        }
    }

    @Test func `a header block without end ends the connection`() throws {
        let session = try HTTP2ClientSession()
        _ = try session.submit(now: 0) { request in
            request.setHeaders(HTTP2Pair.headers)
            Array("/3/device/1".utf8).withUnsafeBytes { request.setPath($0) }
            return true
        }
        _ = try HTTP2Pair.output { try session.send(into: $0, threshold: 15_000) }
        // A literal of 4,000 bytes that enters the table, then that entry again and again: few bytes, much text.
        let name: [UInt8] = [0x40, 0x01, 0x61]
        let value: [UInt8] = [0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
        let bomb = [0x88] + name + value + [UInt8](repeating: 0xBE, count: 1000)
        let bytes = Self.settings + frame(type: 1, flags: 4, stream: 1, bomb)
        #expect(throws: HTTP2Error.self) { try bytes.withUnsafeBytes { try session.receive($0) } }
    }

    @Test func `a CONTINUATION flood ends the connection`() throws {
        let session = try HTTP2ClientSession()
        _ = try session.submit(now: 0) { request in
            request.setHeaders(HTTP2Pair.headers)
            return true
        }
        _ = try HTTP2Pair.output { try session.send(into: $0, threshold: 15_000) }
        var bytes = Self.settings + frame(type: 1, flags: 0, stream: 1, [0x88])
        for _ in 0..<1000 { bytes += frame(type: 9, flags: 0, stream: 1, []) }
        #expect(throws: HTTP2Error.self) { try bytes.withUnsafeBytes { try session.receive($0) } }
    }

    @Test func `what is not HTTP/2 is an error or a goodbye`() throws {
        for text in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", String(repeating: "x", count: 100_000)] {
            do {
                let session = try self.feed(Array(text.utf8))
                _ = try HTTP2Pair.output { try session.send(into: $0, threshold: 15_000) }
                #expect(session.isFinished)
            } catch let error as HTTP2Error {
                #expect(error.code != .internalFailure)
            }
        }
    }

    @Test func `bytes changed at random never trap`() throws {
        var state: UInt64 = 0x5EED
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<400 {
            let pair = try HTTP2Pair()
            for tag: UInt64 in 1...5 { try pair.submit(tag: tag) }
            try pair.carryUp()
            for streamID in pair.requests {
                try pair.server.respond(
                    streamID: streamID,
                    status: 410,
                    fields: [HeaderField("apns-id", "x")],
                    body: Array("{}".utf8)
                )
            }
            var bytes = try HTTP2Pair.output { try pair.server.send(into: $0, threshold: 15_000) }
            for _ in 0...random(4) { bytes[random(bytes.count)] = UInt8(random(256)) }
            // An error is as good an end as any; each request must still end once.
            try? bytes.withUnsafeBytes { try pair.client.receive($0) }
            pair.collectEnds()
            pair.client.endAll { pair.ends.append(HTTP2Pair.keep($0)) }
            #expect(pair.ends.map(\.tag).sorted() == [1, 2, 3, 4, 5])
        }
    }
}
