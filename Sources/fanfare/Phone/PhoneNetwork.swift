import NIOCore
import NIOPosix
import Synchronization
import Transport

/// The phone's network: a port of this machine that forwards to a server and can be cut.
final class PhoneNetwork: Sendable {
    /// The local port at which the server is reached while the network is up.
    let port: Int
    private let way: Way

    /// Opens a port of 127.0.0.1 that forwards to a server.
    ///
    /// `resolver` resolves the server's name; its addresses are tried one after the other.
    init(host: String, port: Int, resolver: AddressResolver = .fleet) async throws {
        let way = Way()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let server = HostDial(host: host, port: port, loop: loop, resolver: resolver)
        let door = try await ServerBootstrap(group: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in
                guard way.begin(near) else { return near.close() }
                return server.connect(timeout: .seconds(10)).flatMapThrowing { peer in
                    try near.pipeline.syncOperations.addHandler(Wire(to: peer))
                    try peer.pipeline.syncOperations.addHandler(Wire(to: near))
                    try peer.syncOptions?.setOption(.autoRead, value: true)
                    try near.syncOptions?.setOption(.autoRead, value: true)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.way = way
        self.port = door.localAddress?.port ?? 0
    }

    /// True while the server can be reached.
    var isThere: Bool {
        get { way.isThere }
        set { way.isThere = newValue }
    }
}

/// The open connections.
private final class Way: Sendable {
    private struct State {
        var isThere = true
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Registers a connection; returns false while there is no network.
    func begin(_ channel: any Channel) -> Bool {
        let isThere = state.withLock { state in
            if state.isThere { state.open[ObjectIdentifier(channel)] = channel }
            return state.isThere
        }
        guard isThere else { return false }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        return true
    }

    var isThere: Bool {
        get { state.withLock { $0.isThere } }
        set {
            let cut = state.withLock { state -> [any Channel] in
                state.isThere = newValue
                return newValue ? [] : Array(state.open.values)
            }
            for channel in cut { channel.close(promise: nil) }
        }
    }
}

/// One direction of a connection, confined to its loop.
private final class Wire: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
