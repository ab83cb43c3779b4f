import Delivery
import HTTP2
import NIOCore
import NIOPosix
import TLS
import Testing
import Transport

/// Wrong answers, and peers that send forbidden or useless frames.
extension ProviderFaults {
    @Test func `a connection that the peer resets is told in words, without the call and the number of the error`()
        async throws
    {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            if frame.type == .settings { connection.write(.settings(maxStreams: 10)) }
            if frame.type == .headers { connection.reset() }
        }
        let outcome = try await bed.run(port: peer.port, requests: 1, untilFailure: true)
        #expect(outcome.failures.first == .connect("ended before any answer: connection reset by peer"))
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P20: whatever the body is, the status counts, and at most 4 KiB are kept`() async throws {
        let bed = try Bed()
        let megabyte = #"{"reason":""# + String(repeating: "x", count: 1 << 20) + #""}"#
        let answers: [(status: Int, body: String)] = [
            (200, "\u{0}\u{1}\u{2}garbage"), (400, ""), (400, "<html><body>Bad Request</body></html>"),
            (400, #"{"reason":"#), (400, megabyte), (400, #"{"reason":"NewIn2027"}"#), (200, ""),
        ]
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            let answer = answers[PeerConnection.number(of: request)]
            connection.respond(request.streamID, answer.status, body: answer.body)
        }
        let outcome = try await bed.run(port: remote.port, requests: answers.count)
        for (index, answer) in answers.enumerated() {
            let kept = String(answer.body.prefix(4096))
            #expect(
                outcome.ends[UInt64(index)] == [.status(UInt16(answer.status), retryAfter: "", body: kept)]
            )
        }
        #expect(outcome.counters.handshakes == 1, "none of it costs the connection")
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P21: an interim answer is none, and 700 is a status`() async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            switch frame.type {
            case .settings: connection.write(.settings(maxStreams: 1000))
            case .headers where frame.stream == 1:
                for _ in 0..<3 { connection.write(.status(103, stream: 1, ends: false)) }
                connection.write(.status(200, stream: 1))
            case .headers: connection.write(.status(700, stream: frame.stream))
            default: break
            }
        }
        let outcome = try await bed.run(port: peer.port, requests: 2)
        #expect(outcome.ends[0] == [.status(200, retryAfter: "", body: "")])
        #expect(outcome.ends[1] == [.status(700, retryAfter: "", body: "")])
        #expect(outcome.counters.handshakes == 1)
        try await peer.stop()
        try await bed.stop()
    }

    /// The peer's frames after the first request.
    enum Attack: String, Sendable, CaseIterable {
        case answerWithoutStatus, headerBomb, continuationFlood, settingsFlood, pingFlood, pingsWithoutEnd, garbage,
            answersToNobody

        func run(on connection: ScriptedConnection, stream: UInt32) {
            typealias Frame = ScriptedPeer.Frame
            let complete = Frame.endHeaders
            // "content-length: 0": entry 28 of the static table, without indexing. A status would count as an answer.
            let field: [UInt8] = [0x0F, 0x0D, 1, 0x30]
            switch self {
            case .answerWithoutStatus:
                connection.write(Frame(type: .headers, flags: complete | 1, stream: stream, payload: field))
            case .headerBomb:
                // A literal of 4,000 bytes that is added to the table, then that entry again and again.
                let name: [UInt8] = [0x40, 0x01, 0x61]
                let value: [UInt8] = [0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
                let bomb = name + value + [UInt8](repeating: 0xBE, count: 10_000)
                connection.write(Frame(type: .headers, flags: complete, stream: stream, payload: bomb))
            case .continuationFlood:
                var bytes = Frame(type: .headers, stream: stream, payload: field).bytes
                for _ in 0..<20_000 { bytes += Frame(type: .continuation, stream: stream).bytes }
                connection.write(bytes)
            case .settingsFlood:
                connection.write((0..<10_000).flatMap { _ in Frame(type: .settings).bytes })
            case .pingFlood: connection.write((0..<10_000).flatMap { _ in Frame.ping.bytes })
            case .pingsWithoutEnd:
                // So few at once that every one can be acknowledged.
                connection.keepWriting(every: .milliseconds(1), (0..<50).flatMap { _ in Frame.ping.bytes })
            case .garbage: connection.write(Array(String(repeating: "HTTP/1.1 200 OK\r\n", count: 1000).utf8))
            case .answersToNobody:
                connection.write((0..<1000).flatMap { Frame.status(200, stream: 1001 + 2 * $0).bytes })
            }
        }
    }

    @Test(arguments: Attack.allCases)
    func `P21: a connection that attacks is left, and the next one serves`(attack: Attack) async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            switch frame.type {
            case .settings: connection.write(.settings(maxStreams: 1000))
            case .headers where connection.number == 1: attack.run(on: connection, stream: frame.stream)
            case .headers: connection.write(.status(200, stream: frame.stream))
            default: break
            }
        }
        let outcome = try await bed.run(port: peer.port, requests: 3) {
            $0.connections.streamsMax = 1
            $0.connections.connectionsMax = 1
            $0.connections.backoffBase = .milliseconds(10)
        }
        // The request had been sent: it may have been processed.
        let reset = TestSender.End.unknown(.reset(code: HTTP2ErrorCode.protocolError))
        #expect(outcome.ends[0] == [attack == .answerWithoutStatus ? reset : .unknown(.connectionLost)])
        #expect(outcome.answered == 2)
        #expect(outcome.counters.handshakes == 2)
        #expect(outcome.counters.bytesReceived < 1 << 20, "left long before it was all read")
        try await peer.stop()
        try await bed.stop()
    }
}
