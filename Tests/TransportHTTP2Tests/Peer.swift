import HTTP2
import NIOCore
import NIOPosix
import TLS

/// A TLS HTTP/2 server in the test's own process whose behavior is a closure on its loop.
final class Peer: Sendable {
    /// Called for every complete request; answers through the connection.
    typealias Behaviour = @Sendable (PeerConnection, borrowing IncomingRequest) -> Void

    let port: Int
    private let channel: any Channel

    private init(port: Int, channel: any Channel) {
        self.port = port
        self.channel = channel
    }

    static func start(
        on group: any EventLoopGroup,
        tls: TLSServerContext,
        configuration: HTTP2ServerSession.Configuration = .init(),
        opened: @escaping @Sendable (PeerConnection) -> Void = { _ in },
        received: @escaping @Sendable (PeerConnection) -> Void = { _ in },
        behaviour: @escaping Behaviour
    ) async throws -> Peer {
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = PeerConnection(
                        tls: try TLSSession(server: tls),
                        http2: try HTTP2ServerSession(configuration: configuration),
                        opened: opened,
                        received: received,
                        behaviour: behaviour
                    )
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return Peer(port: channel.localAddress?.port ?? 0, channel: channel)
    }

    func stop() async throws { try await self.channel.close() }
}

/// One connection of the server.
///
/// Confined to its loop.
final class PeerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let http2: HTTP2ServerSession
    /// The number of requests received so far on this connection.
    private(set) var requests = 0
    /// The number of reads so far: those of the handshake, and one for each PING of an idle client.
    private(set) var reads = 0
    private let tls: TLSSession
    private let opened: (PeerConnection) -> Void
    private let received: (PeerConnection) -> Void
    private let behaviour: Peer.Behaviour
    private var context: ChannelHandlerContext?

    init(
        tls: TLSSession,
        http2: HTTP2ServerSession,
        opened: @escaping (PeerConnection) -> Void,
        received: @escaping (PeerConnection) -> Void,
        behaviour: @escaping Peer.Behaviour
    ) {
        self.tls = tls
        self.http2 = http2
        self.opened = opened
        self.received = received
        self.behaviour = behaviour
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) { self.opened(self) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        do {
            try buffer.withUnsafeReadableBytes { bytes in
                try self.tls.receive(bytes) { plaintext in
                    // A broken client is treated like one that is gone.
                    try? self.http2.receive(plaintext)
                }
            }
        } catch {
            self.flush()
            return context.close(promise: nil)
        }
        self.http2.takeRequests { request in
            self.requests += 1
            self.behaviour(self, request)
        }
        self.reads += 1
        self.received(self)
        self.flush()
        if self.tls.state == .closed || self.http2.isFinished { context.close(promise: nil) }
    }

    /// Sends all pending output.
    func flush() {
        guard let context = self.context else { return }
        var buffer = [UInt8](repeating: 0, count: 15_000 + HTTP2ServerSession.frameBytesMax)
        while self.tls.state == .established,
            let count = try? buffer.withUnsafeMutableBytes({ try self.http2.drain(into: $0, threshold: 15_000) }),
            count > 0
        {
            try? buffer.withUnsafeBytes { try self.tls.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        var out = ByteBuffer()
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: self.tls.pendingBytes) { self.tls.drain(into: $0) }
        if out.readableBytes > 0 { context.writeAndFlush(Self.wrapOutboundOut(out), promise: nil) }
    }

    /// Answers a request, ignoring a client that is gone.
    func respond(_ streamID: Int32, _ status: Int, fields: [HeaderField] = [], body: String = "") {
        try? self.http2.respond(streamID: streamID, status: status, fields: fields, body: Array(body.utf8))
    }

    func close() { self.context?.close(promise: nil) }

    /// Returns the number at the end of the path.
    static func number(of request: borrowing IncomingRequest) -> Int {
        let path = String(decoding: request.value(of: ":path") ?? [], as: UTF8.self)
        return Int(path.split(separator: "/").last ?? "") ?? -1
    }
}
