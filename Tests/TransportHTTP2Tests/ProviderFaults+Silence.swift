import Delivery
import NIOCore
import NIOPosix
import Sanitizers
import TLS
import Testing
import Transport

/// Peers that send nothing, or too little; the configuration's deadlines are shortened.
extension ProviderFaults {
    /// Sends SETTINGS, and 200 to every request.
    private static func serve(_ connection: ScriptedConnection, _ frame: ScriptedPeer.Frame) {
        switch frame.type {
        case .settings: connection.write(.settings(maxStreams: 1000))
        case .headers: connection.write(.status(200, stream: frame.stream))
        case .ping where frame.flags == 0:
            connection.write(ScriptedPeer.Frame(type: .ping, flags: 1, payload: frame.payload))
        default: break
        }
    }

    @Test func `P7: without SETTINGS nothing is sent, and another connection is made`() async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            if connection.number > 1 { Self.serve(connection, frame) }
        }
        let outcome = try await bed.run(port: peer.port, requests: 5) {
            $0.connections.settingsDeadline = Sanitizer.patience(.milliseconds(100))
            $0.connections.backoffBase = .milliseconds(10)
        }
        #expect(outcome.answered == 5)
        #expect(outcome.failures == [.handshakeDeadline])
        #expect(peer.frames(of: .headers).allSatisfy { $0.connection == 2 })
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P8: a connection that goes dead is asked by PING and left; what was in flight is unknown`() async throws
    {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            // The first one answers its first request, then neither reads nor sends any more.
            let isDead = connection.number == 1 && frame.type != .settings && frame.stream != 1
            if !isDead { Self.serve(connection, frame) }
        }
        let outcome = try await bed.run(port: peer.port, requests: 30) {
            $0.connections.streamsMax = 10
            $0.connections.pingAfterBusy = Sanitizer.patience(.milliseconds(100))
            $0.connections.pingDeadline = Sanitizer.patience(.milliseconds(100))
            // Long, so that the PING is what detects it.
            $0.connections.streamDeadline = .seconds(50)
        }
        #expect(outcome.ends.count == 30)
        #expect(outcome.ends.values.count { $0 == [.unknown(.connectionLost)] } == 10)
        #expect(outcome.answered == 20)
        #expect(peer.frames(of: .ping).contains { $0.connection == 1 })
        // By default it takes less than a stream's deadline of ten seconds.
        let rules = ConnectionPool.Configuration()
        #expect(rules.pingAfterBusy + rules.pingDeadline < .seconds(10))
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P9: a server that never speaks TLS is left at the deadline, which is five seconds`() async throws {
        let bed = try Bed()
        let mute = try await ServerBootstrap(group: bed.group).bind(host: "127.0.0.1", port: 0).get()
        let port = mute.localAddress?.port ?? 0
        let outcome = try await bed.run(port: port, requests: 1, untilFailure: true) {
            $0.connections.connectDeadline = Sanitizer.patience(.milliseconds(100))
        }
        #expect(outcome.failures == [.handshakeDeadline])
        #expect(outcome.counters.opened == 0)
        #expect(ConnectionPool.Configuration().connectDeadline == .seconds(5))
        try await mute.close()
        try await bed.stop()
    }

    @Test func `P10: an answer whose head comes byte by byte is unknown at the request's deadline`() async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            guard connection.number == 1 && frame.type == .headers else { return Self.serve(connection, frame) }
            // The header of a HEADERS frame of 4,096 bytes and of a field whose name has 127, then one byte at a time.
            var head: [UInt8] = [0, 0x10, 0]
            head += ScriptedPeer.Frame(type: .headers, flags: 5, stream: 1).bytes.dropFirst(3)
            head += [0x00, 0x7F, 0x00]
            connection.write(head)
            connection.keepWriting(every: .milliseconds(5), [0x61])
        }
        let outcome = try await bed.run(port: peer.port, requests: 2) {
            $0.connections.streamsMax = 1
            $0.connections.connectionsMax = 1
            $0.connections.backoffBase = .milliseconds(10)
            $0.connections.streamDeadline = Sanitizer.patience(.milliseconds(200))
        }
        #expect(outcome.ends[0] == [.unknown(.deadline)])
        #expect(outcome.ends[1] == [.status(200, retryAfter: "", body: "")])
        #expect(outcome.counters.handshakes == 2)
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P10: an answer whose body never ends counts by its status at the deadline`() async throws {
        let bed = try Bed()
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            guard connection.number == 1 && frame.type == .headers else { return Self.serve(connection, frame) }
            connection.write(.status(410, stream: frame.stream, ends: false))
            guard frame.stream == 5 else { return }
            let more = ScriptedPeer.Frame.data("x", stream: 5).bytes
            connection.write(more)
            connection.keepWriting(every: .milliseconds(5), more)
        }
        let outcome = try await bed.run(port: peer.port, requests: 4) {
            $0.connections.streamsMax = 3
            $0.connections.connectionsMax = 1
            $0.connections.streamDeadline = Sanitizer.patience(.milliseconds(200))
        }
        for tag: UInt64 in 0...2 {
            guard case .status(410, _, let body) = outcome.last(tag) else {
                Issue.record("\(tag): \(String(describing: outcome.last(tag)))")
                continue
            }
            #expect(body.allSatisfy { $0 == "x" } && body.isEmpty == (tag != 2))
        }
        // Three such streams end the connection.
        #expect(outcome.last(3) == .status(200, retryAfter: "", body: ""))
        #expect(outcome.counters.handshakes == 2)
        #expect(outcome.counters.unknown == 0)
        try await peer.stop()
        try await bed.stop()
    }

    @Test func `P10: a body that never ends is kept up to 4 KiB`() async throws {
        let bed = try Bed()
        let chunk = ScriptedPeer.Frame.data(String(repeating: "x", count: 1000), stream: 1).bytes
        let peer = try await ScriptedPeer.start(on: bed.group, tls: bed.server) { connection, frame in
            guard frame.type == .headers else { return Self.serve(connection, frame) }
            connection.write(.status(400, stream: frame.stream, ends: false))
            for _ in 0..<10 { connection.write(chunk) }
            connection.keepWriting(every: .milliseconds(5), chunk)
        }
        let outcome = try await bed.run(port: peer.port, requests: 1) {
            $0.connections.streamDeadline = Sanitizer.patience(.milliseconds(300))
        }
        #expect(outcome.last(0) == .status(400, retryAfter: "", body: String(repeating: "x", count: 4096)))
        try await peer.stop()
        try await bed.stop()
    }
}
