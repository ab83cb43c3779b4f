import Fleet
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Answers the edge's requests on the loop of their connection, before Hummingbird hears of them.
///
/// After a large send half a million phones ask within a minute, and on Hummingbird's way each request crosses threads
/// several times. What the lane cannot take (a body of unknown or large size, a connection that closes) goes that way,
/// through the same door.
final class EdgeLane: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let later = ReadyAnswer(TrackingRoutes.later)

    /// What came while a request was being answered.
    private enum Held {
        case part(HTTPRequestPart)
        case event(Any)
        case error(any Error)
    }

    private let door: EdgeDoor
    private let intake: TrackingIntake
    private let executor: LoopExecutor
    private let peer: String
    private var date = DateField()
    private var order = LaneOrder()
    /// The request that is being read.
    private var request: (head: HTTPRequest, target: EdgeTarget, body: ByteBuffer)?
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    private var isReadWanted = false

    init(_ door: EdgeDoor, on channel: any Channel) {
        self.door = door
        intake = door.core.intakes.intake(door.core, on: channel.eventLoop)
        executor = LoopExecutor(channel.eventLoop)
        peer = channel.remoteAddress?.ipAddress ?? "local"
    }

    // MARK: - In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if order.isAnswering { held.append(.part(part)) } else { take(part, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if order.isAnswering { held.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if order.isAnswering { held.append(.error(error)) } else { context.fireErrorCaught(error) }
    }

    func read(context: ChannelHandlerContext) {
        // A phone that waits for its answer sends nothing: to keep its connection from being read would only cost. Of one
        // that does not wait, no more is read than it has sent at once.
        if order.isAnswering, !held.isEmpty { isReadWanted = true } else { context.read() }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if case .head(let head) = part {
            let target = LaneRule.fits(head) ? door.target(of: head) : nil
            if order.began(fitsLane: target != nil) == .lane, let target {
                request = (head, target, ByteBuffer())
                return
            }
        }
        guard order.way == .lane else {
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
            send(answer, id: ask.id, context)
            let took = ContinuousClock.now - ask.began
            door.note(ask.line(peer), TrackingRoutes.operation, app, answer.status.code, took)
        }
    }

    private func send(_ answer: ReadyAnswer, id: String, _ context: ChannelHandlerContext) {
        var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
        if let name = Front.requestID { head.headerFields[name] = id }
        head.headerFields[.date] = date.text(at: WallClock.now())
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        finish(context)
    }

    /// Asks the door.
    private func pass(_ asked: Request, _ target: EdgeTarget, _ context: ChannelHandlerContext) {
        let (door, peer) = (door, peer)
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        Task(executorPreference: executor) {
            var response = await door.respond(to: asked, at: target, peer: peer)
            let (lane, context) = here.value
            response.headers[.date] = lane.date.text(at: WallClock.now())
            context.write(lane.wrapOutboundOut(.head(response.head)), promise: nil)
            // Fails for nothing but a connection that is gone.
            try? await response.body.write(LaneWriter(here))
            lane.finish(context)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        order.answered()
        guard !held.isEmpty || isReadWanted else { return }
        while !order.isAnswering, let next = held.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        // Hummingbird takes what it was given when a read is complete.
        context.fireChannelReadComplete()
        if isReadWanted, held.isEmpty || !order.isAnswering {
            isReadWanted = false
            context.read()
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { order.answeredOnCommonWay() }
        context.write(data, promise: promise)
    }

    /// Writes an answer's body on the lane's loop.
    private struct LaneWriter: ResponseBodyWriter {
        private let here: NIOLoopBound<(EdgeLane, ChannelHandlerContext)>

        init(_ here: NIOLoopBound<(EdgeLane, ChannelHandlerContext)>) {
            self.here = here
        }

        func write(_ buffer: ByteBuffer) async throws {
            let (lane, context) = here.value
            context.write(lane.wrapOutboundOut(.body(buffer)), promise: nil)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            let (lane, context) = here.value
            context.writeAndFlush(lane.wrapOutboundOut(.end(trailingHeaders)), promise: nil)
        }
    }
}
