public import NIOCore
import NIOPosix
import Synchronization
public import TLS

/// The cheapest possible peer: HTTP/2 over TLS, where every request is answered 200.
///
/// For measuring senders (`fanfare simulator --bare`, `fanfare bench`). It reads nothing of a request; use the
/// simulator proper for a peer that judges requests. A ``BareBehaviour`` adds the few faults used in measurements of
/// speed.
///
/// ```swift
/// let authority = try CertificateAuthority(commonName: "Fanfare bare server")
/// let identity = try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"])
/// let tls = try TLSServerContext(certificatePEM: identity.certificatePEM, privateKeyPEM: identity.privateKeyPEM)
/// let server = try await BareServer.start(host: "127.0.0.1", port: 0, loops: 1, tls: tls)
/// … server.port …
/// try await server.stop()
/// ```
public final class BareServer: Sendable {
    /// The port that it listens on.
    public let port: Int

    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let shared: Shared

    private init(port: Int, group: MultiThreadedEventLoopGroup, channel: any Channel, shared: Shared) {
        self.port = port
        self.group = group
        self.channel = channel
        self.shared = shared
    }

    /// The state that all connections share.
    final class Shared: Sendable {
        let behaviour: BareBehaviour
        let bodies: BareBodies
        private let arrived: (@Sendable (_ requests: Int, _ at: NIODeadline) -> Void)?
        private let counts = Mutex(BareCounts())

        init(
            _ behaviour: BareBehaviour,
            now: Int64,
            arrived: (@Sendable (_ requests: Int, _ at: NIODeadline) -> Void)?
        ) {
            self.behaviour = behaviour
            bodies = BareBodies(now: now, playsFCM: behaviour.playsFCM)
            self.arrived = arrived
        }

        var all: BareCounts { counts.withLock { $0 } }

        func add(_ more: BareCounts, at instant: NIODeadline) {
            counts.withLock { $0 += more }
            let requests = more.answered + more.ignored
            if requests > 0 { arrived?(requests, instant) }
        }
    }

    /// The counts so far.
    public var counts: BareCounts { shared.all }

    /// Binds and listens; port 0 takes a free port.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970, the timestamp of answers 410.
    ///   - arrived: Called on an event loop for each read, with the number of requests it completed and its time.
    public static func start(
        host: String,
        port: Int,
        loops: Int,
        tls: TLSServerContext,
        maxConcurrentStreams: UInt32 = 1000,
        behaviour: BareBehaviour = BareBehaviour(),
        now: Int64 = 0,
        arrived: (@Sendable (_ requests: Int, _ at: NIODeadline) -> Void)? = nil
    ) async throws -> BareServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        let shared = Shared(behaviour, now: now, arrived: arrived)
        do {
            let paces = try await paces(behaviour, group)
            let channel = try await group.listen(host: host, port: port) { loop in
                guard let pace = paces[ObjectIdentifier(loop)] else {
                    preconditionFailure("a connection on a loop of another group")
                }
                return BareHandler(
                    tls: try TLSSession(server: tls),
                    server: shared,
                    pace: pace.value,
                    maxConcurrentStreams: maxConcurrentStreams
                )
            }
            let bound = channel.localAddress?.port ?? port
            return BareServer(port: bound, group: group, channel: channel, shared: shared)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
    }

    private static func paces(
        _ behaviour: BareBehaviour,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> [ObjectIdentifier: NIOLoopBound<BarePace>] {
        var paces: [ObjectIdentifier: NIOLoopBound<BarePace>] = [:]
        for loop in group.makeIterator() {
            paces[ObjectIdentifier(loop)] =
                try await loop.submit { NIOLoopBound(BarePace(behaviour), eventLoop: loop) }.get()
        }
        return paces
    }

    /// Stops listening and closes all connections.
    public func stop() async throws {
        try await self.channel.close()
        try await self.group.shutdownGracefully()
    }
}
