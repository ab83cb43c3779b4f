import Delivery
import HTTP2
import NIOCore
import TLS

/// One connection to a provider: a channel, a TLS session and an HTTP/2 session.
///
/// Confined to its loop. Without a TLS session it speaks HTTP/2 with prior knowledge (RFC 9113, 3.3), and the
/// ciphertext is the frames themselves.
///
/// Reads are processed at once; output leaves only in ``flush()``, which the pool calls once per tick.
final class ProviderConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let id: ConnectionPool.ConnectionID
    let http2: HTTP2ClientSession
    /// True if a request of this connection was answered; the answer proves that the credential was read.
    var hasAnswered = false
    var isAuthenticated = false
    var hasRefusedFirst = false
    /// True if frames or answers wait for ``flush()``.
    var needsFlush = false

    private let tls: TLSSession?
    /// Nil once the end was reported to the pool, so that nothing is reported twice.
    private var pool: ProviderPool?
    private var context: ChannelHandlerContext?
    private var ciphertext = ByteBuffer()
    /// Frames collected for one TLS record.
    private let plaintext: UnsafeMutableRawBufferPointer
    private var plaintextCount = 0
    private var failure: (any Error)?
    private var isActive = false

    /// The bytes of frames that are collected before they are encrypted: just below a full TLS record.
    private static let recordBytes = 15_000
    /// The approximate size of the pieces in which ciphertext is written to the channel.
    private static let writeBytes = 65_536
    /// The most that TLS adds to a record (header, tag, padding), with a margin.
    private static let recordOverhead = 128

    init(id: ConnectionPool.ConnectionID, pool: ProviderPool, tls: TLSSession?, http2: HTTP2ClientSession) {
        self.id = id
        self.pool = pool
        self.tls = tls
        self.http2 = http2
        self.plaintext = .allocate(
            byteCount: Self.recordBytes + HTTP2ClientSession.frameBytesMax,
            alignment: 64
        )
    }

    deinit { self.plaintext.deallocate() }

    /// True if frames can be sent: after the TLS handshake, or as soon as a channel without TLS is active.
    var isEstablished: Bool { self.tls.map { $0.state == .established } ?? self.isActive }

    /// True if the TLS session resumes an earlier one.
    var isResumed: Bool { self.tls?.isResumed ?? false }

    /// The session state that the next connection can resume.
    var resumption: TLSResumption? { self.tls?.resumption }

    /// True if the channel accepts more; false without a channel.
    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        guard let pool = self.pool else { return context.close(promise: nil) }
        self.isActive = true
        guard let tls = self.tls else { return pool.connectionEstablished(self) }
        do {
            try tls.start()
        } catch {
            self.fail(error)
        }
        self.writeCiphertext()
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let pool = self.pool else { return }
        let buffer = Self.unwrapInboundIn(data)
        let wasEstablished = self.isEstablished
        pool.counters.bytesReceived += UInt64(buffer.readableBytes)
        do {
            try buffer.withUnsafeReadableBytes { bytes in
                guard let tls = self.tls else { return self.receive(plaintext: bytes) }
                try tls.receive(bytes) { self.receive(plaintext: $0) }
            }
            if let failure = self.failure { throw failure }
        } catch {
            self.failure = error
        }
        if !wasEstablished && self.isEstablished { pool.connectionEstablished(self) }
        pool.connectionRead(self)
        if let failure = self.failure {
            self.fail(failure)
        } else if self.tls?.state == .closed || self.http2.isFinished {
            context.close(promise: nil)
        }
        if !wasEstablished { self.flush() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.pool?.connectionIsWritable(self) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.failure = error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let pool = self.pool
        self.pool = nil
        pool?.connectionEnded(self, wasEstablished: self.isEstablished || self.hasAnswered, failure: self.failure)
    }

    private func receive(plaintext: UnsafeRawBufferPointer) {
        guard self.failure == nil else { return }
        do {
            try self.http2.receive(plaintext)
        } catch {
            self.failure = error
        }
    }

    /// Sends the final frames of HTTP/2 or TLS about the error, then closes.
    private func fail(_ error: any Error) {
        if error is HTTP2Error, self.isEstablished {
            let count = self.http2.drain(into: self.plaintext, threshold: Self.recordBytes)
            // The socket is closed even if this fails.
            try? self.encrypt(UnsafeRawBufferPointer(rebasing: self.plaintext[..<count]))
        }
        self.failure = error
        self.writeCiphertext()
        self.context?.flush()
        self.context?.close(promise: nil)
    }

    // MARK: Sending

    /// Serializes HTTP/2's frames while the channel is writable, and encrypts them in full records.
    ///
    /// It is also called between requests: the frames of a few dozen requests stay in the cache, those of a thousand do
    /// not.
    func serialise() {
        guard self.isEstablished, self.failure == nil else { return }
        do {
            // Back-pressure: the remaining frames stay in HTTP/2 until the channel is writable again.
            while self.isWritable {
                let room = UnsafeMutableRawBufferPointer(rebasing: self.plaintext[self.plaintextCount...])
                let count = self.http2.drain(into: room, threshold: Self.recordBytes - self.plaintextCount)
                self.plaintextCount += count
                guard self.plaintextCount >= Self.recordBytes else { return }
                try self.encryptRecord()
            }
        } catch {
            self.fail(error)
        }
    }

    private func encryptRecord() throws(TLSError) {
        guard self.plaintextCount > 0 else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: self.plaintext[..<self.plaintextCount])
        self.plaintextCount = 0
        try self.encrypt(bytes)
        if self.ciphertext.readableBytes >= Self.writeBytes { self.writeCiphertext() }
    }

    /// Encrypts HTTP/2's frames and writes them to the socket in one flush.
    func flush() {
        self.needsFlush = false
        self.serialise()
        do {
            if self.isEstablished && self.failure == nil { try self.encryptRecord() }
        } catch {
            return self.fail(error)
        }
        self.writeCiphertext()
        self.context?.flush()
        // HTTP/2 has sent the reason for the end, and the peer may never close the connection.
        if self.isEstablished && self.http2.isFinished { self.context?.close(promise: nil) }
        // Frames are left over: the next writability change continues.
        if !self.isWritable { self.needsFlush = true }
    }

    private func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        guard let tls = self.tls else {
            self.ciphertext.writeBytes(bytes)
            return
        }
        self.drainSession()
        // The closure cannot throw a typed error through NIO's rethrows.
        var failure: TLSError?
        self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count + Self.recordOverhead) { room in
            do throws(TLSError) {
                return try tls.write(bytes, into: room)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        self.drainSession()
    }

    /// Takes TLS's own output: handshake flights, alerts, and ciphertext that had no room.
    private func drainSession() {
        guard let tls = self.tls else { return }
        while tls.pendingBytes > 0 {
            self.ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingBytes) {
                tls.drain(into: $0)
            }
        }
    }

    private func writeCiphertext() {
        self.drainSession()
        guard self.ciphertext.readableBytes > 0, let context = self.context else { return }
        self.pool?.counters.bytesSent += UInt64(self.ciphertext.readableBytes)
        context.write(Self.wrapOutboundOut(self.ciphertext), promise: nil)
        // Reuses the memory if the channel has released it; otherwise allocates new memory.
        self.ciphertext.clear(minimumCapacity: Self.writeBytes + 16_384 + Self.recordOverhead)
    }

    /// Sends GOAWAY and closes; the pool receives no further reports.
    func close() {
        self.pool = nil
        if self.isEstablished && self.failure == nil {
            // Frames that are not encrypted yet are not sent, because their requests were reported as unanswered.
            // GOAWAY tells a peer that still listens why the socket closes; a failure has no consequence any more.
            self.plaintextCount = HTTP2ClientSession.writeFarewell(into: self.plaintext)
            try? self.encryptRecord()
            self.tls?.close()
        }
        self.writeCiphertext()
        self.context?.flush()
        self.context?.close(promise: nil)
    }
}
