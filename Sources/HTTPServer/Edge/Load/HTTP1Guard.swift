import Delivery
import NIOCore
import NIOHTTP1

/// What every connection of HTTP/1.1 is held to, whoever answers: one `Host`, no trailers, a place in the process' budget for
/// bodies, nothing of a body behind its answer, and an end for what dribbles.
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
    /// Nothing that comes is of use to anybody any more.
    private var isRefused = false
    /// The answer that is being given is the last one: the request that it is for has not come to its end.
    private var isEarly = false
    /// Bytes of bodies since the last time that no answer was owed.
    private var bodyBytes = 0
    /// How long a client that is answered before it has sent all may take to read the answer.
    private static let linger = TimeAmount.seconds(2)

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
            bodyBytes += bytes.readableBytes
            state.held.set(HTTP1Rule.heldBytes(bodyBytes))
            guard state.core.load.room >= 0 else { return refuse(context) }
            context.fireChannelRead(data)
        case .end:
            coming = nil
            // What stands behind a body says nothing here, and least of all who asks.
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }
    }

    /// The process holds what it may.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        state.core.load.refused(.processMemory)
        guard unanswered == 1, !isEarly else { return context.close(promise: nil) }
        let fields: HTTPHeaders = ["connection": "close", "content-length": "0", "retry-after": "1"]
        let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        leave(context)
    }

    // MARK: - Out

    func read(context: ChannelHandlerContext) {
        if !isRefused { context.read() }
    }

    /// Closes without reading on, when the client has had time to read its answer: bytes that nobody reads would make the
    /// kernel take the answer back.
    private func leave(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.linger) { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        movedAt = .now
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // Of several requests the last one is meant by what still comes.
            guard coming != nil, unanswered == 1, !head.isInformational else { break }
            isEarly = true
            head.headers.replaceOrAdd(name: "connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(.byteBuffer(let bytes)): writtenBytes += bytes.readableBytes
        case .body(.fileRegion(let region)): writtenBytes += region.readableBytes
        case .end:
            unanswered -= 1
            if unanswered == 0 {
                bodyBytes = 0
                state.held.set(0)
            }
            if isEarly, coming != nil {
                isRefused = true
                coming = nil
                leave(context)
            }
            isEarly = false
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
    /// What a request's body may take while it is answered, of so many bytes that came: no more than one that is read as a
    /// whole, since larger ones are written down as they come.
    static func heldBytes(_ bytes: Int) -> Int { min(bytes, BodyReader.jobMax) }

    /// Exactly one `Host` (RFC 9112, section 3.2), which only HTTP/1.0 may leave out.
    static func isGood(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers[canonicalForm: "host"].count
        return hosts == 1 || hosts == 0 && head.version == .http1_0
    }
}

extension HTTPResponseHead {
    /// Whether the answer itself is still to come.
    fileprivate var isInformational: Bool { (100..<200).contains(status.code) }
}
