import NIOCore
import TLS
import Transport

/// TLS of one connection: ciphertext below, HTTP above.
///
/// Confined to the connection's loop.
final class TLSServerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let session: TLSSession
    /// Writes from before the end of the handshake.
    private var early: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []

    init(_ context: TLSServerContext) throws(TLSError) {
        session = try TLSSession(server: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let ciphertext = unwrapInboundIn(data)
        var plaintext = context.channel.allocator.buffer(capacity: ciphertext.readableBytes)
        let failure = session.receive(ciphertext, into: &plaintext)
        if session.state == .established { writeEarly(context) }
        // Alerts are sent too, so that the client can report the failure.
        session.drain(to: context)
        context.flush()
        if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
        if failure != nil || session.state == .closed { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard session.state == .established else {
            if session.state == .handshaking {
                early.append((bytes, promise))
            } else {
                promise?.fail(ChannelError.outputClosed)
            }
            return
        }
        encrypt(bytes, promise, context)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { session.close(sendingTo: context) }
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for write in early { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        early.removeAll()
        context.fireChannelInactive()
    }

    private func writeEarly(_ context: ChannelHandlerContext) {
        for write in early { encrypt(write.bytes, write.promise, context) }
        early.removeAll()
    }

    private func encrypt(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        if let failure = session.write(bytes) {
            promise?.fail(failure)
            context.close(promise: nil)
            return
        }
        session.drain(to: context, promise)
    }
}
