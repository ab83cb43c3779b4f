import Campaigns
import Delivery
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Store
import WebServing

/// The fast path: answers the edge's requests on their connection's loop, ahead of Hummingbird.
///
/// After a large send half a million phones ask within a minute, and in Hummingbird each request crosses threads
/// several times. Other requests (a body of unknown or large size, a connection that closes) take Hummingbird's path,
/// to the same responder.
final class EdgeFastPath: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let later = ReadyAnswer(TrackingRoutes.later)
    private static let full = ReadyAnswer(EdgeRefusal.full)

    /// Input that arrived while a request was being answered.
    private enum Held {
        case part(HTTPRequestPart)
        case event(Any)
        case error(any Error)
    }

    private let responder: EdgeResponder
    private let intake: TrackingIntake
    private let executor: LoopExecutor
    private let state: ConnectionState
    private var date = DateField()
    private var order = FastPathOrder()
    /// The request being read.
    private var request: (head: HTTPRequest, target: RoutedTarget, body: ByteBuffer)?
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    private var isReadWanted = false
    /// True while the current request counts against the process.
    private var isCounted = false
    /// True while the client has not taken its last answer; it gets no other before that.
    private var isClogged = false
    /// Succeeds when the answer being written has left.
    private var taken: EventLoopPromise<Void>?

    init(_ responder: EdgeResponder, _ intake: TrackingIntake, _ state: ConnectionState, on channel: any Channel) {
        self.responder = responder
        self.state = state
        self.intake = intake
        executor = LoopExecutor(channel.eventLoop)
    }

    /// True while new input has to wait.
    private var isWaiting: Bool { order.isAnswering || isClogged }

    // MARK: - In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isWaiting { held.append(.part(part)) } else { take(part, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isWaiting { held.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isWaiting { held.append(.error(error)) } else { context.fireErrorCaught(error) }
    }

    func read(context: ChannelHandlerContext) {
        // A phone that awaits its answer sends nothing, so suspending its reads would only cost. From a client that
        // pipelines, no more is read than it sent at once.
        if isWaiting, !held.isEmpty { isReadWanted = true } else { context.read() }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if case .head(let head) = part {
            // A body without a plausible key is useless: the common path refuses it without waiting for the body.
            let isWanted = !FastPathRule.hasBody(head) || responder.isPlausible(head.headerFields[.authorization])
            let target = isWanted && FastPathRule.fits(head) ? responder.ownTarget(of: head) : nil
            if order.began(fits: target != nil) == .fast, let target {
                request = (head, target, ByteBuffer())
                return
            }
        }
        guard order.way == .fast else {
            if case .end = part { order.ended() }
            return context.fireChannelRead(wrapInboundOut(part))
        }
        switch part {
        case .head: break
        case .body(var bytes):
            if request?.body.readableBytes == 0 { request?.body = bytes } else { request?.body.writeBuffer(&bytes) }
        case .end:
            order.ended()
            answer(context)
        }
    }

    // MARK: - Out

    private func answer(_ context: ChannelHandlerContext) {
        guard let (head, target, body) = request else { return }
        request = nil
        guard responder.server.load.begins() else { return refuse(context) }
        isCounted = true
        guard let ask = TrackingAsk(head, body) else {
            return pass(Request(head: head, body: RequestBody(buffer: body)), target, context)
        }
        intake.take(ask) { [self] verdict in
            let app: String
            let answer: ReadyAnswer
            switch verdict {
            case .taken(let name): (app, answer) = (name, TrackingRoutes.taken)
            case .later(let name): (app, answer) = (name, Self.later)
            case .unusual: return pass(ask.request, target, context)
            }
            state.budget.proved()
            send(answer, id: ask.id, context)
            let took = ContinuousClock.now - ask.began
            responder.note(ask.line(state.peer.text), TrackingRoutes.operation, app, answer.status.code, took)
        }
    }

    /// Refuses the request, and those behind it, for lack of room.
    private func refuse(_ context: ChannelHandlerContext) {
        held.removeAll()
        send(Self.full, id: RequestID.id(given: nil), context)
        context.close(promise: nil)
    }

    private func send(_ answer: ReadyAnswer, id: String, _ context: ChannelHandlerContext) {
        var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
        RequestID.set(id, in: &head.headerFields)
        head.headerFields[.date] = date.text(at: WallClock.now().asRead)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        finish(context)
    }

    /// Hands the request to the responder.
    private func pass(_ asked: Request, _ target: RoutedTarget, _ context: ChannelHandlerContext) {
        let (responder, peer) = (responder, state.peer)
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        Task(executorPreference: executor) {
            let reply = await responder.reply(to: asked, at: target, from: peer)
            let (path, context) = here.value
            if reply.caller?.isDevice == true { path.state.budget.proved() }
            path.keep(reply.owner, context)
            var response = reply.response
            response.headers[.date] = path.date.text(at: WallClock.now().asRead)
            context.write(path.wrapOutboundOut(.head(response.head)), promise: nil)
            // Fails only when the connection is gone.
            try? await response.body.write(FastPathWriter(here))
            path.finish(context)
        }
    }

    /// Keeps the owner of a shared body alive until the answer is written.
    private func keep(_ owner: (any AnyObject & Sendable)?, _ context: ChannelHandlerContext) {
        guard let owner else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in withExtendedLifetime(owner) {} }
        taken = promise
    }

    private func finish(_ context: ChannelHandlerContext) {
        if isCounted { responder.server.load.ends() }
        isCounted = false
        order.answered()
        isClogged = !context.channel.isWritable && context.channel.isActive
        goOn(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isClogged, context.channel.isWritable {
            isClogged = false
            goOn(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Waiting input has no recipient any more.
        isClogged = false
        held.removeAll()
        context.fireChannelInactive()
    }

    /// Processes the waiting input.
    private func goOn(_ context: ChannelHandlerContext) {
        guard !held.isEmpty || isReadWanted else { return }
        while !isWaiting, let next = held.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        // Hummingbird processes its input when a read is complete.
        context.fireChannelReadComplete()
        if isReadWanted, held.isEmpty || !isWaiting {
            isReadWanted = false
            context.read()
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { order.answeredOnCommonPath() }
        context.write(data, promise: promise)
    }

    /// Writes an answer's body on the connection's loop.
    private struct FastPathWriter: ResponseBodyWriter {
        private let here: NIOLoopBound<(EdgeFastPath, ChannelHandlerContext)>

        init(_ here: NIOLoopBound<(EdgeFastPath, ChannelHandlerContext)>) {
            self.here = here
        }

        func write(_ buffer: ByteBuffer) async throws {
            let (path, context) = here.value
            context.write(path.wrapOutboundOut(.body(buffer)), promise: nil)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            let (path, context) = here.value
            let promise = path.taken
            path.taken = nil
            context.writeAndFlush(path.wrapOutboundOut(.end(trailingHeaders)), promise: promise)
        }
    }
}
