import Delivery
import NIOCore

/// Reads a trusted proxy's PROXY header, version 2, if the connection begins with one; then removes itself.
///
/// Stands before TLS. Confined to the connection's loop.
final class ProxyProtocol: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let server: ServerCore
    private let limiter: ConnectionLimiter
    private var bytes = ByteBuffer()

    init(_ server: ServerCore, _ limiter: ConnectionLimiter) { (self.server, self.limiter) = (server, limiter) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var more = unwrapInboundIn(data)
        bytes.writeBuffer(&more)
        switch ProxyHeader(bytes.readableBytesView) {
        case .partial: break
        case .absent: leave(context)
        case .malformed:
            server.load.refused(.proxyHeader)
            context.close(promise: nil)
        case .header(let count, let client):
            bytes.moveReaderIndex(forwardBy: count)
            if let client {
                guard limiter.admit(client, context.channel) else { return context.close(promise: nil) }
                server.peers.name(context.channel, client)
            }
            leave(context)
        }
    }

    private func leave(_ context: ChannelHandlerContext) {
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        bytes.clear()
        // Fails only when the pipeline is already gone.
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
