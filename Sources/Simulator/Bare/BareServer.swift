import NIOCore
import NIOPosix
public import TLS

/// The cheapest far side that there can be: HTTP/2 over TLS where every request is answered 200.
///
/// For measuring senders (`fanfare simulator --bare`, `fanfare bench --transport`). It reads nothing of a request;
/// for a far side that judges, use the simulator proper.
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
    /// Where it listens.
    public let port: Int

    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    private init(port: Int, group: MultiThreadedEventLoopGroup, channel: any Channel) {
        self.port = port
        self.group = group
        self.channel = channel
    }

    /// Binds and listens; port 0 takes a free one.
    public static func start(
        host: String,
        port: Int,
        loops: Int,
        tls: TLSServerContext,
        maxConcurrentStreams: UInt32 = 1000
    ) async throws -> BareServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = BareHandler(
                            tls: try TLSSession(server: tls),
                            maxConcurrentStreams: maxConcurrentStreams
                        )
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .bind(host: host, port: port).get()
            return BareServer(port: channel.localAddress?.port ?? port, group: group, channel: channel)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
    }

    /// Closes everything.
    public func stop() async throws {
        try await self.channel.close()
        try await self.group.shutdownGracefully()
    }
}
