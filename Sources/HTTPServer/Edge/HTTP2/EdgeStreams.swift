import Campaigns
import Fleet
import HTTP2
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// A connection of HTTP/2 at the edge: requests of a load balancer for many phones, or of one phone that agreed on it.
///
/// For a rush the cheapest way in: the kernel has one read and one write for dozens of requests. Everything goes through
/// the same door as on HTTP/1.1. Confined to its loop.
final class EdgeStreams: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes of frames that are written at once.
    private static let framesBytes = 15_000

    private let door: EdgeDoor
    private let intake: TrackingIntake
    private let executor: LoopExecutor
    private let peer: String
    private let session: HTTP2ServerSession
    private let taken = StreamAnswer(TrackingRoutes.taken)
    private let later = StreamAnswer(ReadyAnswer(TrackingRoutes.later))
    private var date = DateField()
    /// Nil when the connection is gone.
    private var context: ChannelHandlerContext?
    /// Requests that are not answered yet.
    private var answering = 0
    private var movedAt = NIODeadline.now()
    private var isFlushDue = false
    private var isLeaving = false

    init(_ door: EdgeDoor, on channel: any Channel) throws {
        self.door = door
        intake = door.core.intakes.intake(door.core, on: channel.eventLoop)
        executor = LoopExecutor(channel.eventLoop)
        peer = channel.remoteAddress?.ipAddress ?? "local"
        session = try HTTP2ServerSession(configuration: EdgeStreamRule.session)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        context.fireChannelInactive()
    }

    // MARK: - Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        movedAt = .now()
        do {
            try unwrapInboundIn(data).withUnsafeReadableBytes { try session.receive($0) }
        } catch {
            end(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        session.takeRequests { take($0) }
        flush()
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

    /// Sends what has arisen, as far as the other side takes it.
    private func flush() {
        guard let context else { return }
        do {
            var hasWritten = false
            while context.channel.isWritable, session.wantsWrite {
                let room = Self.framesBytes + HTTP2ServerSession.frameBytesMax
                var frames = context.channel.allocator.buffer(capacity: room)
                let count = try frames.writeWithUnsafeMutableBytes(minimumWritableBytes: room) {
                    try session.send(into: $0, threshold: Self.framesBytes)
                }
                guard count > 0 else { break }
                context.write(wrapOutboundOut(frames), promise: nil)
                hasWritten = true
            }
            if hasWritten {
                movedAt = .now()
                context.flush()
            }
            if session.isFinished { context.close(promise: nil) }
        } catch {
            context.close(promise: nil)
        }
    }

    /// Answers of one batch leave together.
    private func flushSoon() {
        guard !isFlushDue, let context else { return }
        isFlushDue = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushDue = false
            self.flush()
        }
    }

    // MARK: - The end

    /// The other side broke the protocol: it is told, and that was all.
    private func end(_ error: any Error) {
        door.core.logger.debug("a connection ended", metadata: ["peer": "\(peer)", "error": "\(error)"])
        flush()
        context?.close(promise: nil)
    }

    /// No further requests; the connection goes with its last answer.
    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        try? session.goAway()
        flush()
    }

    private func watch(_ context: ChannelHandlerContext) {
        let wait = movedAt + EdgeStreamRule.idleMax - .now()
        context.eventLoop.assumeIsolated().scheduleTask(in: max(wait, .seconds(1))) { [weak self] in
            guard let self, let context = self.context else { return }
            guard EdgeStreamRule.isIdle(movedAt: movedAt, answering: answering, now: .now()) else {
                return watch(context)
            }
            leave()
            context.close(promise: nil)
        }
    }
}

// MARK: - Requests

extension EdgeStreams {
    private func take(_ incoming: borrowing IncomingRequest) {
        let streamID = incoming.streamID
        // Refused before anything was done with it: it may be sent again (RFC 9113, section 8.7).
        guard session.unsentBytes <= EdgeStreamRule.unsentMax else {
            try? session.reset(streamID: streamID, code: HTTP2ErrorCode.refusedStream)
            return
        }
        answering += 1
        guard let ask = TrackingAsk(incoming) else { return pass(Request(incoming), streamID) }
        intake.take(ask) { [self] verdict in
            let app: String
            let answer: StreamAnswer
            switch verdict {
            case .taken(let name): (app, answer) = (name, taken)
            case .later(let name): (app, answer) = (name, later)
            case .unusual: return pass(ask.request, streamID)
            }
            send(answer, id: ask.id, streamID)
            door.note(ask.line(peer), TrackingRoutes.operation, app, answer.status, ContinuousClock.now - ask.began)
        }
    }

    /// Asks the door.
    private func pass(_ request: Request?, _ streamID: Int32) {
        guard let request, let context else {
            try? session.reset(streamID: streamID, code: HTTP2ErrorCode.protocolError)
            answering -= 1
            return flushSoon()
        }
        let (door, peer) = (door, peer)
        let here = NIOLoopBound(self, eventLoop: context.eventLoop)
        Task(executorPreference: executor) {
            let response = await EdgeFront(door: door).respond(to: request, peer: peer)
            let body = StreamBody()
            // Fails for nothing: a body of the edge lies in memory.
            try? await response.body.write(body)
            here.value.send(StreamAnswer(response, body: body.bytes), id: nil, streamID)
        }
    }

    private func send(_ answer: StreamAnswer, id: String?, _ streamID: Int32) {
        answering -= 1
        guard context != nil else { return }
        let fields = answer.fields(id: id, date: date.text(at: WallClock.now()))
        do {
            try session.respond(streamID: streamID, status: answer.status, fields: fields, body: answer.body)
            flushSoon()
        } catch {
            end(error)
        }
    }
}
