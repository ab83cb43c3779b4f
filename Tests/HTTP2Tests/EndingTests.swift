import HTTP2
import Testing

@Suite struct EndingTests {
    @Test func `GOAWAY refuses what is above its last stream and lets the others finish`() throws {
        let pair = try HTTP2Pair()
        for tag: UInt64 in 1...4 { try pair.submit(tag: tag) }
        try pair.carryUp()
        try pair.server.goAway(lastStreamID: 3, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        try pair.carryDown()
        let events = pair.client.takeEvents()
        #expect(events.goAway?.lastStreamID == 3)
        #expect(events.goAway?.debugData == Array(#"{"reason":"Shutdown"}"#.utf8))
        #expect(pair.ends.map(\.tag).sorted() == [3, 4])
        #expect(pair.ends.allSatisfy { $0.kind == .refused })
        try pair.server.respond(streamID: 1, status: 200)
        try pair.server.respond(streamID: 3, status: 410)
        try pair.pump()
        #expect(pair.ends.dropFirst(2).map(\.status).sorted() == [200, 410])
        #expect(pair.client.isFinished)
    }

    @Test func `a request after GOAWAY is refused, not lost`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        try pair.server.announceShutdown()
        try pair.pump()
        #expect(pair.client.takeEvents().goAway?.lastStreamID == Int32.max)
        try pair.submit(tag: 1)
        try pair.pump()
        #expect(pair.ends == [HTTP2Pair.End(tag: 1, kind: .refused, status: 0)])
    }

    @Test func `REFUSED_STREAM is known, any other reset is not`() throws {
        let pair = try HTTP2Pair()
        for tag: UInt64 in 1...3 { try pair.submit(tag: tag) }
        try pair.carryUp()
        try pair.server.reset(streamID: 1, code: HTTP2ErrorCode.refusedStream)
        try pair.server.reset(streamID: 3, code: HTTP2ErrorCode.internalError)
        try pair.server.reset(streamID: 5, code: HTTP2ErrorCode.enhanceYourCalm)
        try pair.carryDown()
        let kinds = pair.ends.sorted { $0.tag < $1.tag }.map(\.kind)
        #expect(kinds == [.refused, .reset(code: 2), .reset(code: 11)])
    }

    @Test func `a status counts even when the rest of the answer never comes`() throws {
        let pair = try HTTP2Pair()
        for tag: UInt64 in 1...3 { try pair.submit(tag: tag) }
        try pair.carryUp()
        try pair.server.respondWithoutEnd(streamID: 1, status: 200)
        try pair.server.respondWithoutEnd(streamID: 3, status: 503)
        try pair.carryDown()
        try pair.server.reset(streamID: 1, code: HTTP2ErrorCode.internalError)
        try pair.carryDown()
        pair.client.endAll { pair.ends.append(HTTP2Pair.keep($0)) }
        let ends = pair.ends.sorted { $0.tag < $1.tag }
        #expect(ends.map(\.kind) == [.answered, .answered, .connectionLost])
        #expect(ends.map(\.status) == [200, 503, 0])
    }

    @Test func `a lost connection tells what was never sent from what may have arrived`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        try pair.submit(tag: 1)
        try pair.carryUp()
        try pair.submit(tag: 2)
        pair.client.endAll { pair.ends.append(HTTP2Pair.keep($0)) }
        #expect(pair.ends.map(\.kind) == [.connectionLost, .refused])
        #expect(pair.client.inFlight == 0)
    }

    @Test func `a deadline ends the older streams only, and a late answer is not told again`() throws {
        let pair = try HTTP2Pair()
        try pair.submit(tag: 1, at: 100)
        try pair.submit(tag: 2, at: 200)
        try pair.submit(tag: 3, at: 300)
        try pair.carryUp()
        let count = pair.client.expire(submittedBefore: 300, resetsMax: 10) { pair.ends.append(HTTP2Pair.keep($0)) }
        #expect(count == 2)
        #expect(pair.ends.map(\.tag) == [1, 2])
        #expect(pair.ends.allSatisfy { $0.kind == .deadline })
        #expect(pair.client.inFlight == 1)
        for streamID in [Int32(1), 3, 5] { try pair.server.respond(streamID: streamID, status: 200) }
        try pair.pump()
        #expect(pair.ends.map(\.tag) == [1, 2, 3])
        #expect(pair.client.freeStreams == HTTP2ClientSession.Configuration().streamsMax)
    }

    @Test func `only so many deadlines reset their streams`() throws {
        let pair = try HTTP2Pair()
        for tag: UInt64 in 1...100 { try pair.submit(tag: tag) }
        try pair.carryUp()
        #expect(pair.server.openStreams == 100)
        let count = pair.client.expire(submittedBefore: 1, resetsMax: 2) { pair.ends.append(HTTP2Pair.keep($0)) }
        #expect(count == 100)
        #expect(pair.ends.map(\.tag) == Array(1...100))
        try pair.carryUp()
        #expect(pair.server.openStreams == 98)
    }

    @Test func `what a lost connection refused never leaves, not even with its farewell`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        try pair.submit(tag: 1)
        pair.client.endAll { pair.ends.append(HTTP2Pair.keep($0)) }
        #expect(pair.ends.map(\.kind) == [.refused])
        var room = [UInt8](repeating: 0, count: HTTP2ClientSession.frameBytesMax)
        let count = room.withUnsafeMutableBytes { HTTP2ClientSession.writeFarewell(into: $0) }
        try room.prefix(count).withUnsafeBytes { try pair.server.receive($0) }
        pair.server.takeRequests { _ in Issue.record("a request that was called refused arrived") }
        #expect(pair.server.isFinished, "the server has understood the GOAWAY")
    }

    @Test func `an answer without a status is told, and ends its stream while frames are sent`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        try pair.submit(tag: 1)
        try pair.carryUp()
        // HEADERS with END_STREAM and END_HEADERS: "content-length: 0" and nothing else.
        let headers: [UInt8] = [0, 0, 4, 1, 5, 0, 0, 0, 1, 0x0F, 0x0D, 1, 0x30]
        try headers.withUnsafeBytes { try pair.client.receive($0) }
        #expect(pair.client.takeEvents().hasInvalidFrame)
        try pair.carryUp()
        #expect(pair.client.hasEnded)
        pair.collectEnds()
        #expect(pair.ends.map(\.kind) == [.reset(code: HTTP2ErrorCode.protocolError)])
        #expect(!pair.client.hasEnded)
    }

    @Test func `SETTINGS and PING of the peer are counted, acknowledgements are not`() throws {
        let pair = try HTTP2Pair()
        pair.client.ping()
        try pair.pump()
        #expect(pair.client.takeEvents().controlFrames == 1, "its first SETTINGS")
        for _ in 0..<5 { try pair.server.ping() }
        try pair.server.changeMaxConcurrentStreams(5)
        try pair.pump()
        #expect(pair.client.takeEvents().controlFrames == 6)
    }

    @Test func `the peer's limit is known after SETTINGS only, and followed at each change`() throws {
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = 1
        let pair = try HTTP2Pair(server: configuration)
        #expect(pair.client.maxConcurrentStreams == nil)
        try pair.pump()
        #expect(pair.client.maxConcurrentStreams == 1)
        #expect(pair.client.takeEvents().hasSettings)
        for limit: UInt32 in [100, 0, 1000] {
            try pair.server.changeMaxConcurrentStreams(limit)
            try pair.pump()
            #expect(pair.client.maxConcurrentStreams == Int(limit))
            #expect(pair.client.takeEvents().hasSettings)
        }
        #expect(!pair.client.takeEvents().hasSettings)
    }

    @Test func `a PING is acknowledged`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        pair.client.ping()
        #expect(!pair.client.takeEvents().isPingAcknowledged)
        try pair.pump()
        #expect(pair.client.takeEvents().isPingAcknowledged)
    }
}
