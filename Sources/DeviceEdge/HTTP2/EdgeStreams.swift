import Campaigns
import Delivery
import HTTP2
import HummingbirdCore
import Logging
import NIOCore
import Store
import Transport
import WebServing

/// An HTTP/2 connection at the edge: requests of a load balancer for many phones, or of one phone that negotiated it.
///
/// The cheapest way in for a rush: one read and one write in the kernel for dozens of requests. The responder is the
/// same as for HTTP/1.1. Confined to its loop.
final class EdgeStreams: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes of frames in one write.
    private static let framesBytes = 15_000
    /// The interval between checks for late streams and for silence.
    private static let pollInterval = TimeAmount.seconds(5)

    private let responder: EdgeResponder
    private let state: ConnectionState
    private let intake: TrackingIntake
    private let executor: LoopExecutor
    private let session: HTTP2ServerSession
    private let taken = StreamAnswer(TrackingRoutes.taken)
    private let later = StreamAnswer(ReadyAnswer(TrackingRoutes.later))
    private let full = StreamAnswer(ReadyAnswer(EdgeRefusal.full))
    private var date = DateField()
    /// Nil after the connection has ended.
    private var context: ChannelHandlerContext?
    private var movedAt = MonotonicInstant.now
    private var isFlushDue = false
    private var isLeaving = false

    init(
        _ responder: EdgeResponder,
        _ intake: TrackingIntake,
        _ state: ConnectionState,
        on channel: any Channel
    ) throws {
        self.responder = responder
        self.state = state
        self.intake = intake
        executor = LoopExecutor(channel.eventLoop)
        session = try HTTP2ServerSession(configuration: EdgeStreamRule.session)
    }

    private var load: ProcessLoad { responder.server.load }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The peer is known by now; finding it sets the budget's standing.
        _ = state.peer
        schedulePoll(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        context.fireChannelInactive()
    }

    // MARK: - Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        movedAt = .now
        session.now = movedAt.nanoseconds
        session.heldBytesMax = state.budget.sessionBytesMax(load.budget, held: session.heldBytes)
        do {
            try unwrapInboundIn(data).withUnsafeReadableBytes { try session.receive($0) }
        } catch {
            return end(error)
        }
        account()
        // Nothing received is answered: parts of it are missing.
        if session.isOverBudget { leave(state.budget.reason(held: session.heldBytes)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !session.isOverBudget {
            session.takeHeads { isWanted($0) }
            session.takeRequests { take($0) }
        }
        flush()
        account()
        if case .goAway(let reason) = state.budget.resets(session.ownResets, now: movedAt) { leave(reason) }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { flush() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(error) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        leave()
    }

    /// Reports the connection's bytes to the process; a shared copy reports itself.
    private func account() { state.held.set(session.heldBytes + state.budget.answeringBytes) }

    /// Sends pending frames as far as the channel is writable.
    private func flush() {
        guard let context else { return }
        do {
            var hasWritten = false
            while context.channel.isWritable, session.hasPendingBytes {
                let room = Self.framesBytes + HTTP2ServerSession.frameBytesMax
                var frames = context.channel.allocator.buffer(capacity: room)
                let count = try frames.writeWithUnsafeMutableBytes(minimumWritableBytes: room) {
                    try session.drain(into: $0, threshold: Self.framesBytes)
                }
                guard count > 0 else { break }
                context.write(wrapOutboundOut(frames), promise: nil)
                hasWritten = true
            }
            if hasWritten {
                movedAt = .now
                context.flush()
            }
            if session.isFinished { context.close(promise: nil) }
        } catch {
            context.close(promise: nil)
        }
    }

    /// Sends the answers of one batch together.
    private func flushSoon() {
        guard !isFlushDue, let context else { return }
        isFlushDue = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushDue = false
            self.flush()
            self.account()
        }
    }

    // MARK: - The end

    /// Ends a connection whose peer broke the protocol, after pending frames.
    private func end(_ error: any Error) {
        responder.server.logger.debug(
            "a connection ended",
            metadata: ["peer": "\(state.peer.text)", "error": "\(SocketErrorText.words(error))"]
        )
        flush()
        context?.close(promise: nil)
    }

    /// Takes no further requests; the connection closes after its last answer.
    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        try? session.goAway()
        flush()
    }

    /// Ends a connection that costs too much, with GOAWAY.
    private func leave(_ reason: EdgeReason) {
        guard let context, context.channel.isActive else { return }
        load.refused(reason)
        responder.server.logger.debug(
            "a connection ended",
            metadata: ["peer": "\(state.peer.text)", "reason": "\(reason)"]
        )
        try? session.goAway(
            code: reason == .idle ? HTTP2ErrorCode.noError : HTTP2ErrorCode.enhanceYourCalm,
            debugData: Array(reason.rawValue.utf8)
        )
        flush()
        context.close(promise: nil)
    }

    private func schedulePoll(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pollInterval) { [weak self] in
            guard let self, let context = self.context else { return }
            poll(now: .now)
            if self.context != nil { schedulePoll(context) }
        }
    }

    private func poll(now: MonotonicInstant) {
        session.now = now.nanoseconds
        var (late, leftOver): ([Int32], [Int32]) = ([], [])
        session.forEachOpen { streamID, phase, since in
            if EdgeStreamRule.isLate(phase, since: since, now: now) { late.append(streamID) }
            if EdgeStreamRule.isLeftOver(phase, since: since, now: now) { leftOver.append(streamID) }
        }
        for streamID in leftOver { try? session.reset(streamID: streamID, code: HTTP2ErrorCode.noError) }
        if !late.isEmpty {
            // Behind a proxy, other clients must not suffer for one.
            guard state.budget.standing == .proxy else { return leave(.deadline) }
            for streamID in late {
                load.refused(.deadline)
                try? session.reset(streamID: streamID, code: HTTP2ErrorCode.cancel)
            }
            flush()
        } else if !leftOver.isEmpty {
            flush()
        } else if state.budget.answering == 0, state.isIdle(since: movedAt, now: now) {
            leave(.idle)
        }
    }
}

// MARK: - Requests

extension EdgeStreams {
    /// Returns true if the head of an unfinished request shows a plausible key; otherwise answers the request at once.
    private func isWanted(_ head: borrowing IncomingRequest) -> Bool {
        if responder.isPlausible(head.withValue(of: "authorization") { String(decoding: $0, as: UTF8.self) }) {
            return true
        }
        begin(head) { pass(Request(head), $0, head.streamID) }
        return false
    }

    /// Charges a request to the budget until it is answered; one over the budget is refused, and may be retried.
    private func begin(_ incoming: borrowing IncomingRequest, _ answer: (_ bytes: Int) -> Void) {
        let bytes = incoming.heldBytes
        let held = session.heldBytes + session.sharedUnsentBytes
        switch state.budget.began(bytes: bytes, held: held, processRoom: load.room) {
        case .go where load.begins(): answer(bytes)
        case .go:
            state.budget.ended(bytes: bytes)
            try? session.reset(streamID: incoming.streamID, code: HTTP2ErrorCode.refusedStream)
        case .refuse(let reason), .goAway(let reason):
            load.refused(reason)
            try? session.reset(streamID: incoming.streamID, code: HTTP2ErrorCode.refusedStream)
        }
    }

    private func take(_ incoming: borrowing IncomingRequest) {
        let streamID = incoming.streamID
        guard let ask = TrackingAsk(incoming) else { return begin(incoming) { pass(Request(incoming), $0, streamID) } }
        begin(incoming) { bytes in
            intake.take(ask) { [self] verdict in
                let app: String
                let answer: StreamAnswer
                switch verdict {
                case .taken(let name): (app, answer) = (name, taken)
                case .later(let name): (app, answer) = (name, later)
                case .unusual: return pass(ask.request, bytes, streamID)
                }
                state.budget.proved()
                send(answer, id: ask.id, bytes, streamID)
                let line = ask.line(state.peer.text)
                responder.note(line, TrackingRoutes.operation, app, answer.status, ContinuousClock.now - ask.began)
            }
        }
    }

    /// Hands the request to the responder.
    private func pass(_ request: Request?, _ bytes: Int, _ streamID: Int32) {
        guard let request, let context else {
            try? session.reset(streamID: streamID, code: HTTP2ErrorCode.protocolError)
            ended(bytes)
            return flushSoon()
        }
        let (responder, peer) = (responder, state.peer)
        let here = NIOLoopBound(self, eventLoop: context.eventLoop)
        Task(executorPreference: executor) {
            let reply = await responder.replyAtOwnAddress(to: request, from: peer)
            let body = StreamBody()
            let response = reply.response
            // Cannot fail: an edge body is in memory.
            try? await response.body.write(body)
            here.value.send(reply, response, body.bytes, bytes, streamID)
        }
    }

    private func send(
        _ reply: WebReply<EdgeResponder>,
        _ response: Response,
        _ body: ByteBuffer,
        _ bytes: Int,
        _ streamID: Int32
    ) {
        if reply.caller?.isDevice == true { state.budget.proved() }
        let answer = StreamAnswer(response, body: body, owner: reply.owner)
        // Bounds the large answers held for a client that reads none.
        let held = session.heldBytes + session.sharedUnsentBytes
        let room = reply.owner == nil ? load.room : .max
        if case .refuse(let reason) = state.budget.answer(bytes: body.readableBytes, held: held, processRoom: room) {
            load.refused(reason)
            send(full, id: RequestID.id(given: nil), bytes, streamID)
        } else {
            send(answer, id: nil, bytes, streamID)
        }
    }

    private func ended(_ bytes: Int) {
        state.budget.ended(bytes: bytes)
        load.ends()
    }

    private func send(_ answer: StreamAnswer, id: String?, _ bytes: Int, _ streamID: Int32) {
        ended(bytes)
        guard context != nil else { return }
        let fields = answer.fields(id: id, date: date.text(at: WallClock.now().asRead))
        session.now = MonotonicInstant.now.nanoseconds
        do {
            let body = answer.body.readableBytes == 0 ? nil : BufferBytes(answer.body, answer.owner)
            try session.respond(streamID: streamID, status: answer.status, fields: fields, bytes: body)
            flushSoon()
        } catch {
            end(error)
        }
    }
}
