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
        #expect(pair.client.oldestSubmittedAt == 100)
        let count = pair.client.expire(submittedBefore: 300) { pair.ends.append(HTTP2Pair.keep($0)) }
        #expect(count == 2)
        #expect(pair.ends.map(\.tag) == [1, 2])
        #expect(pair.ends.allSatisfy { $0.kind == .deadline })
        #expect(pair.client.inFlight == 1)
        for streamID in [Int32(1), 3, 5] { try pair.server.respond(streamID: streamID, status: 200) }
        try pair.pump()
        #expect(pair.ends.map(\.tag) == [1, 2, 3])
        #expect(pair.client.freeSlots == HTTP2ClientSession.Configuration().streamsMax)
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
