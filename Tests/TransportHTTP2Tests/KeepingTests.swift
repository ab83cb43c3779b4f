import Delivery
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing
import Transport

@Suite(.timeLimit(.minutes(2))) struct KeepingTests {
    /// Reads of an idle connection, several PINGs among them: the handshake takes no more than four.
    private static let severalPings = 8

    @Test func `an idle connection is kept with PINGs, opened anew when the peer closes it, and used by requests`()
        async throws
    {
        let bed = try Bed()
        let loop = bed.group.next()
        let opened = NIOLockedValueBox(0)
        let start = loop.makePromise(of: Void.self)
        let remote = try await Peer.start(
            on: loop,
            tls: bed.server,
            opened: { _ in opened.withLockedValue { $0 += 1 } },
            received: { connection in
                guard connection.requests == 0, connection.reads == Self.severalPings else { return }
                if opened.withLockedValue({ $0 }) == 1 {
                    connection.close()
                } else {
                    start.succeed()
                }
            }
        ) { connection, request in
            connection.respond(request.streamID, 200)
        }
        let outcome = try await bed.run(port: remote.port, requests: 1, keeps: 1, start: start.futureResult) {
            $0.connections.pingAfter = .milliseconds(20)
            $0.connections.reopenBase = .milliseconds(10)
            $0.connections.idleMin = .zero
        }
        #expect(outcome.answered == 1)
        #expect(outcome.counters.handshakes == 2)
        #expect(outcome.counters.warmStarts == 1 && outcome.counters.coldStarts == 0)
        #expect(outcome.failures.isEmpty)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `a connection that grows old is replaced while its request waits, and the request is answered`()
        async throws
    {
        let bed = try Bed()
        let loop = bed.group.next()
        let opened = NIOLockedValueBox(0)
        let replaced = loop.makePromise(of: Void.self)
        let remote = try await Peer.start(
            on: loop,
            tls: bed.server,
            opened: { _ in
                if opened.withLockedValue({
                    $0 += 1
                    return $0
                }) == 2 {
                    replaced.succeed()
                }
            }
        ) { connection, request in
            let stream = request.streamID
            replaced.futureResult.assumeIsolated().whenSuccess {
                connection.respond(stream, 200)
                connection.flush()
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 1, keeps: 1) {
            $0.connections.ageMax = .milliseconds(50)
            $0.connections.replacePause = .milliseconds(20)
        }
        #expect(outcome.ends[0] == [.status(200, retryAfter: "", body: "")])
        #expect(outcome.counters.unknown == 0 && outcome.counters.refused == 0)
        #expect(outcome.counters.connects >= 2)
        try await remote.stop()
        try await bed.stop()
    }
}
