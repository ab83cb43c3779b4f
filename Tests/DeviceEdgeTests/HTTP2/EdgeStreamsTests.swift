import Delivery
import Foundation
import HTTP2
import PrivateServers
import Seeds
import Servers
import Testing

@testable import DeviceEdge
@testable import WebServing

/// HTTP/2 on the edge's own address.
@Suite struct EdgeStreamsTests {
    private static let own = ["FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:0"]
    private static let fast = own.merging(["FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "100000"]) { $1 }

    @Test(arguments: [Int.max, 7, 1])
    func `many requests on one connection are each answered as they deserve, however it is cut`(
        pieces: Int
    )
        async throws
    {
        try await EdgeFixture.with(settings: Self.fast) { server in
            let secret = try await server.secret("ana")
            var (asked, statuses) = ([StreamClient.Asked](), [Int]())
            // More streams than a connection may have at once; the small pieces take longer.
            for round in 0..<(pieces == .max ? 200 : 6) {
                asked += [
                    .init("GET", "/v1/messages/none", secret: secret, id: "a\(round)"),
                    .init("POST", "/v1/tracking", secret: secret, id: "b\(round)", body: "{\"events\":[]}"),
                    .init("POST", "/v1/tracking", secret: "nobody's", id: "c\(round)", body: "{\"events\":[]}"),
                    .init("GET", "/livez", secret: secret, id: "d\(round)"),
                    .init("GET", "/v1/campaigns", secret: secret, id: "e\(round)"),
                ]
                statuses += [404, 422, 403, 200, 404]
            }
            let port = try #require(server.edgePort)
            let answers = try await StreamClient.run(asked, to: port, pieces: pieces)
            let isAsExpected = answers.map(\.status) == statuses
            #expect(isAsExpected, "\(answers.prefix(10))")
            #expect(answers[1].body.contains("events is empty") && answers[3].body == "ok\n", "\(answers[1].body)")
        }
    }

    @Test func `a client that was answered before it had sent all has five seconds for the rest`() {
        let end = MonotonicInstant(nanoseconds: 5_000_000_000)
        for (phase, isLeftOver) in [
            (HTTP2ServerSession.Phase.rest, true), (.answer, false), (.request(received: 0), false),
        ] {
            #expect(EdgeStreamRule.isLeftOver(phase, since: 0, now: end) == isLeftOver)
        }
        #expect(!EdgeStreamRule.isLeftOver(.rest, since: 1, now: end))
        let later = MonotonicInstant(nanoseconds: 3_600_000_000_000)
        #expect(!EdgeStreamRule.isLate(.rest, since: 0, now: later))
    }

    @Test func `HTTP 2 and 1 give the same answers with the same fields`() async throws {
        try await EdgeFixture.with(settings: Self.fast) { server in
            let secret = try await server.secret("ana")
            let content = try await server.ask("PUT", "/v1/apps/news/contents/c-1", body: "Olé", type: "text/plain")
            try #require(content.status == 201)
            let large = "{\"events\":[]}" + String(repeating: " ", count: 300_000)
            let asked: [(String, String, [String], String?)] = [
                ("GET", "/v1/messages/c-1", [], nil), ("HEAD", "/v1/messages/c-1", [], nil),
                ("GET", "/v1/messages/c-1", ["Range: bytes=0-1"], nil), ("GET", "/v1/messages/c-2", [], nil),
                ("POST", "/v1/tracking", [], "{"), ("POST", "/v1/tracking", [], large),
                ("PATCH", "/v1/tracking", [], nil),
                ("POST", "/v1/tracking?x=1", [], "{\"events\":[]}"), ("GET", "/livez", [], nil),
                ("POST", "/v1/tracking", ["X-Large: " + String(repeating: "a", count: 20_000)], "{\"events\":[]}"),
                ("DELETE", "/v1/devices/ben", [], nil),
            ]
            for (method, path, headers, body) in asked {
                var replies: [PrivateServer.Reply] = []
                for http in EdgeHTTP.allCases {
                    var server = server
                    server.edgeHTTP = http
                    let headers = headers + ["X-Request-ID: same"]
                    replies.append(
                        try await server.ask(method, path, token: secret, headers: headers, body: body, atEdge: true)
                    )
                }
                #expect(replies[0].status == replies[1].status, "\(method) \(path)")
                #expect(replies[0].text == replies[1].text, "\(method) \(path)")
                let fields = replies.map { $0.fields.filter { !["date", "connection"].contains($0.key) } }
                #expect(fields[0] == fields[1], "\(method) \(path)")
                #expect(replies.allSatisfy { $0.fields["date"] != nil }, "\(method) \(path)")
            }
        }
    }

    @Test func `who breaks the protocol is told so and cut off, and others go on`() async throws {
        try await EdgeFixture.with(settings: Self.own) { server in
            let port = try #require(server.edgePort)
            var random = SeededRandom(seed: 8)
            for round in 0..<20 {
                let connection = try await RawConnection(to: port)
                let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
                // DATA on a stream that was never opened, or noise.
                let bad = round == 0 ? RawFrames.bytes(.init(type: 0, stream: 1, payload: [1])) : noise
                try await connection.send(RawFrames.preface + RawFrames.bytes(.init(type: RawFrames.settings)) + bad)
                // Noise may be the beginning of a large frame that never comes.
                if round == 0 {
                    var types: [UInt8] = []
                    for await frame in connection.frames { types.append(frame.type) }
                    #expect(types.last == RawFrames.goAway)
                }
                await connection.close()
            }
            #expect(try await server.register("ana", key: EdgeFixture.key("news")).status == 201)
        }
    }

    @Test func `a client that takes no answers is soon told to come again, and costs no more memory`() async throws {
        try await EdgeFixture.with(settings: Self.fast) { server in
            let secret = try await server.secret("ana")
            let text = String(repeating: "a", count: 2_000_000)
            let put = try await server.ask("PUT", "/v1/apps/news/contents/big", body: text, type: "text/plain")
            try #require(put.status == 201)
            let connection = try await RawConnection(to: try #require(server.edgePort))
            // SETTINGS_INITIAL_WINDOW_SIZE: no byte of any body.
            try await connection.send(RawFrames.preface + RawFrames.bytes(RawFrames.setting(4, 0)))
            let fields = [
                (":method", "GET"), (":scheme", "http"), (":path", "/v1/messages/big"), (":authority", "127.0.0.1"),
                ("authorization", "Bearer \(secret)"),
            ]
            var frames = connection.frames.makeAsyncIterator()
            var answers: [UInt8?] = []
            for number in 0..<20 {
                let stream = UInt32(2 * number + 1)
                try await connection.send(RawFrames.bytes(RawFrames.request(stream, fields)))
                while let frame = await frames.next() {
                    guard frame.type == RawFrames.headers, frame.stream == stream else { continue }
                    answers.append(frame.payload.first)
                    break
                }
            }
            // 200 four times: 8 MiB hold that many bodies of two million bytes each. Then 503.
            #expect(answers.count == 20 && answers.prefix(4).allSatisfy { $0 == 0x88 }, "\(answers)")
            #expect(answers.dropFirst(4).allSatisfy { $0 != 0x88 }, "\(answers)")
            // However many wait, only one copy of it exists.
            let contents = try #require(server.server.role(ServedEdge.self)).core.contents
            #expect(contents.count == 1)
            #expect(server.server.core.load.metrics.budget.held < 3_000_000)
            await connection.close()
            try await eventually("the copy goes with the last who fetches it") {
                contents.count == 0
            }
        }
    }
}
