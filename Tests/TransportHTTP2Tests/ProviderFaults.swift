import Delivery
import HTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TLS
import Testing
import Transport

/// The list of provider faults (P1 to P24 of the reference) that concern connections, each with the outcome of its
/// requests.
///
/// Streams and GOAWAY are here. `ProviderFaults+Hostile.swift` has forbidden frames, `ProviderFaults+Silence.swift`
/// silence, and `ProviderFaults+Connecting.swift` certificates and names.
@Suite(.timeLimit(.minutes(10))) struct ProviderFaults {
    @Test func `P1: GOAWAY in mid-stream sends again what is above its last stream and waits for the rest`()
        async throws
    {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let processed = NIOLockedValueBox([Int: Int]())
        let held = NIOLockedValueBox([Int32]())
        let remote = try await Peer.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let isFirst = connections.withLockedValue { $0 } == 1
                if isFirst && connection.requests > 100 { return }
                let number = PeerConnection.number(of: request)
                processed.withLockedValue { $0[number, default: 0] += 1 }
                if isFirst && connection.requests <= 10 { return held.withLockedValue { $0.append(request.streamID) } }
                connection.respond(request.streamID, 200)
                guard isFirst && connection.requests == 100 else { return }
                try? connection.http2.goAway(lastStreamID: request.streamID)
                connection.flush()
                // Ten answers come after GOAWAY.
                for streamID in held.withLockedValue({ $0 }) { connection.respond(streamID, 200) }
            }
        )
        let outcome = try await bed.run(port: remote.port, requests: 500, resendsMax: 3)
        #expect(outcome.answered == 500)
        #expect(outcome.counters.unknown == 0)
        #expect(outcome.counters.refused > 0)
        #expect(outcome.counters.goAways == 1)
        #expect(connections.withLockedValue { $0 } == 2, "the first connection is not used again")
        #expect(processed.withLockedValue { $0.values.allSatisfy { $0 == 1 } }, "none was processed twice")
        for ends in outcome.ends.values { #expect(ends.dropLast().allSatisfy { $0 == .refused }) }
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P2: GOAWAY in two steps loses nothing and repeats nothing`() async throws {
        let bed = try Bed()
        let connections = NIOLockedValueBox(0)
        let processed = NIOLockedValueBox([Int: Int]())
        let remote = try await Peer.start(
            on: bed.group,
            tls: bed.server,
            opened: { _ in connections.withLockedValue { $0 += 1 } },
            behaviour: { connection, request in
                let isFirst = connections.withLockedValue { $0 } == 1
                // Requests that came between the two steps are ignored.
                if isFirst && connection.requests > 50 { return }
                processed.withLockedValue { $0[PeerConnection.number(of: request), default: 0] += 1 }
                connection.respond(request.streamID, 200)
                guard isFirst && connection.requests == 50 else { return }
                try? connection.http2.announceShutdown()
                let (bound, last) = (NIOLoopBound(connection, eventLoop: MultiThreadedLoop.current), request.streamID)
                MultiThreadedLoop.current.scheduleTask(in: .milliseconds(30)) {
                    try? bound.value.http2.goAway(lastStreamID: last)
                    bound.value.flush()
                }
            }
        )
        let outcome = try await bed.run(port: remote.port, requests: 500, resendsMax: 3)
        #expect(outcome.answered == 500)
        #expect(outcome.counters.unknown == 0)
        #expect(outcome.counters.goAways == 2)
        #expect(connections.withLockedValue { $0 } == 2)
        #expect(processed.withLockedValue { $0.values.allSatisfy { $0 == 1 } })
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P3: GOAWAY on every connection's first stream ends after three more tries and counts for the breaker`()
        async throws
    {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, _ in
            try? connection.http2.goAway(lastStreamID: 0)
        }
        let outcome = try await bed.run(port: remote.port, requests: 1, resendsMax: ShardRun.refusalsMax) {
            $0.connections.backoffBase = .milliseconds(10)
        }
        // From here the device waits on a rung, not charged (`ShardRunTests`).
        #expect(outcome.ends[0] == Array(repeating: .refused, count: 1 + ShardRun.refusalsMax))
        #expect(outcome.counters.connects == UInt64(1 + ShardRun.refusalsMax))
        #expect(outcome.counters.unknown == 0)
        #expect(outcome.failures == Array(repeating: .firstStreamRefused, count: 1 + ShardRun.refusalsMax))
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P4: of 30 % REFUSED_STREAM each is sent again and none is processed twice`() async throws {
        let bed = try Bed()
        let processed = NIOLockedValueBox([Int: Int]())
        let refused = NIOLockedValueBox(Set<Int>())
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            let number = PeerConnection.number(of: request)
            if number % 10 < 3 && refused.withLockedValue({ $0.insert(number).inserted }) {
                try? connection.http2.reset(streamID: request.streamID, code: HTTP2ErrorCode.refusedStream)
            } else {
                processed.withLockedValue { $0[number, default: 0] += 1 }
                connection.respond(request.streamID, 200)
            }
        }
        let outcome = try await bed.run(port: remote.port, requests: 2000, resendsMax: 3) {
            $0.connections.backoffBase = .milliseconds(10)
        }
        #expect(outcome.answered == 2000)
        #expect(outcome.counters.refused == 600)
        #expect(outcome.counters.unknown == 0)
        #expect(processed.withLockedValue { $0.count == 2000 && $0.values.allSatisfy { $0 == 1 } })
        try await remote.stop()
        try await bed.stop()
    }

    @Test
    func `P5: after the request any reset but REFUSED_STREAM leaves it unknown, and ENHANCE_YOUR_CALM slows down`()
        async throws
    {
        let bed = try Bed()
        let codes = [HTTP2ErrorCode.internalError, HTTP2ErrorCode.cancel, HTTP2ErrorCode.enhanceYourCalm]
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            let number = PeerConnection.number(of: request)
            if number % 4 == 3 {
                connection.respond(request.streamID, 200)
            } else {
                try? connection.http2.reset(streamID: request.streamID, code: codes[number % 4])
            }
        }
        // Only requests with a known outcome are sent again; an unknown one is reported once, and `on_unknown` decides.
        let outcome = try await bed.run(port: remote.port, requests: 400, resendsMax: 3)
        for tag: UInt64 in 0..<400 {
            if tag % 4 == 3 {
                #expect(outcome.ends[tag] == [.status(200, retryAfter: "", body: "")])
            } else {
                #expect(outcome.ends[tag] == [.unknown(.reset(code: codes[Int(tag % 4)]))])
            }
        }
        #expect(outcome.counters.calmsAsked >= 1)
        #expect(outcome.state.calmLimit.map { $0 <= 200 } == true, "half of what was open")
        try await remote.stop()
        try await bed.stop()
    }

    @Test func `P5: a GOAWAY that asks for calm slows down, too`() async throws {
        let bed = try Bed()
        let remote = try await Peer.start(on: bed.group, tls: bed.server) { connection, request in
            connection.respond(request.streamID, 200)
            guard connection.requests == 100 else { return }
            try? connection.http2.goAway(lastStreamID: request.streamID, code: HTTP2ErrorCode.enhanceYourCalm)
        }
        let outcome = try await bed.run(port: remote.port, requests: 150, resendsMax: 3) {
            $0.connections.backoffBase = .milliseconds(10)
        }
        #expect(outcome.answered == 150)
        #expect(outcome.counters.calmsAsked == 1)
        #expect(outcome.state.calmLimit.map { $0 < 150 } == true)
        try await remote.stop()
        try await bed.stop()
    }
}
