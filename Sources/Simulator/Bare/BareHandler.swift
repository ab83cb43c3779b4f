import NIOCore
import TLS

/// One connection of the bare server: everything that a read brought is answered with one flush.
final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let tls: TLSSession
    private var frames: BareFrames
    private var ciphertext = ByteBuffer()

    /// Just below a full TLS record.
    private static let recordBytes = 15_000
    /// What TLS adds to a record at most, with a margin.
    private static let recordOverhead = 128

    init(tls: TLSSession, maxConcurrentStreams: UInt32) {
        self.tls = tls
        self.frames = BareFrames(maxConcurrentStreams: maxConcurrentStreams)
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
        self.flush(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func flush(_ context: ChannelHandlerContext) {
        do {
            if self.tls.state == .established { try self.encrypt() }
        } catch {
            return context.close(promise: nil)
        }
        self.write(context)
    }

    private func encrypt() throws {
        var sent = 0
        let count = self.frames.outputCount
        while sent < count {
            let part = min(Self.recordBytes, count - sent)
            let piece = UnsafeRawBufferPointer(rebasing: self.frames.output[sent..<(sent + part)])
            self.drainSession()
            let tls = self.tls
            try self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: part + Self.recordOverhead) {
                try tls.write(piece, into: $0)
            }
            sent += part
        }
        self.frames.clearOutput()
    }

    private func drainSession() {
        let tls = self.tls
        while tls.pendingCiphertext > 0 {
            self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingCiphertext) {
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

    /// Sends the alert that says why, then closes.
    private func finish(_ context: ChannelHandlerContext) {
        self.write(context)
        context.close(promise: nil)
    }
}
