import Campaigns
import Foundation
import NIOCore
import NIOPosix
import PrivateServers
import Testing

@testable import DeviceEdge
@testable import WebServing

/// The fast path, on which a connection's loop answers the edge's requests.
@Suite struct FastPathTests {
    @Test func `requests that come together are answered in their order, on the fast path and beside it`() async throws
    {
        let settings = ["FANFARE_SERVER_EDGE_REQUESTS_PER_SECOND": "100000"]
        try await EdgeFixture.with(settings: settings) { server in
            let secret = try await server.secret("ana")
            let events = "{\"events\":[]}"
            let chunked = "d\r\n\(events)\r\n0\r\n\r\n"
            // Alternating requests of the fast path, of the API and of the edge's general path.
            var (asked, statuses) = ("", [Int]())
            for round in 0..<20 {
                asked += head("GET /v1/messages/none", secret, "a\(round)") + "\r\n"
                asked += head("GET /livez", secret, "b\(round)") + "\r\n"
                asked += head("POST /v1/tracking", secret, "c\(round)", "Content-Length: 13") + "\r\n" + events
                asked += head("POST /v1/tracking", secret, "d\(round)", "Transfer-Encoding: chunked") + "\r\n" + chunked
                asked += head("DELETE /v1/devices/nobody", "wrong", "e\(round)") + "\r\n"
                statuses += [404, 200, 422, 422, 403]
            }
            for piece in [asked.utf8.count, 7] {
                let answers = try await Exchange.run(asked, to: server.port, pieces: piece, answers: statuses.count)
                #expect(answers.map(\.status) == statuses)
                let ids = (0..<20).flatMap { round in "abcde".map { "\($0)\(round)" } }
                #expect(answers.map(\.id) == ids)
            }
        }
    }

    @Test func `a phone that closes its side behind a request still gets the answer`() async throws {
        try await EdgeFixture.with { server in
            let secret = try await server.secret("ana")
            for way in ["", "Connection: close"] {
                let asked = head("GET /v1/messages/none", secret, "last", way) + "\r\n"
                let answers = try await Exchange.run(asked, to: server.port, isClosing: true, answers: 1)
                #expect(answers.map(\.status) == [404] && answers.map(\.id) == ["last"])
            }
        }
    }

    @Test func `what is no HTTP behind a request is refused after its answer`() async throws {
        try await EdgeFixture.with { server in
            let secret = try await server.secret("ana")
            let asked = head("GET /v1/messages/none", secret, "good") + "\r\n" + "no request\r\n\r\n"
            let answers = try await Exchange.run(asked, to: server.port, answers: 2)
            #expect(answers.map(\.status) == [404, 400])
        }
    }

    @Test func `an answer of the fast path says when it was given`() async throws {
        try await EdgeFixture.with { server in
            let reply = try await server.ask("GET", "/v1/messages/none", token: "wrong")
            let date = try #require(reply.fields["date"])
            let known = try /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/.wholeMatch(in: date)
            #expect(known != nil, "\(date)")
        }
        var field = DateField()
        // The example of RFC 9110, section 5.6.7.
        #expect(field.text(at: Timestamp(milliseconds: 784_111_777_999)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(field.text(at: Timestamp(milliseconds: 784_111_778_000)) == "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(field.text(at: Timestamp(milliseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    private func head(_ line: String, _ secret: String, _ id: String, _ more: String = "") -> String {
        let fields = [
            "Host: 127.0.0.1", "Authorization: Bearer \(secret)", "X-Request-ID: \(id)",
            "Content-Type: application/json", more,
        ]
        return "\(line) HTTP/1.1\r\n" + fields.filter { !$0.isEmpty }.map { $0 + "\r\n" }.joined()
    }
}

/// One connection with arbitrary bytes, and the answers to them.
private enum Exchange {
    struct Answer: Sendable {
        let status: Int
        /// The request's own id, which the answer repeats.
        let id: String
    }

    static func run(
        _ asked: String,
        to port: Int,
        pieces: Int = .max,
        isClosing: Bool = false,
        answers count: Int
    ) async throws -> [Answer] {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        var rest = Array(asked.utf8)[...]
        while !rest.isEmpty {
            try await channel.writeAndFlush(ByteBuffer(bytes: rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        if isClosing { try await channel.close(mode: .output) }
        var (text, found) = ("", [Answer]())
        for await piece in stream {
            text += piece
            while found.count < count, let answer = next(&text) { found.append(answer) }
            if found.count == count { break }
        }
        try? await channel.close()
        return found
    }

    private static func next(_ text: inout String) -> Answer? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
        let length = Int(field("content-length") ?? "") ?? 0
        let body = text[end.upperBound...]
        guard body.utf8.count >= length else { return nil }
        text = String(decoding: Array(body.utf8.dropFirst(length)), as: UTF8.self)
        return Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0, id: field("x-request-id") ?? "")
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<String>.Continuation

        init(_ continuation: AsyncStream<String>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    }
}
