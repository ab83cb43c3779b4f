import HTTP2
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: [1, 11, 100_000])
    func `a request arrives as it was written and its answer comes back`(chunk: Int) throws {
        let pair = try HTTP2Pair()
        try pair.submit(tag: 7, body: #"{"aps":{}}"#)
        var seen: [String] = []
        try pair.carryUp(chunk: chunk)
        let bytes = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        #expect(bytes.isEmpty)
        #expect(pair.requests == [1])

        // The pump takes the answer: make a second request and look inside.
        try pair.submit(tag: 8, body: "second")
        let more = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        for piece in HTTP2Pair.pieces(more, chunk) { try piece.withUnsafeBytes { try pair.server.receive($0) } }
        pair.server.takeRequests { request in
            request.forEachField { name, value in
                seen.append("\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
            }
            #expect(request.body == Array("second".utf8))
            #expect(request.value(of: "apns-id") == Array("id-8".utf8))
            #expect(request.value(of: "nothing") == nil)
            #expect(request.streamID == 3)
        }
        #expect(
            seen == [
                ":method=POST", ":scheme=https", ":authority=localhost", ":path=/3/device/8",
                "apns-topic=com.example.news", "apns-expiration=1790000000", "authorization=bearer secret-token",
                "apns-id=id-8",
            ]
        )
        try pair.server.respond(
            streamID: 1,
            status: 429,
            fields: [HeaderField("retry-after", "90"), HeaderField("date", "now")],
            body: Array(#"{"reason":"TooManyRequests"}"#.utf8)
        )
        try pair.server.respond(streamID: 3, status: 200)
        try pair.pump(chunk: chunk)
        #expect(
            pair.ends.sorted { $0.tag < $1.tag } == [
                HTTP2Pair.End(
                    tag: 7,
                    kind: .answered,
                    status: 429,
                    retryAfter: "90",
                    body: #"{"reason":"TooManyRequests"}"#
                ),
                HTTP2Pair.End(tag: 8, kind: .answered, status: 200),
            ]
        )
        #expect(pair.client.inFlight == 0)
        #expect(pair.server.openStreams == 0)
    }

    @Test func `ten thousand requests through a hundred slots each end once`() throws {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.streamsMax = 100
        let pair = try HTTP2Pair(client: sizes)
        try pair.pump()
        var next: UInt64 = 0
        while next < 10_000 {
            while pair.client.freeStreams > 0 && next < 10_000 {
                // Bodies of all sizes, so that entries grow and are reused by small ones.
                try pair.submit(tag: next, body: String(repeating: "x", count: Int(next * 37 % 6000)))
                next += 1
            }
            try pair.carryUp()
            for streamID in pair.requests { try pair.server.respond(streamID: streamID, status: 200) }
            pair.requests = []
            try pair.pump()
        }
        #expect(pair.ends.count == 10_000)
        #expect(Set(pair.ends.map(\.tag)).count == 10_000)
        #expect(pair.ends.allSatisfy { $0.kind == .answered && $0.status == 200 })
    }

    @Test func `an answer's body is cut at the cap`() throws {
        let pair = try HTTP2Pair()
        try pair.submit(tag: 1)
        try pair.pump()
        try pair.server.respond(streamID: 1, status: 400, body: [UInt8](repeating: 0x62, count: 40_000))
        try pair.pump()
        #expect(pair.ends.first?.body == String(repeating: "b", count: 4096))
    }

    @Test func `an interim answer does not count as one`() throws {
        let pair = try HTTP2Pair()
        try pair.submit(tag: 1)
        try pair.pump()
        #expect(pair.ends.isEmpty)
        try pair.server.reset(streamID: 1, code: HTTP2ErrorCode.internalError)
        try pair.pump()
        #expect(pair.ends == [HTTP2Pair.End(tag: 1, kind: .reset(code: 2), status: 0)])
    }

    @Test func `a value that must not be indexed never enters the table`() throws {
        let pair = try HTTP2Pair()
        try pair.pump()
        try pair.submit(tag: 1)
        let first = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        try pair.submit(tag: 1)
        let second = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        try pair.submit(tag: 1)
        let third = HTTP2Pair.output { pair.client.drain(into: $0, threshold: 15_000) }
        // The shared fields are one byte each from the second request on; literals stay, so the size settles.
        #expect(second.count < first.count)
        #expect(third.count == second.count)
        for bytes in [first, second, third] { try bytes.withUnsafeBytes { try pair.server.receive($0) } }
        var count = 0
        pair.server.takeRequests { request in
            #expect(request.value(of: "authorization") == Array("bearer secret-token".utf8))
            count += 1
        }
        #expect(count == 3)
        // 0x1f 0x08: a never-indexed literal whose name is entry 23 of the static table, "authorization".
        #expect(second.indices.dropLast().contains { second[$0] == 0x1F && second[$0 + 1] == 0x08 })
    }
}
