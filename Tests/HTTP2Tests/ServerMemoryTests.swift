import Testing

@testable import HTTP2

/// The memory that a server session holds for its client.
@Suite struct ServerMemoryTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private func session(
        _ change: (inout HTTP2ServerSession.Configuration) -> Void = { _ in }
    ) throws
        -> HTTP2ServerSession
    {
        var configuration = HTTP2ServerSession.Configuration()
        configuration.keptBytesMax = 1 << 16
        change(&configuration)
        let session = try HTTP2ServerSession(configuration: configuration)
        try say(Self.preface + ScriptedPeer.settings([]), to: session)
        return session
    }

    private func say(_ bytes: [UInt8], to session: HTTP2ServerSession) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
    }

    private func hear(_ session: HTTP2ServerSession) throws -> [UInt8] {
        try HTTP2Pair.output { try session.drain(into: $0, threshold: 15_000) }
    }

    private func request(_ stream: UInt32, ends: Bool, _ more: [UInt8] = []) -> [UInt8] {
        let fields = [(":method", "POST"), (":scheme", "http"), (":authority", "a"), (":path", "/")]
        let block = fields.flatMap { ScriptedPeer.field($0.0, $0.1) } + more
        return ScriptedPeer.frame(1, flags: ends ? 5 : 4, stream: stream, block)
    }

    @Test func `what a client sends beyond the budget is not kept, whatever it refers to`() throws {
        let session = try session { $0.headerBytesMax = 1 << 20 }
        session.heldBytesMax = 1 << 20
        let entry: [UInt8] = [0x40, 1, 0x61, 0x7F, 0xA1, 0x1E] + Array(repeating: 0x62, count: 4000)
        try say(request(1, ends: false, entry), to: session)
        for number in 1..<256 as Range<UInt32> {
            try say(request(2 * number + 1, ends: false, Array(repeating: 0xBE, count: 15)), to: session)
        }
        #expect(session.isOverBudget)
        // The last array may have grown to twice its need.
        #expect(session.heldBytes < (1 << 20) + (1 << 18))
    }

    @Test func `what was held is given back with the last stream`() throws {
        let session = try session()
        let idle = session.heldBytes
        let body = ScriptedPeer.frame(0, stream: 1, [UInt8](repeating: 1, count: 16_000))
        for round in 0..<50 as Range<UInt32> {
            for number in 0..<100 as Range<UInt32> {
                let stream = 200 * round + 2 * number + 1
                var data = body
                data.replaceSubrange(5..<9, with: ScriptedPeer.bytes(stream))
                data[4] = 1
                try say(request(stream, ends: false) + data, to: session)
            }
            #expect(session.heldBytes > 1_600_000)
            var answered = 0
            session.takeRequests { request in
                try? session.respond(streamID: request.streamID, status: 200, body: [1])
                answered += 1
            }
            #expect(answered == 100)
            _ = try hear(session)
            #expect(session.openStreams == 0)
        }
        #expect(session.heldBytes < idle + (1 << 19), "\(session.heldBytes) \(idle)")
    }

    @Test func `an answer that others have too is nobody's own`() throws {
        final class Shared: AnswerBytes {
            let count = 1_000_000
            let isShared = true
            func copy(from start: Int, into buffer: UnsafeMutableRawBufferPointer) {
                for index in 0..<buffer.count { buffer[index] = UInt8(truncatingIfNeeded: start + index) }
            }
        }
        let session = try session()
        try say(request(1, ends: true), to: session)
        let before = session.heldBytes
        session.takeRequests { try? session.respond(streamID: $0.streamID, status: 200, bytes: Shared()) }
        #expect(session.unsentBytes == 1_000_000 && session.sharedUnsentBytes == 1_000_000)
        #expect(session.heldBytes < before + 4096)
        let heard = try hear(session)
        #expect(heard.count > 65_535 && session.unsentBytes == 1_000_000 - 65_535)
        // After the client's reset nothing waits any more.
        try say(ScriptedPeer.frame(3, stream: 1, [0, 0, 0, 8]), to: session)
        #expect(session.unsentBytes == 0 && session.sharedUnsentBytes == 0)
    }

    @Test func `fields behind a body are no header fields`() throws {
        let session = try session()
        try say(request(1, ends: false) + ScriptedPeer.frame(0, stream: 1, [1]), to: session)
        let trailers = ScriptedPeer.field("authorization", "Bearer x")
        try say(ScriptedPeer.frame(1, flags: 5, stream: 1, trailers), to: session)
        var seen = 0
        session.takeRequests { request in
            seen += 1
            let (key, count) = (request.value(of: "authorization"), request.fieldCount)
            #expect(key == nil && count == 4)
        }
        #expect(seen == 1)
    }

    @Test func `a request that is not wanted is answered before its body, which nobody keeps`() throws {
        let session = try refused()
        let held = session.heldBytes
        for _ in 0..<3 { try say(ScriptedPeer.frame(0, stream: 1, [UInt8](repeating: 1, count: 16_000)), to: session) }
        #expect(session.heldBytes <= held + 1024)
        // HEADERS and DATA with END_STREAM, and nothing that would make a client drop them.
        #expect(try hear(session).suffix(10) == [0, 0, 1, 0, 1, 0, 0, 0, 1, 1])
        #expect(session.openStreams == 1)
        try say(ScriptedPeer.frame(0, flags: 1, stream: 1, [1]), to: session)
        #expect(session.openStreams == 0 && session.ownResets == 0)
        var taken = 0
        session.takeRequests { _ in taken += 1 }
        #expect(taken == 0)
    }

    @Test func `who goes on with a request that was answered is told to stop, without blame`() throws {
        let session = try refused()
        _ = try hear(session)
        var phases: [String] = []
        session.forEachOpen { _, phase, since in phases.append("\(phase) \(since)") }
        #expect(phases == ["rest 0"])
        for _ in 0..<5 { try say(ScriptedPeer.frame(0, stream: 1, [UInt8](repeating: 1, count: 16_000)), to: session) }
        // RST_STREAM without an error.
        let reset: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        #expect(try hear(session).suffix(13) == reset)
        #expect(session.openStreams == 0 && session.ownResets == 0)
    }

    /// Returns a session that has refused a request by its header fields.
    private func refused() throws -> HTTP2ServerSession {
        let session = try session()
        try say(request(1, ends: false), to: session)
        session.takeHeads { head in
            let isWhole = head.isWhole
            #expect(!isWhole)
            try? session.respond(streamID: head.streamID, status: 401, body: [1])
            return false
        }
        return session
    }

    @Test func `streams that this side resets are counted`() throws {
        let session = try session()
        for number in 0..<100 as Range<UInt32> {
            let stream = 2 * number + 1
            try say(request(stream, ends: true) + ScriptedPeer.windowUpdate(stream, 0x7FFF_FFFF), to: session)
        }
        _ = try hear(session)
        #expect(session.ownResets == 100)
    }

    @Test func `each stream tells what it waits for, and since when`() throws {
        let session = try session()
        session.now = 5
        try say(request(1, ends: false) + request(3, ends: true), to: session)
        session.now = 9
        try say(request(5, ends: true), to: session)
        try session.respond(streamID: 5, status: 200, body: [UInt8](repeating: 1, count: 70_000))
        _ = try hear(session)
        var phases: [Int32: String] = [:]
        session.forEachOpen { phases[$0] = "\($1) \($2)" }
        #expect(phases == [1: "request(received: 39) 5", 3: "answer 5", 5: "taking(unsent: 4465) 9"])
    }
}
