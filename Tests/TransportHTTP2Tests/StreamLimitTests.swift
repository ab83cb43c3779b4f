import Delivery
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TLS
import Testing
import Transport

@Suite(.timeLimit(.minutes(10))) struct StreamLimitTests {
    /// Records the most streams that were open at once.
    private static func note(_ open: Int, in most: NIOLockedValueBox<Int>) {
        most.withLockedValue { $0 = max($0, open) }
    }

    @Test func `P6: limits of 1, then 1000, then 1, then 0 are obeyed, and 0 is a pause and not an end`() async throws {
        let bed = try Bed()
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = 1
        let most = NIOLockedValueBox([0, 0, 0])
        let remote = try await Peer.start(on: bed.group, tls: bed.server, configuration: configuration) {
            connection,
            request in
            // A thousand streams may be in flight when the limit falls; the server refuses those, and they are sent
            // again.
            let phase = connection.requests <= 50 ? 0 : connection.requests <= 4000 ? 1 : 2
            let open = connection.http2.openStreams
            most.withLockedValue { $0[phase] = max($0[phase], open) }
            connection.respond(request.streamID, 200)
            switch connection.requests {
            case 50: try? connection.http2.changeMaxConcurrentStreams(1000)
            case 3000: try? connection.http2.changeMaxConcurrentStreams(1)
            case 4100:
                try? connection.http2.changeMaxConcurrentStreams(0)
                let bound = NIOLoopBound(connection, eventLoop: MultiThreadedLoop.current)
                MultiThreadedLoop.current.scheduleTask(in: .milliseconds(30)) {
                    try? bound.value.http2.changeMaxConcurrentStreams(1)
                    bound.value.flush()
                }
            default: break
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 4200, resendsMax: 9) {
            $0.connections.connectionsMax = 1
        }
        #expect(outcome.answered == 4200)
        let found = most.withLockedValue { $0 }
        #expect(found[0] == 1)
        #expect(found[1] > 1 && found[1] <= 1000)
        #expect(found[2] == 1)
        #expect(outcome.counters.limitCollapses == 1)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `a collapse of the stream limits is one line in the log and a metric of the pool`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
            // Down and up again, ten times.
            let limit: UInt32? = connection.requests % 200 == 100 ? 1 : connection.requests % 200 == 0 ? 1000 : nil
            if let limit { try? connection.http2.changeMaxConcurrentStreams(limit) }
        }
        let log = KeptLog()
        let began = ContinuousClock.now
        let outcome = try await bed.run(port: remote.port, requests: 2000, log: log) {
            $0.connections.streamsMax = 20
            $0.connections.connectionsMax = 1
        }
        #expect(outcome.answered == 2000)
        #expect((2...10).contains(outcome.counters.limitCollapses))
        let lines = log.lines.filter { $0.contains("cut the stream limit") }
        #expect(Set(lines) == ["the provider cut the stream limit from 20 to 1"])
        // One in ten seconds; a slow machine may take longer than that.
        #expect(lines.count <= 1 + Int(began.duration(to: .now) / .seconds(10)))
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `one stream until the credential was accepted, then as many as allowed`() async throws {
        let bed = try Bed()
        let early = NIOLockedValueBox(0)
        let late = NIOLockedValueBox(0)
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            Self.note(connection.http2.openStreams, in: connection.requests <= 10 ? early : late)
            // Ten answers that say nothing about the credential.
            connection.respond(request.streamID, connection.requests < 10 ? 503 : 200)
        }
        let outcome = try await bed.run(port: remote.port, requests: 1000) {
            $0.connections.oneStreamUntilAuthenticated = true
            $0.connections.connectionsMax = 1
        }
        #expect(outcome.answered == 1000)
        #expect(early.withLockedValue { $0 } == 1)
        #expect(late.withLockedValue { $0 } > 1)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `slow answers make the pool open more connections`() async throws {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let remote = try await Peer.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let (bound, id) = (NIOLoopBound(connection, eventLoop: MultiThreadedLoop.current), request.streamID)
                MultiThreadedLoop.current.scheduleTask(in: .milliseconds(20)) {
                    bound.value.respond(id, 200)
                    bound.value.flush()
                }
            }
        )
        let outcome = try await bed.run(port: remote.port, requests: 300) {
            $0.connections.streamsMax = 4
            $0.connections.connectionsMax = 3
            $0.connections.growAfter = .milliseconds(30)
        }
        #expect(outcome.answered == 300)
        #expect(connections.withLockedValue { $0 } == 3)
        try await remote.stop()
        try await bed.stop()
    }
}

/// The loop that runs the calling code.
enum MultiThreadedLoop {
    static var current: any EventLoop {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else { preconditionFailure("not on a loop") }
        return loop
    }
}
