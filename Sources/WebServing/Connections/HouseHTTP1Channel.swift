import Delivery
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1, over our TLS where there is a certificate, with a responder's fast path, and HTTP/2 beside
/// it where an address speaks it.
struct HouseHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// The size of a connection before its first byte, in bytes: a channel with its handlers and a read buffer.
    private static let ownBytes = 16_384
    /// The size of a TLS session: two records of the greatest size, and its keys.
    private static let tlsBytes = 49_152

    let base: HTTP1Channel
    let server: ServerCore
    let limiter: ConnectionLimiter
    /// Nil for HTTP in the clear.
    let certificate: ServerCertificate?
    /// Nil where no responder has one.
    let fastPath: (any FastPath)?
    /// True only where there is a fast path: a browser that shows the dashboard is to stay with HTTP/1.1.
    let speaksHTTP2: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            let peer = Peer(channel.remoteAddress)
            if server.peers.isProxy(peer) {
                try channel.pipeline.syncOperations.addHandler(ProxyProtocol(server, limiter))
            } else if let address = peer.address, !limiter.admit(address, channel) {
                throw Refused(reason: .addressConnections)
            }
            let own = Self.ownBytes + (certificate == nil ? 0 : Self.tlsBytes)
            guard server.load.room >= own else {
                server.load.refused(.processMemory)
                throw Refused(reason: .processMemory)
            }
            let state = ConnectionState(server, limiter, own: own, on: channel)
            if let certificate {
                let context = certificate.current(speaksHTTP2: speaksHTTP2)
                try channel.pipeline.syncOperations.addHandler(TLSServerHandler(context))
            }
            if let fastPath, speaksHTTP2 {
                try channel.pipeline.syncOperations.addHandler(
                    HTTP2Preface { try Self.beginHTTP2(fastPath, state, $0) }
                )
            }
            let value = base.setup(channel: channel, logger: logger)
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HTTP1Guard(state), position: .after(decoder))
            if let fastPath {
                // Behind the handler that closes idle connections, which has to see these requests too.
                let clock = try pipeline.handler(type: HTTPConnectionStateHandler.self)
                try pipeline.addHandler(fastPath.http1(state, on: channel), position: .after(clock))
            }
            return value
        } catch {
            // NIO leaves closing to the initializer that refuses: otherwise the connection counts until its peer
            // closes.
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// Installs HTTP/2; HTTP/1.1's handlers get no more input, and only learn of the connection's end.
    private static func beginHTTP2(
        _ fastPath: any FastPath,
        _ state: ConnectionState,
        _ preface: ChannelHandlerContext
    ) throws {
        let pipeline = preface.pipeline.syncOperations
        // HTTP/1.1's idle timeout would close a connection that carries none of it.
        let clock = try pipeline.context(handlerType: HTTPConnectionStateHandler.self)
        pipeline.removeHandler(context: clock, promise: nil)
        pipeline.removeHandler(context: try pipeline.context(handlerType: HTTP1Guard.self), promise: nil)
        let streams = try fastPath.http2(state, on: preface.channel)
        try pipeline.addHandler(streams, position: .after(preface.handler))
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }

    /// A connection closed before its first byte.
    private struct Refused: Error {
        let reason: EdgeReason
    }
}
