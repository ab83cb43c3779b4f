import HTTP2
import NIOCore

/// A connection with many concurrent requests, in the clear.
///
/// Requests beyond the peer's limit of streams wait here, in order, and their latency counts on.
final class EdgeHTTP2Link: EdgeLink, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The approximate size of one write to the channel: more than one tick produces.
    private static let writeBytes = 15_000

    private let load: EdgeLoad
    private let opens: EdgeOpens
    private let http2: HTTP2ClientSession
    /// Nil after the connection has ended.
    private var context: ChannelHandlerContext?
    /// Requests not yet submitted to HTTP/2.
    private var waiting = CircularBuffer<Int>()
    private var unwritten = ByteBuffer()
    /// True once the peer's SETTINGS have arrived: before them its limit of streams is unknown.
    private var isReady = false
    private var isFlushScheduled = false

    init(load: EdgeLoad, opens: EdgeOpens) throws {
        self.load = load
        self.opens = opens
        http2 = try HTTP2ClientSession()
    }

    // MARK: Sending

    func send(_ number: Int) {
        guard context != nil else { return load.lost() }
        waiting.append(number)
        scheduleFlush()
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        load.needsFlush(self)
    }

    func flush() {
        isFlushScheduled = false
        guard let context else { return }
        do {
            try submit()
        } catch {
            return end(context, "\(error)")
        }
        // Frames that do not fit stay in HTTP/2 until the channel is writable again.
        while context.channel.isWritable {
            let room = Self.writeBytes + HTTP2ClientSession.frameBytesMax
            let count = unwritten.writeWithUnsafeMutableBytes(minimumWritableBytes: room) {
                http2.drain(into: $0, threshold: Self.writeBytes)
            }
            guard count > 0 else { break }
            context.writeAndFlush(Self.wrapOutboundOut(unwritten), promise: nil)
            // Reuses the memory if the channel has released it.
            unwritten.clear()
            // The usual case: one write to the socket in a tick.
            if count < Self.writeBytes { break }
        }
        // After a GOAWAY, requests end before they are sent.
        if http2.hasEnded { takeAnswers() }
    }

    private func submit() throws(HTTP2Error) {
        let allowed = min(http2.freeStreams, (http2.maxConcurrentStreams ?? 0) - http2.inFlight)
        for _ in 0..<max(0, min(allowed, waiting.count)) {
            let number = waiting.removeFirst()
            // The clock is only for deadlines, of which there are none here.
            _ = try http2.submit(now: 0) { request in
                opens.fill(number, &request)
                return true
            }
        }
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.context != nil else { return }
        do {
            try Self.unwrapInboundIn(data).withUnsafeReadableBytes { try http2.receive($0) }
        } catch {
            return end(context, "\(error)")
        }
        takeAnswers()
        if http2.isFinished { return end(context, "HTTP/2 is over") }
        if !isReady, http2.maxConcurrentStreams != nil {
            isReady = true
            flush()
            load.linkIsReady()
        } else if !waiting.isEmpty || http2.hasPendingBytes {
            scheduleFlush()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { scheduleFlush() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context, "\(error)") }

    func channelInactive(context: ChannelHandlerContext) { end(context, "without a word") }

    // MARK: Answers

    private func takeAnswers() {
        let now = NIODeadline.now()
        http2.takeEnded { settle($0, at: now) }
    }

    private func settle(_ end: borrowing StreamEnd, at now: NIODeadline) {
        guard end.kind == .answered else { return load.lost() }
        load.answered(Int(end.tag), status: Int(end.status), at: now)
    }

    /// Ends the connection: open requests are lost, unless they are answered already.
    private func end(_ context: ChannelHandlerContext, _ reason: String) {
        guard self.context != nil else { return }
        self.context = nil
        let now = NIODeadline.now()
        http2.endAll { settle($0, at: now) }
        while waiting.popFirst() != nil { load.lost() }
        load.linkEnded(reason)
        context.close(promise: nil)
    }
}
