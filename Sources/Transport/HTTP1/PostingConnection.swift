import NIOCore
import NIOHTTP1
import NIOPosix
import TLS

/// One connection of an `HTTP1Poster`: requests one after another; may be used from any task.
final class PostingConnection: Sendable {
    typealias Answered = Result<HTTP1Poster.Answer, HTTP1Error>

    private let exchange: NIOLoopBound<PostingExchange>
    private let loop: any EventLoop

    private init(_ exchange: NIOLoopBound<PostingExchange>, _ loop: any EventLoop) {
        self.exchange = exchange
        self.loop = loop
    }

    /// Connects to an address within a share of the time; returns after the TLS handshake, if TLS is used.
    static func open(
        _ address: SocketAddress,
        _ destination: HTTP1Poster.Destination,
        _ loop: any EventLoop,
        _ share: AddressShare
    ) async -> Result<PostingConnection, HTTP1Error> {
        let opening = NIOLoopBoundBox.makeEmptyBox(valueType: PostingExchange.self, eventLoop: loop)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                loop.execute {
                    let exchange = PostingExchange(peer: "\(destination.host):\(destination.port)", loop: loop)
                    opening.value = exchange
                    let bound = NIOLoopBound(exchange, eventLoop: loop)
                    exchange.open(.now() + share.whole) { failure in
                        waiter.resume(
                            returning: failure.map { .failure($0) } ?? .success(PostingConnection(bound, loop))
                        )
                    }
                    connect(bound, to: address, destination, loop, share.socket)
                }
            }
        } onCancel: {
            loop.execute { opening.value?.end(.unreachable("given up")) }
        }
    }

    private static func connect(
        _ exchange: NIOLoopBound<PostingExchange>,
        to address: SocketAddress,
        _ destination: HTTP1Poster.Destination,
        _ loop: any EventLoop,
        _ timeout: TimeAmount
    ) {
        loop.openChannel(
            to: address,
            timeout: max(.milliseconds(1), timeout),
            options: { $0.channelOption(.tcpOption(.tcp_nodelay), value: 1) },
            initializer: { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls = destination.tls {
                        try pipeline.addHandler(TLSClientHandler(tls, serverName: destination.host))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(exchange.value)
                }
            }
        ).assumeIsolated()
            .whenFailure { exchange.value.end(.unreachable("\(exchange.value.peer) is not reachable: \($0)")) }
    }

    /// Sends a request; returns nil when the connection was closed before, so that the host has read none of it.
    func send(_ head: HTTPRequestHead, _ body: [UInt8], _ deadline: NIODeadline) async -> Answered? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                loop.execute { [exchange] in
                    exchange.value.send(head, body, deadline) { waiter.resume(returning: $0) }
                }
            }
        } onCancel: {
            close()
        }
    }

    func close() {
        loop.execute { [exchange] in
            exchange.value.end(.unreachable("\(exchange.value.peer): given up"))
        }
    }
}

/// The channel handler of a connection; confined to its loop.
final class PostingExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    let peer: String
    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var opened: ((HTTP1Error?) -> Void)?
    private var answered: ((PostingConnection.Answered?) -> Void)?
    private var answer: HTTP1Poster.Answer?
    private var bodyBytes = 0
    private var isOver = false
    private var mayStay = false
    private var alarm: Scheduled<Void>?

    init(peer: String, loop: any EventLoop) {
        self.peer = peer
        self.loop = loop
    }

    /// Sets the deadline for the connection; `opened` is called once, with nil when requests can be sent.
    func open(_ deadline: NIODeadline, opened: @escaping (HTTP1Error?) -> Void) {
        self.opened = opened
        setAlarm(deadline, "no connection in time")
    }

    func send(
        _ head: HTTPRequestHead,
        _ body: [UInt8],
        _ deadline: NIODeadline,
        answered: @escaping (PostingConnection.Answered?) -> Void
    ) {
        guard !isOver, let context, self.answered == nil else { return answered(nil) }
        self.answered = answered
        (answer, bodyBytes, mayStay) = (nil, 0, false)
        setAlarm(deadline, "no answer in time")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Ends the connection; a status that came before still counts as the answer.
    func end(_ error: HTTP1Error) {
        guard !isOver else { return }
        isOver = true
        alarm?.cancel()
        opened?(error)
        opened = nil
        let answered = answered
        self.answered = nil
        answered?(answer.map { .success($0) } ?? .failure(error))
        context?.close(promise: nil)
    }

    private func setAlarm(_ deadline: NIODeadline, _ what: String) {
        alarm?.cancel()
        alarm = loop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            end(.unreachable("\(peer): \(what)"))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        guard !isOver else { return context.close(promise: nil) }
        alarm?.cancel()
        opened?(nil)
        opened = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            mayStay = head.isKeepAlive
            answer = HTTP1Poster.Answer(
                status: Int(head.status.code),
                retryAfter: head.headers.first(name: "retry-after").map { Array($0.utf8) }
            )
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > HTTP1Poster.bodyMax { end(.broken("\(peer) sent more than \(HTTP1Poster.bodyMax) bytes")) }
        case .end: finish()
        }
    }

    private func finish() {
        guard let answer, let answered else { return end(.broken("\(peer) sent an answer without a request")) }
        alarm?.cancel()
        self.answered = nil
        if !mayStay {
            isOver = true
            context?.close(promise: nil)
        }
        answered(.success(answer))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.broken("\(peer) hung up before its answer was complete"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // TLS errors name the problem with a certificate; any other error means that the peer does not speak HTTP.
        if let error = error as? TLSError {
            end(.broken(error.message))
        } else {
            end(.broken(SocketErrorText.end(of: peer, speaking: "HTTP/1.1", error)))
        }
    }
}
