import NIOCore
import NIOPosix

/// A relay to a TCP server that holds each byte back for a while, in both directions: a network between two hosts.
final class DelayRelay: Sendable {
    /// The port that it listens on, on 127.0.0.1.
    let port: Int
    private let listener: any Channel

    private init(_ listener: any Channel, port: Int) {
        (self.listener, self.port) = (listener, port)
    }

    /// Listens on a free port, and connects each client with the server.
    static func start(to host: String, port: Int, delay: TimeAmount) async throws -> DelayRelay {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                // On the client's loop, so that the two channels share their state. The client is not read until this
                // ends: a read that is asked for before a channel is registered is lost.
                ClientBootstrap(group: client.eventLoop)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(DelayedForwarding(to: server, delay))
                        try server.pipeline.syncOperations.addHandler(DelayedForwarding(to: client, delay))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return DelayRelay(listener, port: listener.localAddress?.port ?? 0)
    }

    /// Stops accepting connections.
    func close() async throws {
        try await listener.close()
    }
}

/// Hands what a channel receives to another one of the same loop, later.
private final class DelayedForwarding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let delay: TimeAmount

    init(to other: any Channel, _ delay: TimeAmount) {
        (self.other, self.delay) = (other, delay)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (other, bytes) = (other, unwrapInboundIn(data))
        // Tasks with one delay run in the order in which they were scheduled.
        context.eventLoop.scheduleTask(in: delay) { other.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let other = other
        context.eventLoop.scheduleTask(in: delay) { other.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return }
        context.close(promise: nil)
    }
}
