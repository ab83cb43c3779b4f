import NIOCore
import NIOPosix
import Synchronization

/// A port on 127.0.0.1 that closes its first connection and forwards every other one.
final class LatePort: Sendable {
    private let channel: any Channel

    /// The port that it listens on.
    var port: Int { channel.localAddress?.port ?? 0 }

    init(to port: Int) async throws {
        let isFirst = First()
        channel = try await ServerBootstrap(group: Broker.loop)
            .childChannelInitializer { channel in
                if isFirst.take() { return channel.close() }
                return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { peer in
                        try peer.pipeline.syncOperations.addHandler(PassOn(to: channel))
                        try channel.pipeline.syncOperations.addHandler(PassOn(to: peer))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func close() async throws { try await channel.close() }
}

private final class First: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

/// Forwards bytes to another channel, and closes it together with its own.
private final class PassOn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
