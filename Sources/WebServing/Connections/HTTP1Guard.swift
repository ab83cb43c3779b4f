import Delivery
import NIOCore
import NIOHTTP1

/// Enforces on every HTTP/1.1 connection, on either path: one `Host`, no trailers, a share of the process' budget for
/// bodies, no body after its answer, and a deadline for trickling peers.
///
/// Stands behind the decoder. Confined to the connection's loop.
final class HTTP1Guard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The interval between checks of the connection.
    private static let pollInterval = TimeAmount.seconds(5)

    private let state: ConnectionState
    private var nextPoll: Scheduled<Void>?
    /// The time of the last read or write.
    private var movedAt = MonotonicInstant.now
    /// The request being received: its start, and its bytes so far.
    private var coming: (since: MonotonicInstant, bytes: Int)?
    /// The number of answers still owed.
    private var unanswered = 0
    /// The time since when the client takes nothing, nil while it takes; `writtenBytes` counts since it last took all.
    private var unread: (since: MonotonicInstant, bytes: Int)?
    private var writtenBytes = 0
    /// True once further input is ignored.
    private var isRefused = false
    /// True while the current answer is the last one: its request has not been received completely.
    private var isEarly = false
    /// Bytes of bodies since no answer was last owed.
    private var bodyBytes = 0
    /// The time for a client to read an answer that was sent before its request was complete.
    private static let linger = TimeAmount.seconds(2)

    init(_ state: ConnectionState) { self.state = state }

    func handlerAdded(context: ChannelHandlerContext) { schedulePoll(context) }

    func handlerRemoved(context: ChannelHandlerContext) { nextPoll?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        nextPoll?.cancel()
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
                // The responder answers 400 after the answers still owed, and closes.
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
            guard state.server.load.room >= 0 else { return refuse(context) }
            context.fireChannelRead(data)
        case .end:
            coming = nil
            // Trailers are dropped: they change nothing here, least of all the caller.
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }
    }

    /// Refuses the request because the process holds all that it may.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        state.server.load.refused(.processMemory)
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

    /// Closes without reading on, after the client has had time to read its answer: closing over unread bytes would
    /// make the kernel discard the answer.
    private func leave(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.linger) { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        movedAt = .now
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // Input still to come belongs to the last of several requests.
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

    private func schedulePoll(_ context: ChannelHandlerContext) {
        let loop = context.eventLoop.assumeIsolated()
        nextPoll = loop.scheduleTask(in: Self.pollInterval) { [weak self] in
            guard let self, context.channel.isActive else { return }
            if let reason = fault(now: .now) {
                state.server.load.refused(reason)
                context.close(promise: nil)
            } else {
                schedulePoll(context)
            }
        }
    }

    /// Returns the reason to end the connection; nil when there is none.
    private func fault(now: MonotonicInstant) -> EdgeReason? {
        if let coming, RequestDeadline.isOver(since: coming.since, bytes: coming.bytes, now: now) { return .deadline }
        if let unread, RequestDeadline.isOver(since: unread.since, bytes: writtenBytes, now: now) { return .deadline }
        guard coming == nil, unread == nil, unanswered <= 0 else { return nil }
        // A head that trickles in counts as silence: the decoder has passed on none of it.
        return state.isIdle(since: movedAt, now: now) ? .idle : nil
    }
}

/// Rules for HTTP/1.1 requests before they are dispatched; no I/O.
enum HTTP1Rule {
    /// Returns the memory charged for a body of which so many bytes have arrived: at most that of a job, since larger
    /// bodies are written out as they arrive.
    static func heldBytes(_ bytes: Int) -> Int { min(bytes, BodyReader.jobMax) }

    /// Returns true for exactly one `Host` (RFC 9112, section 3.2); only HTTP/1.0 may leave it out.
    static func isGood(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers[canonicalForm: "host"].count
        return hosts == 1 || hosts == 0 && head.version == .http1_0
    }
}

extension HTTPResponseHead {
    /// True if the final answer is still to come.
    fileprivate var isInformational: Bool { (100..<200).contains(status.code) }
}
