import NIOCore
import NIOPosix

extension MultiThreadedEventLoopGroup {
    /// Binds and listens; each connection gets the handler that `make` returns for its loop.
    func listen(
        host: String,
        port: Int,
        _ make: @escaping @Sendable (any EventLoop) throws -> any ChannelHandler
    ) async throws -> any Channel {
        try await ServerBootstrap(group: self)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Full reads make the most of a wake-up (measured for the sender: 64 KB).
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(try make(channel.eventLoop))
                }
            }
            .bind(host: host, port: port).get()
    }
}
