import Delivery
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Settings

/// Hummingbird's HTTP/1.1, over our TLS where there is a certificate, with a fast path for the edge's requests, and
/// HTTP/2 beside it on the edge's own address.
struct HouseHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// The size of a connection before its first byte, in bytes: a channel with its handlers and a read buffer.
    private static let ownBytes = 16_384
    /// The size of a TLS session: two records of the greatest size, and its keys.
    private static let tlsBytes = 49_152

    let base: HTTP1Channel
    let core: ServerCore
    let census: ConnectionCensus
    /// Nil for HTTP in the clear.
    let certificate: ServerCertificate?
    /// Nil where no edge is served.
    let edge: EdgeResponder?
    /// True on the edge's own address only: a browser that shows the dashboard is to stay with HTTP/1.1.
    let speaksHTTP2: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            let peer = Peer(channel.remoteAddress)
            if core.peers.isProxy(peer) {
                try channel.pipeline.syncOperations.addHandler(ProxyProtocol(core, census))
            } else if let address = peer.address, !census.admit(address, channel) {
                throw Refused(reason: .addressConnections)
            }
            let own = Self.ownBytes + (certificate == nil ? 0 : Self.tlsBytes)
            guard core.load.room >= own else {
                core.load.refused(.processMemory)
                throw Refused(reason: .processMemory)
            }
            let state = ConnectionState(core, census, own: own, on: channel)
            if let certificate {
                let context = certificate.current(speaksHTTP2: speaksHTTP2)
                try channel.pipeline.syncOperations.addHandler(TLSServerHandler(context))
            }
            if let edge, speaksHTTP2 {
                try channel.pipeline.syncOperations.addHandler(EdgePreface { try Self.beginHTTP2(edge, state, $0) })
            }
            let value = base.setup(channel: channel, logger: logger)
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HTTP1Guard(state), position: .after(decoder))
            if let edge {
                // Behind the handler that closes idle connections, which has to see these requests too.
                let clock = try pipeline.handler(type: HTTPConnectionStateHandler.self)
                try pipeline.addHandler(EdgeFastPath(edge, state, on: channel), position: .after(clock))
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
        _ edge: EdgeResponder,
        _ state: ConnectionState,
        _ preface: ChannelHandlerContext
    ) throws {
        let pipeline = preface.pipeline.syncOperations
        // HTTP/1.1's idle timeout would close a connection that carries none of it.
        let clock = try pipeline.context(handlerType: HTTPConnectionStateHandler.self)
        pipeline.removeHandler(context: clock, promise: nil)
        pipeline.removeHandler(context: try pipeline.context(handlerType: HTTP1Guard.self), promise: nil)
        let streams = try EdgeStreams(edge, state, on: preface.channel)
        try pipeline.addHandler(streams, position: .after(preface.handler))
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }

    /// A connection closed before its first byte.
    private struct Refused: Error {
        let reason: EdgeReason
    }
}

extension HTTPServerBuilder {
    /// Serves HTTP in the clear, or over TLS with a certificate.
    static func house(
        _ configuration: HTTP1Channel.Configuration,
        _ core: ServerCore,
        _ census: ConnectionCensus,
        _ certificate: ServerCertificate?,
        _ edge: EdgeResponder?,
        speaksHTTP2: Bool
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HouseHTTP1Channel(
                base: HTTP1Channel(responder: responder, configuration: configuration),
                core: core,
                census: census,
                certificate: certificate,
                edge: edge,
                speaksHTTP2: speaksHTTP2
            )
        }
    }
}
