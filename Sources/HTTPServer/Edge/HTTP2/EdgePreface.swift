import NIOCore

/// Finds out by a connection's first bytes which HTTP it speaks, on the edge's own address: HTTP/2 begins with its preface
/// (RFC 9113, section 3.4), as a load balancer does that was told so, or a client that agreed on it by ALPN.
///
/// Confined to the connection's loop.
final class EdgePreface: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Puts HTTP/2 in this handler's place, before it goes.
    private let begin: (ChannelHandlerContext) throws -> Void
    private var bytes = ByteBuffer()

    init(_ begin: @escaping (ChannelHandlerContext) throws -> Void) {
        self.begin = begin
    }

    /// Whether bytes are those of HTTP/2; nil while they may become so.
    static func isHTTP2(_ bytes: some Collection<UInt8>) -> Bool? {
        guard preface.starts(with: bytes.prefix(preface.count)) else { return false }
        return bytes.count >= preface.count ? true : nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var more = unwrapInboundIn(data)
        bytes.writeBuffer(&more)
        switch Self.isHTTP2(bytes.readableBytesView) {
        case nil: break
        case true?:
            do {
                try begin(context)
                leave(context)
            } catch {
                context.close(promise: nil)
            }
        case false?: leave(context)
        }
    }

    private func leave(_ context: ChannelHandlerContext) {
        context.fireChannelRead(wrapInboundOut(bytes))
        bytes.clear()
        // Fails only when the pipeline is gone already.
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
