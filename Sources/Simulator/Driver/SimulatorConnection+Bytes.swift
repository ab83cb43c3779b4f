import HTTP2
import Logging
import NIOCore
import TLS

extension SimulatorConnection {
    /// Encrypts and sends all frames; closes when neither side has anything more to send.
    func flush() {
        guard !isSilent, let context, context.channel.isActive else { return }
        var hasWritten = drain(context)
        if let http, tls.state == .established, !isHeldBack {
            do {
                while true {
                    let count = try http.drain(into: core.frames, threshold: LoopCore.framesThreshold)
                    guard count > 0 else { break }
                    try encrypt(UnsafeRawBufferPointer(rebasing: core.frames[..<count]), context)
                    hasWritten = true
                }
            } catch {
                logger.debug("A connection ended", metadata: ["error": "\(error)"])
                isCut = true
                context.close(promise: nil)
                return
            }
            if http.isFinished {
                tls.close()
                _ = drain(context)
                isCut = true
                context.flush()
                context.close(promise: nil)
                return
            }
        }
        if hasWritten { context.flush() }
    }

    private func encrypt(_ frames: UnsafeRawBufferPointer, _ context: ChannelHandlerContext) throws(TLSError) {
        var buffer = context.channel.allocator.buffer(capacity: frames.count + 256)
        var failure: TLSError?
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: frames.count + 256) { room in
            do throws(TLSError) { return try tls.write(frames, into: room) } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        context.write(wrapOutboundOut(buffer), promise: nil)
        _ = drain(context)
    }

    private func drain(_ context: ChannelHandlerContext) -> Bool {
        var hasWritten = false
        while tls.pendingBytes > 0 {
            var buffer = context.channel.allocator.buffer(capacity: tls.pendingBytes)
            _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingBytes) { tls.drain(into: $0) }
            context.write(wrapOutboundOut(buffer), promise: nil)
            hasWritten = true
        }
        return hasWritten
    }
}
