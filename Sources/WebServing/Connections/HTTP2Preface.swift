import NIOCore

/// Tells HTTP/2 from HTTP/1.1 by a connection's first bytes.
///
/// HTTP/2 begins with its preface (RFC 9113, section 3.4), sent by a load balancer configured for it or by a client
/// that negotiated it by ALPN. Confined to the connection's loop.
final class HTTP2Preface: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Installs HTTP/2's handlers before this handler is removed.
    private let begin: (ChannelHandlerContext) throws -> Void
    private var bytes = ByteBuffer()

    init(_ begin: @escaping (ChannelHandlerContext) throws -> Void) {
        self.begin = begin
    }

    /// Returns true if the bytes begin with HTTP/2's preface; nil while they are a prefix of it.
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
        // Fails only when the pipeline is already gone.
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
