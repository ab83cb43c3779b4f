import Testing

@testable import HTTP2

@Suite struct FlowControlTests {
    private static func data(_ frames: [ScriptedPeer.Frame]) -> [ScriptedPeer.Frame] {
        frames.filter { $0.type == FrameType.data }
    }

    @Test func `a body waits for the window of its stream and of the connection`() throws {
        let peer = try ScriptedPeer()
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try peer.submit(tag: 1, body: body)
        var seen = Self.data(peer.hear())
        #expect(seen.reduce(0) { $0 + $1.payload.count } == 65_535)
        #expect(seen.allSatisfy { $0.flags == 0 && $0.payload.count <= 16_384 })
        try peer.say(ScriptedPeer.windowUpdate(1, 1 << 20))
        #expect(peer.hear().isEmpty)
        try peer.say(ScriptedPeer.windowUpdate(0, 1000))
        seen += Self.data(peer.hear())
        #expect(seen.reduce(0) { $0 + $1.payload.count } == 66_535)
        try peer.say(ScriptedPeer.windowUpdate(0, 1 << 20))
        seen += Self.data(peer.hear())
        #expect(seen.last?.flags == FrameFlags.endStream)
        #expect(seen.flatMap(\.payload) == body)
    }

    @Test func `a stream that must wait holds up no other`() throws {
        let peer = try ScriptedPeer(settings: [(SettingsParameter.initialWindowSize, 10)])
        try peer.submit(tag: 1, body: [UInt8](repeating: 1, count: 25))
        try peer.submit(tag: 2, body: [UInt8](repeating: 2, count: 5))
        let seen = Self.data(peer.hear())
        #expect(seen.map(\.stream) == [1, 3])
        #expect(seen.map(\.payload.count) == [10, 5])
        #expect(seen.map(\.flags) == [0, FrameFlags.endStream])
        // SETTINGS widen all streams at once, and may make a window negative.
        try peer.say(ScriptedPeer.settings([(SettingsParameter.initialWindowSize, 4)]))
        try peer.say(ScriptedPeer.windowUpdate(1, 6))
        #expect(Self.data(peer.hear()).isEmpty)
        try peer.say(ScriptedPeer.settings([(SettingsParameter.initialWindowSize, 9)]))
        #expect(Self.data(peer.hear()).map(\.payload.count) == [5])
        try peer.say(ScriptedPeer.windowUpdate(1, 100))
        let last = Self.data(peer.hear())
        #expect(last.map(\.payload.count) == [10])
        #expect(last.map(\.flags) == [FrameFlags.endStream])
    }

    @Test func `a larger frame is used where the peer takes it`() throws {
        let peer = try ScriptedPeer(settings: [
            (SettingsParameter.maxFrameSize, 1 << 20), (SettingsParameter.initialWindowSize, 1 << 20),
        ])
        try peer.submit(tag: 1, body: [UInt8](repeating: 1, count: 20_000))
        // The room of the buffer at that time counts.
        #expect(Self.data(peer.hear()).reduce(0) { $0 + $1.payload.count } == 20_000)
    }

    @Test func `requests beyond the limit of streams wait, also for one that becomes smaller`() throws {
        let peer = try ScriptedPeer(settings: [(SettingsParameter.maxConcurrentStreams, 2)])
        for tag: UInt64 in 1...4 { try peer.submit(tag: tag) }
        #expect(peer.hear().map(\.stream) == [1, 1, 3, 3])
        #expect(peer.client.hasPendingBytes)
        try peer.say(ScriptedPeer.settings([(SettingsParameter.maxConcurrentStreams, 1)]))
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, [0x88]))
        #expect(peer.hear().map(\.type) == [FrameType.settings])
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 3, [0x88]))
        #expect(peer.hear().map(\.stream) == [5, 5])
        try peer.say(ScriptedPeer.settings([(SettingsParameter.maxConcurrentStreams, 0)]))
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 5, [0x88]))
        #expect(peer.hear().map(\.type) == [FrameType.settings])
        try peer.say(ScriptedPeer.settings([(SettingsParameter.maxConcurrentStreams, 9)]))
        #expect(peer.hear().map(\.stream) == [0, 7, 7])
        #expect(peer.ends.map(\.tag) == [1, 2, 3])
    }

    @Test func `bodies in the middle go on while no new stream may be opened`() throws {
        let peer = try ScriptedPeer(settings: [
            (SettingsParameter.maxConcurrentStreams, 1), (SettingsParameter.initialWindowSize, 10),
        ])
        try peer.submit(tag: 1, body: [UInt8](repeating: 1, count: 25))
        try peer.submit(tag: 2, body: [UInt8](repeating: 1, count: 5))
        _ = peer.hear()
        try peer.say(ScriptedPeer.windowUpdate(1, 100))
        #expect(peer.hear().map(\.payload.count) == [15])
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, [0x88]))
        #expect(Self.data(peer.hear()).map(\.stream) == [3])
    }

    @Test func `windows are given back, so that an answer of any size comes whole`() throws {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.connectionWindowBytes = 65_535
        let pair = try HTTP2Pair(client: sizes)
        for tag: UInt64 in 1...3 { try pair.submit(tag: tag) }
        try pair.carryUp()
        for streamID in pair.requests {
            try pair.server.respond(streamID: streamID, status: 400, body: [UInt8](repeating: 7, count: 400_000))
        }
        try pair.pump()
        #expect(pair.ends.map(\.status) == [400, 400, 400])
        #expect(pair.server.openStreams == 0)
    }

    @Test func `an answer that does not wait for the body ends it`() throws {
        let peer = try ScriptedPeer(settings: [(SettingsParameter.initialWindowSize, 10)])
        try peer.submit(tag: 1, body: [UInt8](repeating: 1, count: 25))
        _ = peer.hear()
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: 1, [0x8C]))
        #expect(peer.ends == [HTTP2Pair.End(tag: 1, kind: .answered, status: 400)])
        let reset = ScriptedPeer.Frame(type: FrameType.resetStream, flags: 0, stream: 1, payload: [0, 0, 0, 8])
        #expect(peer.hear().suffix(1) == [reset])
        try peer.say(ScriptedPeer.windowUpdate(1, 100))
        #expect(peer.hear().isEmpty)
        #expect(peer.client.freeStreams == HTTP2ClientSession.Configuration().streamsMax)
    }

    @Test func `a request given up in line is never sent, and its slot comes back`() throws {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.streamsMax = 2
        let peer = try ScriptedPeer(sizes, settings: [(SettingsParameter.maxConcurrentStreams, 0)])
        try peer.submit(tag: 1, at: 1)
        try peer.submit(tag: 2, at: 2)
        let count = peer.client.expire(submittedBefore: 2, resetsMax: 10) { peer.ends.append(HTTP2Pair.keep($0)) }
        #expect(count == 1)
        #expect(peer.ends == [HTTP2Pair.End(tag: 1, kind: .refused, status: 0)])
        try peer.say(ScriptedPeer.settings([(SettingsParameter.maxConcurrentStreams, 9)]))
        #expect(peer.hear().filter { $0.type == FrameType.headers }.map(\.stream) == [3])
        #expect(peer.client.freeStreams == 1)
    }

    @Test func `stream ids that have run out are told before a request is taken`() throws {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.firstStreamID = Int32.max - 2
        let peer = try ScriptedPeer(sizes)
        try peer.submit(tag: 1)
        try peer.submit(tag: 2)
        #expect(throws: HTTP2Error.self) {
            try peer.client.submit(now: 0) { _ in
                Issue.record("a request was taken that cannot be sent")
                return false
            }
        }
        #expect(peer.hear().map(\.stream) == [Int32.max - 2, Int32.max - 2, Int32.max, Int32.max])
        try peer.say(ScriptedPeer.frame(FrameType.headers, flags: 5, stream: UInt32(Int32.max), [0x88]))
        #expect(peer.ends.map(\.tag) == [2])
    }
}
