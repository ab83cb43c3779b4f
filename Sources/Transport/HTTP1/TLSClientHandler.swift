import NIOCore
import TLS

/// TLS of one outgoing connection: ciphertext below, HTTP above.
///
/// HTTP sees the connection as active only once it is secure.
///
/// Confined to the connection's loop.
final class TLSClientHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let session: TLSSession
    private var isActive = false

    /// Creates a handler; `serverName` must be in the peer's certificate.
    init(_ context: TLSClientContext, serverName: String) throws(TLSError) {
        session = try TLSSession(client: context, serverName: serverName)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) { begin(context) }

    private func begin(_ context: ChannelHandlerContext) {
        do throws(TLSError) {
            try session.start()
        } catch {
            return fail(error, context)
        }
        session.drain(to: context)
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let ciphertext = unwrapInboundIn(data)
        var plaintext = context.channel.allocator.buffer(capacity: ciphertext.readableBytes)
        let failure = session.receive(ciphertext, into: &plaintext)
        // Also sends alerts, so that the peer knows the fault.
        session.drain(to: context)
        context.flush()
        if session.state == .established, !isActive {
            isActive = true
            context.fireChannelActive()
        }
        if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
        if let failure {
            fail(failure, context)
        } else if session.state == .closed {
            context.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard session.state == .established else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        if let failure = session.write(unwrapOutboundIn(data)) {
            promise?.fail(failure)
            return fail(failure, context)
        }
        session.drain(to: context, promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { session.close(sendingTo: context) }
        context.close(mode: mode, promise: promise)
    }

    private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
