import Sanitizers
import Testing

@testable import HTTP2

/// Bytes that no sane server sends: they cause an error, never a trap or unbounded work.
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
        _ = HTTP2Pair.output { session.drain(into: $0, threshold: 15_000) }
        // A literal of 4,000 bytes that is added to the table, then that entry again and again: few bytes, much text.
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
        _ = HTTP2Pair.output { session.drain(into: $0, threshold: 15_000) }
        var bytes = Self.settings + frame(type: 1, flags: 0, stream: 1, [0x88])
        for _ in 0..<1000 { bytes += frame(type: 9, flags: 0, stream: 1, []) }
        #expect(throws: HTTP2Error.self) { try bytes.withUnsafeBytes { try session.receive($0) } }
    }

    @Test func `what is not HTTP/2 is an error or a goodbye`() throws {
        for text in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", String(repeating: "x", count: 100_000)] {
            do {
                let session = try self.feed(Array(text.utf8))
                _ = HTTP2Pair.output { session.drain(into: $0, threshold: 15_000) }
                #expect(session.isFinished)
            } catch let error as HTTP2Error {
                #expect(error.code != .internalFailure)
            }
        }
    }

    /// Frames that end the connection, and the error code sent to the peer.
    static let violations: [(String, [UInt8], UInt32)] = [
        ("a frame beyond the maximum", [0, 0x40, 1, 0, 0, 0, 0, 0, 1], 6),
        ("SETTINGS of a stream", ScriptedPeer.frame(4, stream: 1), 1),
        ("SETTINGS of 5 bytes", ScriptedPeer.frame(4, [0, 0, 0, 0, 0]), 6),
        ("an acknowledgement with a payload", ScriptedPeer.frame(4, flags: 1, [0, 0, 0, 0, 0, 0]), 6),
        ("push", ScriptedPeer.settings([(2, 1)]), 1),
        ("a window beyond 2³¹−1", ScriptedPeer.settings([(4, 0x8000_0000)]), 3),
        ("a small frame size", ScriptedPeer.settings([(5, 16_383)]), 1),
        ("33 parameters", ScriptedPeer.settings((0..<33).map { (UInt16(100 + $0), 1) }), 11),
        ("PUSH_PROMISE", ScriptedPeer.frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x88]), 1),
        ("PING of a stream", ScriptedPeer.frame(6, stream: 1, [0, 0, 0, 0, 0, 0, 0, 0]), 1),
        ("PING of 7 bytes", ScriptedPeer.frame(6, [0, 0, 0, 0, 0, 0, 0]), 6),
        ("GOAWAY of a stream", ScriptedPeer.frame(7, stream: 1, [0, 0, 0, 0, 0, 0, 0, 0]), 1),
        ("GOAWAY of 7 bytes", ScriptedPeer.frame(7, [0, 0, 0, 0, 0, 0, 0]), 6),
        ("WINDOW_UPDATE by 0", ScriptedPeer.windowUpdate(0, 0), 1),
        ("WINDOW_UPDATE of 3 bytes", ScriptedPeer.frame(8, [0, 0, 1]), 6),
        ("a connection window beyond 2³¹−1", ScriptedPeer.windowUpdate(0, 0x7FFF_FFFF), 3),
        ("a stream window beyond 2³¹−1", ScriptedPeer.windowUpdate(1, 0x7FFF_FFFF), 3),
        ("HEADERS of an idle stream", ScriptedPeer.frame(1, flags: 5, stream: 5, [0x88]), 1),
        ("HEADERS of the peer's stream", ScriptedPeer.frame(1, flags: 5, stream: 2, [0x88]), 1),
        ("HEADERS of no stream", ScriptedPeer.frame(1, flags: 5, [0x88]), 1),
        ("DATA of an idle stream", ScriptedPeer.frame(0, stream: 5, [1]), 1),
        ("RST_STREAM of an idle stream", ScriptedPeer.frame(3, stream: 5, [0, 0, 0, 0]), 1),
        ("RST_STREAM of 3 bytes", ScriptedPeer.frame(3, stream: 1, [0, 0, 0]), 6),
        ("WINDOW_UPDATE of an idle stream", ScriptedPeer.windowUpdate(5, 1), 1),
        ("PRIORITY of 4 bytes", ScriptedPeer.frame(2, stream: 1, [0, 0, 0, 0]), 6),
        ("more padding than frame", ScriptedPeer.frame(1, flags: 13, stream: 1, [2, 0x88]), 1),
        ("no padding length", ScriptedPeer.frame(0, flags: 8, stream: 1, []), 1),
        ("a priority that is cut", ScriptedPeer.frame(1, flags: 0x25, stream: 1, [0, 0, 0, 0]), 6),
        ("CONTINUATION of nothing", ScriptedPeer.frame(9, flags: 4, stream: 1, [0x88]), 1),
        (
            "a frame within a header block",
            ScriptedPeer.frame(1, flags: 1, stream: 1, [0x88]) + ScriptedPeer.frame(6, Array(1...8)), 1
        ),
        ("an index beyond the table", ScriptedPeer.frame(1, flags: 5, stream: 1, [0xFE]), 9),
        ("a block that is cut", ScriptedPeer.frame(1, flags: 5, stream: 1, [0x88, 0x40]), 9),
        (
            "a refusal that is taken back",
            ScriptedPeer.frame(7, [0, 0, 0, 1, 0, 0, 0, 0]) + ScriptedPeer.frame(7, [0, 0, 0, 3, 0, 0, 0, 0]), 1
        ),
    ]

    @Test(arguments: violations)
    func `a violation ends the connection with a farewell and every request once`(
        name: String,
        bytes: [UInt8],
        code: UInt32
    ) throws {
        let peer = try ScriptedPeer()
        try peer.submit(tag: 1)
        try peer.submit(tag: 2)
        _ = peer.hear()
        #expect(throws: HTTP2Error.self, "\(name)") { try peer.say(bytes) }
        let farewell = peer.hear().last
        #expect(farewell?.type == FrameType.goAway, "\(name)")
        let payload: [UInt8] = ScriptedPeer.bytes(0) + ScriptedPeer.bytes(code)
        #expect(farewell?.payload == payload, "\(name)")
        #expect(peer.client.isFinished)
        // Later bytes are ignored.
        try peer.say([1, 2, 3])
        peer.client.endAll { peer.ends.append(HTTP2Pair.keep($0)) }
        #expect(peer.ends.map(\.tag).sorted() == [1, 2], "\(name)")
    }

    @Test func `bytes changed at random never trap`() throws {
        var state: UInt64 = 0x5EED
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for round in 0..<Sanitizer.rounds(2000) {
            let pair = try HTTP2Pair()
            for tag: UInt64 in 1...5 { try pair.submit(tag: tag) }
            try pair.carryUp()
            for streamID in pair.requests {
                try pair.server.respond(
                    streamID: streamID,
                    status: random(3) == 0 ? 200 : 410,
                    fields: random(2) == 0 ? [] : [HeaderField("apns-id", "x")],
                    body: [UInt8](repeating: 0x7B, count: random(3) == 0 ? 0 : random(300))
                )
            }
            var bytes = try HTTP2Pair.output { try pair.server.drain(into: $0, threshold: 15_000) }
            for _ in 0...random(4) { bytes[random(bytes.count)] = UInt8(random(256)) }
            // An error is a valid end; each request must still end once.
            for piece in HTTP2Pair.pieces(bytes, round % 2 == 0 ? bytes.count : 1 + random(20)) {
                try? piece.withUnsafeBytes { try pair.client.receive($0) }
                if random(4) == 0 { pair.collectEnds() }
                if random(8) == 0 { _ = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) } }
            }
            pair.collectEnds()
            pair.client.endAll { pair.ends.append(HTTP2Pair.keep($0)) }
            #expect(pair.ends.map(\.tag).sorted() == [1, 2, 3, 4, 5])
        }
    }

    /// Frames of all types with random flags, streams, lengths and contents, between requests, expiry and sending.
    @Test func `frames made at random never trap, and each request ends once`() throws {
        var random = Random(state: 0xF00D)
        for _ in 0..<Sanitizer.rounds(1500) {
            var sizes = HTTP2ClientSession.Configuration()
            sizes.streamsMax = 8
            let peer = try ScriptedPeer(sizes)
            var submitted: UInt64 = 0
            for step in 0..<60 {
                if peer.client.freeStreams > 0, random.below(2) == 0 {
                    submitted += 1
                    try peer.submit(tag: submitted, body: random.text(200), at: Int64(step))
                }
                if random.below(2) == 0 { _ = peer.hear(threshold: 1 + random.below(300)) }
                // An error ends the connection; later bytes are ignored.
                try? peer.say(random.frame())
                if random.below(10) == 0 {
                    _ = peer.client.expire(submittedBefore: Int64(step - 20), resetsMax: 10) {
                        peer.ends.append(HTTP2Pair.keep($0))
                    }
                }
            }
            peer.client.endAll { peer.ends.append(HTTP2Pair.keep($0)) }
            let tags = peer.ends.map(\.tag).sorted()
            #expect(tags == (0..<submitted).map { $0 + 1 })
            #expect(peer.client.inFlight == 0)
        }
    }
}

extension Random {
    /// Returns a frame that is often valid.
    mutating func frame() -> [UInt8] {
        let stream = UInt32(self.below(20))
        switch self.below(12) {
        case 0, 1, 2: return ScriptedPeer.frame(1, flags: 5, stream: stream | 1, [0x88])
        case 3:
            return ScriptedPeer.frame(1, flags: UInt8(4 + self.below(2)), stream: stream | 1, [0x8C, 0x0F, 0x10, 0])
        case 4: return ScriptedPeer.frame(0, flags: UInt8(self.below(2)), stream: stream | 1, self.text(60))
        case 5: return ScriptedPeer.frame(3, stream: stream | 1, [0, 0, 0, UInt8(self.below(13))])
        case 6: return ScriptedPeer.settings([(UInt16(3 + self.below(2)), UInt32(self.below(300)))])
        case 7: return ScriptedPeer.windowUpdate(stream, UInt32(1 + self.below(300)))
        case 8: return ScriptedPeer.frame(7, [0, 0, 0, UInt8(255 - self.below(250)), 0, 0, 0, 0])
        case 9:
            return ScriptedPeer.frame(1, flags: 1, stream: stream | 1, [0x88])
                + ScriptedPeer.frame(9, flags: 4, stream: stream | 1)
        case 10: return ScriptedPeer.frame(6, flags: UInt8(self.below(2)), self.text(0) + Array(1...8))
        default:
            let type = UInt8(self.below(12))
            return ScriptedPeer.frame(type, flags: UInt8(self.below(256)), stream: stream, self.text(40))
        }
    }
}
