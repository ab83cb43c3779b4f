import Delivery
import Dispatch
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Sanitizers
import Simulator
import TLS
import Testing
import Transport

@Suite(.timeLimit(.minutes(10))) struct ProviderPoolTests {
    @Test func `every request is answered once, with what the peer said`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            let number = PeerConnection.number(of: request)
            if number % 10 == 3 {
                connection.respond(
                    request.streamID,
                    429,
                    fields: [HeaderField("retry-after", "\(number)")],
                    body: #"{"reason":"TooManyRequests"}"#
                )
            } else {
                connection.respond(request.streamID, 200)
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 5000, bodyBytes: 3000)
        #expect(outcome.ends.count == 5000)
        #expect(outcome.ends.values.allSatisfy { $0.count == 1 })
        #expect(
            outcome.last(4993) == .status(429, retryAfter: "4993", body: #"{"reason":"TooManyRequests"}"#)
        )
        #expect(outcome.last(4994) == .status(200, retryAfter: "", body: ""))
        #expect(outcome.counters.answered == 5000)
        #expect(outcome.counters.unknown == 0)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `each tick says that it opens streams after all answers that it has read`() async throws {
        let bed = try Bed()
        let server = try await BareServer.start(host: "127.0.0.1", port: 0, loops: 1, tls: bed.server)
        let outcome = try await bed.run(port: server.port, requests: 5000)
        #expect(outcome.answered == 5000)
        #expect(outcome.unannounced == 0)
        try await server.stop()
        try await bed.stop()
    }

    @Test func `the bare server answers a bench`() async throws {
        let bed = try Bed()
        let server = try await BareServer.start(host: "127.0.0.1", port: 0, loops: 1, tls: bed.server)
        let outcome = try await bed.run(port: server.port, requests: 20_000)
        #expect(outcome.answered == 20_000)
        try await server.stop()
        try await bed.stop()
    }

    @Test func `a port where nobody listens is a failed connection`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { _, _ in }
        try await remote.stop()
        let outcome = try await bed.run(port: remote.port, requests: 1, untilFailure: true)
        #expect(outcome.counters.connectFailures == 1)
        #expect(outcome.failures.count == 1)
        try await bed.stop()
    }

    @Test func `a connection cut in the middle makes unknown what had left`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            if connection.requests <= 10 { connection.respond(request.streamID, 200) }
            if connection.requests == 11 {
                connection.flush()
                connection.close()
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 30)
        #expect(outcome.ends.count == 30)
        #expect(outcome.ends.values.allSatisfy { $0.count == 1 })
        #expect(outcome.counters.unknown > 0)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `a black hole ends every request by its deadline`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { _, _ in }
        let outcome = try await bed.run(port: remote.port, requests: 20) {
            $0.connections.streamDeadline = Sanitizer.patience(.milliseconds(100))
            $0.connections.backoffBase = .milliseconds(10)
            $0.connections.streamsMax = 10
        }
        #expect(outcome.ends.count == 20)
        #expect(outcome.ends.values.allSatisfy { $0 == [.unknown(.deadline)] })
        #expect(outcome.counters.deadlines == 20)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `an answer that came while the loop stood still counts, although its deadline is over`() async throws {
        let bed = try Bed()
        let servers = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isAnswered = DispatchSemaphore(value: 0)
        let remote = try await Peer.start(on: servers, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
            isAnswered.signal()
        }
        let stall: @Sendable () -> Void = {
            isAnswered.wait()
            // What is tested is a loop that stands still; nobody signals this one.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(700))
        }
        let deadline: (inout ProviderPoolConfiguration) -> Void = {
            $0.connections.streamDeadline = .milliseconds(100)
        }
        let outcome = try await bed.run(port: remote.port, requests: 1, configure: deadline, onAllOpened: stall)
        #expect(outcome.answered == 1 && outcome.counters.unknown == 0)
        try await remote.stop()
        try await bed.stop()
        try await servers.shutdownGracefully()
    }

    @Test func `five hundred deadlines end the connection and reset nothing`() async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            if frame.type == .settings { connection.write(.settings(maxStreams: 1000)) }
        }
        let outcome = try await bed.run(port: peer.port, requests: 500) {
            $0.connections.streamDeadline = Sanitizer.patience(.milliseconds(200))
        }
        #expect(outcome.ends.values.allSatisfy { $0 == [.unknown(.deadline)] })
        #expect(peer.frames(of: .reset).count <= 2)
        // In the same words in which any breaker gets it.
        #expect(outcome.failures.contains(.connect("left before any answer: too many streams had no answer in time")))
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `a connection is replaced when its stream ids are used up`() async throws {
        let bed = try Bed()
        let most = NIOLockedValueBox(0)
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            most.withLockedValue { $0 = max($0, connection.requests) }
            connection.respond(request.streamID, 200)
        }
        let outcome = try await bed.run(port: remote.port, requests: 20_000) {
            // Instead of 2³⁰ − 1 of them.
            $0.connections.streamsPerConnectionMax = 1500
            $0.connections.connectionsMax = 2
        }
        #expect(outcome.answered == 20_000)
        #expect(outcome.counters.refused == 0 && outcome.counters.unknown == 0)
        #expect(outcome.counters.handshakes >= 14)
        #expect(most.withLockedValue { $0 } == 1500)
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `a retired connection finishes and another takes over`() async throws {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let remote = try await Peer.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let isFirst = connections.withLockedValue { $0 } == 1
                connection.respond(request.streamID, isFirst && connection.requests > 20 ? 403 : 200)
            }
        )
        let outcome = try await bed.run(port: remote.port, requests: 5000, retiresOn: 403)
        #expect(outcome.answered == 5000)
        #expect(connections.withLockedValue { $0 } >= 2)
        try await remote.stop()
        try await bed.stop()
    }
}
