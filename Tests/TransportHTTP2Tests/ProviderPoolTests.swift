import Delivery
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Simulator
import TLS
import Testing
import Transport

@Suite(.timeLimit(.minutes(1))) struct ProviderPoolTests {
    @Test func `every request is answered once, with what the far side said`() async throws {
        let bed = try Bed()
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { connection, request in
            let number = FarConnection.number(of: request)
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
        let outcome = try await bed.run(port: far.port, requests: 5000, bodyBytes: 3000)
        #expect(outcome.ends.count == 5000)
        #expect(outcome.ends.values.allSatisfy { $0.count == 1 })
        #expect(
            outcome.last(4993) == .status(429, retryAfter: "4993", body: #"{"reason":"TooManyRequests"}"#)
        )
        #expect(outcome.last(4994) == .status(200, retryAfter: "", body: ""))
        #expect(outcome.counters.answered == 5000)
        #expect(outcome.counters.unknown == 0)
        try await far.stop()
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

    @Test func `another authority's certificate is refused and no request leaves`() async throws {
        let bed = try Bed()
        let requests = NIOLockedValueBox(0)
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { _, _ in
            requests.withLockedValue { $0 += 1 }
        }
        let other = try CertificateAuthority(commonName: "other")
        let wrong = try TLSClientContext(trust: .authorities(pem: other.certificatePEM, source: "other"))
        let outcome = try await bed.run(port: far.port, requests: 1, client: wrong, untilFailure: true)
        guard case .connect(let text) = outcome.failures.first else {
            Issue.record("no failure: \(outcome.failures)")
            return
        }
        #expect(text.contains("does not verify"))
        #expect(outcome.counters.opened == 0)
        #expect(requests.withLockedValue { $0 } == 0)
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a far side without h2 is refused`() async throws {
        let bed = try Bed(serverProtocols: [])
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { _, _ in }
        let outcome = try await bed.run(port: far.port, requests: 1, untilFailure: true)
        guard case .connect(let text) = outcome.failures.first else {
            Issue.record("no failure: \(outcome.failures)")
            return
        }
        #expect(text.contains("h2"))
        #expect(outcome.counters.opened == 0)
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a port where nobody listens is a failed connection`() async throws {
        let bed = try Bed()
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { _, _ in }
        try await far.stop()
        let outcome = try await bed.run(port: far.port, requests: 1, untilFailure: true)
        #expect(outcome.counters.connectFailures == 1)
        #expect(outcome.failures.count == 1)
        try await bed.stop()
    }

    @Test func `a far side that never speaks TLS is left at the deadline`() async throws {
        let bed = try Bed()
        let mute = try await ServerBootstrap(group: bed.group).bind(host: "127.0.0.1", port: 0).get()
        let outcome = try await bed.run(
            port: mute.localAddress?.port ?? 0,
            requests: 1,
            untilFailure: true
        ) { $0.connections.connectDeadline = .milliseconds(100) }
        #expect(outcome.failures.first == .handshakeDeadline)
        try await mute.close()
        try await bed.stop()
    }

    @Test func `GOAWAY sends what is above its last stream again and waits for the rest`() async throws {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let seen = NIOLockedValueBox([Int: Int]())
        let far = try await FarSide.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let number = FarConnection.number(of: request)
                seen.withLockedValue { $0[number, default: 0] += 1 }
                connection.respond(request.streamID, 200)
                // In the first connection only: 100 are answered, the others dropped unseen.
                if connection.requests == 100 && connections.withLockedValue({ $0 }) == 1 {
                    try? connection.http2.goAway(lastStreamID: request.streamID)
                }
            }
        )
        let outcome = try await bed.run(port: far.port, requests: 500, repeatsRefused: true)
        #expect(outcome.answered == 500)
        #expect(outcome.counters.unknown == 0)
        #expect(outcome.counters.refused > 0)
        #expect(outcome.counters.goAways == 1)
        #expect(connections.withLockedValue { $0 } == 2)
        for ends in outcome.ends.values { #expect(ends.dropLast().allSatisfy { $0 == .refused }) }
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a reset is refused or unknown by its code`() async throws {
        let bed = try Bed()
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { connection, request in
            switch FarConnection.number(of: request) % 3 {
            case 0: connection.respond(request.streamID, 200)
            case 1: try? connection.http2.reset(streamID: request.streamID, code: HTTP2ErrorCode.refusedStream)
            default: try? connection.http2.reset(streamID: request.streamID, code: HTTP2ErrorCode.internalError)
            }
        }
        let outcome = try await bed.run(port: far.port, requests: 300)
        for tag: UInt64 in 0..<300 {
            switch tag % 3 {
            case 0: #expect(outcome.last(tag) == .status(200, retryAfter: "", body: ""))
            case 1: #expect(outcome.last(tag) == .refused)
            default: #expect(outcome.last(tag) == .unknown(.reset(code: HTTP2ErrorCode.internalError)))
            }
        }
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a connection cut in the middle makes unknown what had left`() async throws {
        let bed = try Bed()
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { connection, request in
            if connection.requests <= 10 { connection.respond(request.streamID, 200) }
            if connection.requests == 11 {
                connection.flush()
                connection.close()
            }
        }
        let outcome = try await bed.run(port: far.port, requests: 30)
        #expect(outcome.ends.count == 30)
        #expect(outcome.ends.values.allSatisfy { $0.count == 1 })
        #expect(outcome.counters.unknown > 0)
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a black hole ends every request by its deadline`() async throws {
        let bed = try Bed()
        let far = try await FarSide.start(on: bed.group, tls: bed.server) { _, _ in }
        let outcome = try await bed.run(port: far.port, requests: 20) {
            $0.streamDeadline = .milliseconds(100)
            $0.connections.backoffBase = .milliseconds(10)
            $0.connections.streamsMax = 10
        }
        #expect(outcome.ends.count == 20)
        #expect(outcome.ends.values.allSatisfy { $0 == [.unknown(.deadline)] })
        #expect(outcome.counters.deadlines == 20)
        try await far.stop()
        try await bed.stop()
    }

    @Test func `a retired connection finishes and another takes over`() async throws {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let far = try await FarSide.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let isFirst = connections.withLockedValue { $0 } == 1
                connection.respond(request.streamID, isFirst && connection.requests > 20 ? 403 : 200)
            }
        )
        let outcome = try await bed.run(port: far.port, requests: 5000, retiresOn: 403)
        #expect(outcome.answered == 5000)
        #expect(connections.withLockedValue { $0 } >= 2)
        try await far.stop()
        try await bed.stop()
    }
}
