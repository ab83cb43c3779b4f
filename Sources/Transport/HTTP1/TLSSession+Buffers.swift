package import NIOCore
package import TLS

/// The session's bytes as the buffers of a channel.
extension TLSSession {
    /// Takes ciphertext of the peer and appends its plaintext; returns the failure, whose alert is pending.
    package func receive(_ ciphertext: ByteBuffer, into plaintext: inout ByteBuffer) -> TLSError? {
        ciphertext.withUnsafeReadableBytes { bytes in
            do throws(TLSError) {
                try receive(bytes) { plaintext.writeBytes($0) }
                return nil
            } catch {
                return error
            }
        }
    }

    /// Encrypts all of `plaintext`, whose ciphertext becomes pending; returns the failure.
    package func write(_ plaintext: ByteBuffer) -> TLSError? {
        plaintext.withUnsafeReadableBytes { bytes in
            do throws(TLSError) {
                try write(bytes)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Writes pending ciphertext to the channel below; the promise completes with the last of it.
    package func drain(to context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        let count = pendingBytes
        guard count > 0 else {
            promise?.succeed()
            return
        }
        var ciphertext = context.channel.allocator.buffer(capacity: count)
        ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { drain(into: $0) }
        context.write(NIOAny(ciphertext), promise: promise)
    }

    /// Makes a close_notify pending and sends it, if the session is established.
    package func close(sendingTo context: ChannelHandlerContext) {
        guard state == .established else { return }
        close()
        drain(to: context)
        context.flush()
    }
}
