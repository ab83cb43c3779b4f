import NIOCore
import TLS

/// One connection of the bare server: all requests of a read are answered with one flush, at once or delayed.
final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The frames of one read that are delayed.
    private struct Held {
        let due: NIODeadline
        let frames: ByteBuffer
    }

    private let tls: TLSSession
    private let server: BareServer.Shared
    private let pace: BarePace
    private var frames: BareFrames
    private var ciphertext = ByteBuffer()
    private var held: CircularBuffer<Held> = []
    private var isTimerSet = false
    private var wasEstablished = false

    /// The threshold of frames that are encrypted together: just below a full TLS record.
    private static let recordBytes = 15_000
    /// The most that TLS adds to a record, with a margin.
    private static let recordOverhead = 128

    init(tls: TLSSession, server: BareServer.Shared, pace: BarePace, maxConcurrentStreams: UInt32) {
        self.tls = tls
        self.server = server
        self.pace = pace
        self.frames = BareFrames(
            maxConcurrentStreams: maxConcurrentStreams,
            behaviour: server.behaviour,
            bodies: server.bodies
        )
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        do {
            try buffer.withUnsafeReadableBytes { bytes in
                try self.tls.receive(bytes) { self.frames.receive($0) }
            }
        } catch {
            return self.finish(context)
        }
        if self.frames.isBroken || self.tls.state == .closed { self.finish(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let counts = self.count()
        if self.server.behaviour.holdsBack {
            self.hold(answers: counts.answered, context)
            self.write(context)
        } else {
            self.flush(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Reports this read's counts to the server.
    private func count() -> BareCounts {
        var counts = self.frames.takeCounts()
        if !self.wasEstablished, self.tls.state == .established {
            self.wasEstablished = true
            counts.connections = 1
        }
        if counts != BareCounts() { self.server.add(counts, at: .now()) }
        return counts
    }

    private func flush(_ context: ChannelHandlerContext) {
        do {
            if self.tls.state == .established {
                try self.encrypt(UnsafeRawBufferPointer(rebasing: self.frames.output[..<self.frames.outputCount]))
                self.frames.clearOutput()
            }
        } catch {
            return context.close(promise: nil)
        }
        self.write(context)
    }

    // MARK: Holding back

    private func hold(answers: Int, _ context: ChannelHandlerContext) {
        guard self.tls.state == .established, self.frames.outputCount > 0 else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: self.frames.output[..<self.frames.outputCount])
        let due = self.pace.due(answers: answers, now: .now())
        self.held.append(Held(due: due, frames: ByteBuffer(bytes: bytes)))
        self.frames.clearOutput()
        self.setTimer(context)
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        guard !self.isTimerSet, let first = self.held.first else { return }
        self.isTimerSet = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: first.due) {
            self.isTimerSet = false
            self.release(context)
        }
    }

    /// Sends all frames that are due.
    private func release(_ context: ChannelHandlerContext) {
        guard context.channel.isActive, self.tls.state == .established else { return }
        let now = NIODeadline.now()
        do {
            while let first = self.held.first, first.due <= now {
                self.held.removeFirst()
                try first.frames.withUnsafeReadableBytes { try self.encrypt($0) }
            }
        } catch {
            return context.close(promise: nil)
        }
        self.write(context)
        self.setTimer(context)
    }

    // MARK: Bytes

    private func encrypt(_ bytes: UnsafeRawBufferPointer) throws {
        var sent = 0
        while sent < bytes.count {
            let part = min(Self.recordBytes, bytes.count - sent)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[sent..<(sent + part)])
            self.drainSession()
            let tls = self.tls
            try self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: part + Self.recordOverhead) {
                try tls.write(piece, into: $0)
            }
            sent += part
        }
    }

    private func drainSession() {
        let tls = self.tls
        while tls.pendingBytes > 0 {
            self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingBytes) {
                tls.drain(into: $0)
            }
        }
    }

    private func write(_ context: ChannelHandlerContext) {
        self.drainSession()
        guard self.ciphertext.readableBytes > 0 else { return }
        context.writeAndFlush(Self.wrapOutboundOut(self.ciphertext), promise: nil)
        self.ciphertext.clear()
    }

    /// Sends the alert with the reason, then closes.
    private func finish(_ context: ChannelHandlerContext) {
        self.write(context)
        context.close(promise: nil)
    }
}

/// The schedule of answers, shared by all connections of a loop, so that the rate is the loop's.
///
/// Confined to its loop.
final class BarePace {
    private let latency: TimeAmount
    private let nanosecondsPerAnswer: Int64
    private var next = NIODeadline.distantPast

    init(_ behaviour: BareBehaviour) {
        latency = .milliseconds(Int64(behaviour.latencyMilliseconds))
        nanosecondsPerAnswer = behaviour.answersPerSecond > 0 ? 1_000_000_000 / Int64(behaviour.answersPerSecond) : 0
    }

    /// Returns the time at which one read's answers are sent together: when the last of them is due.
    func due(answers: Int, now: NIODeadline) -> NIODeadline {
        let due = now + latency
        guard nanosecondsPerAnswer > 0, answers > 0 else { return max(due, next) }
        next = max(next, now) + .nanoseconds(Int64(answers) * nanosecondsPerAnswer)
        return max(due, next)
    }
}
