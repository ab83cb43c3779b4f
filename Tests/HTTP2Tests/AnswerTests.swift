import Testing

@testable import HTTP2

/// Answers in all forms that RFC 9113 section 8.1 allows, and in some that it does not.
@Suite struct AnswerTests {
    private static let ok: [UInt8] = [0x88]

    private func peer() throws -> ScriptedPeer {
        let peer = try ScriptedPeer()
        try peer.submit(tag: 1)
        _ = peer.hear()
        return peer
    }

    @Test func `interim answers, padding, priority, CONTINUATION and trailers are taken off`() throws {
        let peer = try self.peer()
        let early = ScriptedPeer.field(":status", "103") + ScriptedPeer.field("date", "early")
        let fields = ScriptedPeer.field(":status", "429") + ScriptedPeer.field("retry-after", "7")
        var padded: [UInt8] = [3, 0, 0, 0, 0, 9]
        padded += fields.prefix(10)
        padded += [0, 0, 0]
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 0x04, stream: 1, early))
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 0x28, stream: 1, padded))
        try peer.say(ScriptedPeer.frame(FrameType.continuation, flags: 0, stream: 1, []))
        try peer.say(ScriptedPeer.frame(FrameType.continuation, flags: 4, stream: 1, Array(fields.dropFirst(10))))
        try peer.say(ScriptedPeer.frame(FrameType.data, flags: 8, stream: 1, [2, 0x7B, 0x7D, 0, 0]))
        #expect(peer.ends.isEmpty)
        let trailers = ScriptedPeer.field("retry-after", "1000")
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 0x05, stream: 1, trailers))
        let end = HTTP2Pair.End(tag: 1, kind: .answered, status: 429, retryAfter: "7", body: "{}")
        #expect(peer.ends == [end])
    }

    @Test(arguments: [(0x88, 200), (0x89, 204), (0x8A, 206), (0x8B, 304), (0x8C, 400), (0x8D, 404), (0x8E, 500)])
    func `an answer of one octet is the status of the static table`(octet: UInt8, status: UInt16) throws {
        let peer = try self.peer()
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, [octet]))
        #expect(peer.ends == [HTTP2Pair.End(tag: 1, kind: .answered, status: status)])
    }

    static let malformed: [[UInt8]] = [
        field("date", "now"),
        field(":status", "20"),
        field(":status", "2x0"),
        field(":status", "099"),
        ok + ok,
        field("date", "now") + ok,
        ok + field(":path", "/"),
        field(":status", "101"),
        field(":status", "100"),
        [0x82],
    ]

    private static func field(_ name: String, _ value: String) -> [UInt8] { ScriptedPeer.field(name, value) }

    @Test(arguments: malformed)
    func `a malformed answer costs its stream and no other`(block: [UInt8]) throws {
        let peer = try self.peer()
        try peer.submit(tag: 2)
        _ = peer.hear()
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, block))
        let reset = ScriptedPeer.Frame(type: FrameType.resetStream, flags: 0, stream: 1, payload: [0, 0, 0, 1])
        #expect(peer.hear() == [reset])
        #expect(peer.ends.map(\.tag) == [1])
        #expect(peer.ends.map(\.kind) == [.reset(code: 1)])
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 3, Self.ok))
        #expect(peer.ends.map(\.tag) == [1, 2])
    }

    @Test func `a body before the status is malformed, trailers must end the stream`() throws {
        let peer = try self.peer()
        try peer.submit(tag: 2)
        _ = peer.hear()
        try peer.say(ScriptedPeer.frame(FrameType.data, flags: 1, stream: 1, [1]))
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 4, stream: 3, Self.ok))
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 4, stream: 3, Self.field("date", "now")))
        #expect(peer.ends.map(\.kind) == [.reset(code: 1), .answered])
    }

    @Test func `a block whose request was given up in the middle is nobody's`() throws {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.streamsMax = 1
        let peer = try ScriptedPeer(sizes)
        try peer.submit(tag: 1, at: 1)
        _ = peer.hear()
        let indexed: [UInt8] = [0x40, 1, 0x61, 1, 0x62]
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 1, stream: 1, Self.field(":status", "410")))
        #expect(peer.client.expire(submittedBefore: 2, resetsMax: 10) { peer.ends.append(HTTP2Pair.keep($0)) } == 1)
        // The next request gets the same entry.
        try peer.submit(tag: 2, at: 2)
        _ = peer.hear()
        let rest = Self.field("retry-after", "5") + indexed
        try peer.say(ScriptedPeer.frame(FrameType.continuation, flags: 4, stream: 1, rest))
        #expect(peer.ends.map(\.tag) == [1])
        // The table was kept up to date all the same: its newest entry is there.
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 3, Self.ok + [0xBE]))
        #expect(peer.ends.last == HTTP2Pair.End(tag: 2, kind: .answered, status: 200))
    }

    @Test func `an answer after the end of its stream is dropped`() throws {
        let peer = try self.peer()
        for _ in 0..<3 { try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, Self.ok)) }
        try peer.say(ScriptedPeer.frame(FrameType.data, flags: 1, stream: 1, [1, 2, 3]))
        try peer.say(ScriptedPeer.frame(FrameType.resetStream, stream: 1, [0, 0, 0, 2]))
        try peer.say(ScriptedPeer.windowUpdate(1, 5))
        #expect(peer.ends.map(\.tag) == [1])
    }
}
