import Delivery
import NIOCore
import NIOHTTP1

/// What every connection of HTTP/1.1 is held to, whoever answers: one `Host`, no trailers, and an end for what dribbles.
///
/// Stands behind the decoder. Confined to the connection's loop.
final class HTTP1Guard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How often what a connection waits for is looked at.
    private static let look = TimeAmount.seconds(5)

    private let state: ConnectionState
    private var watching: Scheduled<Void>?
    /// When something came or went last.
    private var movedAt = MonotonicInstant.now
    /// The request that comes: since when, and how much of it has.
    private var coming: (since: MonotonicInstant, bytes: Int)?
    /// Answers that are not given yet.
    private var unanswered = 0
    /// Bytes of answers since the client last took what there was, and since when it does not.
    private var unread: (since: MonotonicInstant, bytes: Int)?
    private var writtenBytes = 0
    private var isRefused = false

    init(_ state: ConnectionState) { self.state = state }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func handlerRemoved(context: ChannelHandlerContext) { watching?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        watching?.cancel()
        context.fireChannelInactive()
    }

    // MARK: - In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        movedAt = .now
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            guard HTTP1Rule.isGood(head) else {
                // Whoever answers says 400, behind the answers that are owed, and closes.
                isRefused = true
                coming = nil
                return context.fireErrorCaught(HTTPParserError.invalidHost)
            }
            coming = (movedAt, 0)
            unanswered += 1
            context.fireChannelRead(data)
        case .body(let bytes):
            coming?.bytes += bytes.readableBytes
            context.fireChannelRead(data)
        case .end:
            coming = nil
            // What stands behind a body says nothing here, and least of all who asks.
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }
    }

    // MARK: - Out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        movedAt = .now
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body(.byteBuffer(let bytes)): writtenBytes += bytes.readableBytes
        case .body(.fileRegion(let region)): writtenBytes += region.readableBytes
        case .end: unanswered -= 1
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            unread = nil
            writtenBytes = 0
        } else if unread == nil {
            unread = (.now, 0)
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Time

    private func watch(_ context: ChannelHandlerContext) {
        let loop = context.eventLoop.assumeIsolated()
        watching = loop.scheduleTask(in: Self.look) { [weak self] in
            guard let self, context.channel.isActive else { return }
            if let reason = fault(now: .now) {
                state.core.load.refused(reason)
                context.close(promise: nil)
            } else {
                watch(context)
            }
        }
    }

    /// Why the connection is ended; nil when it is not.
    private func fault(now: MonotonicInstant) -> EdgeReason? {
        if let coming, RequestDeadline.isOver(since: coming.since, bytes: coming.bytes, now: now) { return .deadline }
        if let unread, RequestDeadline.isOver(since: unread.since, bytes: writtenBytes, now: now) { return .deadline }
        guard coming == nil, unread == nil, unanswered <= 0 else { return nil }
        // A head that dribbles is silence: nothing of it has come.
        return state.isIdle(since: movedAt, now: now) ? .idle : nil
    }
}

/// What a request's head has to have before anybody looks at it; no I/O.
enum HTTP1Rule {
    /// Exactly one `Host` (RFC 9112, section 3.2), which only HTTP/1.0 may leave out.
    static func isGood(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers[canonicalForm: "host"].count
        return hosts == 1 || hosts == 0 && head.version == .http1_0
    }
}
