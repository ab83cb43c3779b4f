import COpenSSL
import CShims

/// One TLS connection without a socket: ciphertext in, plaintext out, and the other way round.
///
/// ```swift
/// let session = try TLSSession(client: context, serverName: "api.push.apple.com")   // or TLSSession(server: context)
/// try session.start()                                     // the client's first flight is now pending
/// // per read of the socket:
/// try session.receive(bytes) { plaintext in … }           // also drives the handshake
/// if session.state == .established { _ = try session.write(plaintext, into: room) }
/// while session.pendingBytes > 0 { let n = session.drain(into: room); … }   // send these bytes
/// ```
/// After every call, drain and send `pendingBytes`: handshake flights, alerts and key updates arise on their own,
/// even when a call throws (the alert tells the peer why). Writes of about 15 KB make full records. Confined to one
/// thread (an event loop).
public final class TLSSession {
    /// The states of a session's life.
    public enum State: Sendable {
        /// The handshake is not complete. Can transition to: established, closed.
        case handshaking
        /// Plaintext flows. Can transition to: closed.
        case established
        /// The peer said close_notify, we closed, or an error was thrown. Final.
        case closed
    }

    /// The session's current state.
    public private(set) var state = State.handshaking
    /// The protocol that ALPN negotiated; nil until established, and when the peer does not use ALPN.
    public private(set) var negotiatedProtocol: ALPNProtocol?

    // Keeps the context (and the ALPN list that its callback reads) alive for longer than `ssl`.
    private let context: TLSContext
    private let ssl: OpaquePointer
    private let pipe: UnsafeMutablePointer<c_tls_pipe>
    private let protocols: [ALPNProtocol]
    private let isProtocolOptional: Bool
    private let plaintext: UnsafeMutableRawBufferPointer
    private let peer: String
    /// True after TLS failed: this session's resumption must not be used.
    private var isBroken = false

    /// The most plaintext of one TLS record (RFC 8446 section 5.1).
    private static let recordBytesMax = 16_384

    /// Creates a client's session; `serverName` is the DNS name or IP address that the peer's certificate must carry.
    ///
    /// `resumption`, of an earlier session with the same context and server name, is offered to the peer; ``isResumed``
    /// tells whether the peer accepted it.
    public convenience init(
        client: TLSClientContext,
        serverName: String,
        resumption: TLSResumption? = nil
    ) throws(TLSError) {
        let ssl = try client.context.makeSession()
        SSL_set_connect_state(ssl)
        guard TLSSession.expect(serverName, on: ssl) else {
            SSL_free(ssl)
            throw TLSError.fromQueue(.configuration, "\(serverName) is neither a host name nor an IP address")
        }
        // If OpenSSL rejects it, the only cost is a full handshake.
        if let resumption, resumption.isUsable { SSL_set_session(ssl, resumption.session) }
        try self.init(
            ssl: ssl,
            context: client.context,
            protocols: client.protocols,
            isProtocolOptional: false,
            peer: serverName
        )
    }

    /// Creates a server's session.
    public convenience init(server: TLSServerContext) throws(TLSError) {
        let ssl = try server.context.makeSession()
        SSL_set_accept_state(ssl)
        try self.init(
            ssl: ssl,
            context: server.context,
            protocols: server.protocols,
            isProtocolOptional: server.isProtocolOptional,
            peer: "client"
        )
    }

    /// Takes ownership of `ssl`, even when it throws.
    private init(
        ssl: OpaquePointer,
        context: TLSContext,
        protocols: [ALPNProtocol],
        isProtocolOptional: Bool,
        peer: String
    ) throws(TLSError) {
        guard let pipe = c_tls_pipe_attach(ssl) else {
            SSL_free(ssl)
            throw TLSError.fromQueue(.handshake, "OpenSSL gives no BIO")
        }
        self.ssl = ssl
        self.pipe = pipe
        self.context = context
        self.protocols = protocols
        self.isProtocolOptional = isProtocolOptional
        self.peer = peer
        plaintext = .allocate(byteCount: TLSSession.recordBytesMax, alignment: 16)
    }

    deinit {
        // Otherwise OpenSSL would not resume a session whose connection the peer or the network ended.
        if !isBroken { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
        plaintext.deallocate()
    }

    /// Begins the handshake: the client's first flight becomes pending.
    ///
    /// Does nothing on a server.
    public func start() throws(TLSError) {
        precondition(state == .handshaking, "start() on a session that is \(state)")
        try shakeHands()
    }

    /// Takes ciphertext from the peer and hands each piece of plaintext to `take` (valid during the call).
    ///
    /// Throws when the connection cannot go on; send the pending bytes, then close the socket. Bytes after the peer's
    /// close_notify are dropped.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer,
        take: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) {
        guard state != .closed, let base = ciphertext.baseAddress, !ciphertext.isEmpty else { return }
        // Safety: OpenSSL reads from the lent bytes only inside the calls below.
        pipe.pointee.in = UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
        pipe.pointee.in_count = ciphertext.count
        defer {
            pipe.pointee.in = nil
            pipe.pointee.in_count = 0
        }
        if state == .handshaking { try shakeHands() }
        while state == .established {
            ERR_clear_error()
            let count = SSL_read(ssl, plaintext.baseAddress, Int32(plaintext.count))
            guard count > 0 else { return try readEnded(count) }
            take(UnsafeRawBufferPointer(rebasing: plaintext[..<Int(count)]))
        }
    }

    /// Encrypts all of `plaintext`; the ciphertext becomes pending.
    ///
    /// Traps unless established.
    public func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        _ = try write(plaintext, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    /// Encrypts all of `plaintext` straight into `into`; returns the number of bytes filled.
    ///
    /// The ciphertext that does not fit becomes pending. Drain ciphertext that was pending before, or nothing is
    /// written into `into`. Traps unless established.
    public func write(
        _ plaintext: UnsafeRawBufferPointer,
        into: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> Int {
        precondition(state == .established, "write on a session that is \(state)")
        // Safety: OpenSSL writes into the lent bytes only inside the calls below.
        pipe.pointee.out = into.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pipe.pointee.out_capacity = into.count
        pipe.pointee.out_count = 0
        defer {
            pipe.pointee.out = nil
            pipe.pointee.out_capacity = 0
            pipe.pointee.out_count = 0
        }
        var rest = plaintext
        while !rest.isEmpty {
            ERR_clear_error()
            let part = Int32(clamping: rest.count)
            let count = SSL_write(ssl, rest.baseAddress, part)
            guard count > 0 else {
                breakOff()
                throw TLSError.fromQueue(.protocolViolation, "cannot encrypt for \(peer)")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
        return pipe.pointee.out_count
    }

    /// The number of bytes that wait for ``drain(into:)``.
    public var pendingBytes: Int { pipe.pointee.spill_count }

    /// Moves pending ciphertext into `into`; returns the number of bytes moved.
    public func drain(into: UnsafeMutableRawBufferPointer) -> Int {
        let pipe = self.pipe
        let count = min(into.count, pipe.pointee.spill_count)
        guard count > 0, let spill = pipe.pointee.spill, let base = into.baseAddress else { return 0 }
        base.copyMemory(from: spill + pipe.pointee.spill_start, byteCount: count)
        pipe.pointee.spill_count -= count
        pipe.pointee.spill_start = pipe.pointee.spill_count == 0 ? 0 : pipe.pointee.spill_start + count
        return count
    }

    /// Makes a close_notify pending for the peer; nothing can be written after this.
    public func close() {
        if state == .established {
            ERR_clear_error()
            SSL_shutdown(ssl)
            ERR_clear_error()
        }
        state = .closed
    }

    /// True if the peer accepted the offered resumption; known once established.
    public var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// Returns a new reference to OpenSSL's session.
    func copySession() -> OpaquePointer? { SSL_get1_session(ssl) }

    /// True if the client showed a certificate that verified (server sessions only).
    public var hasPeerCertificate: Bool {
        guard let certificate = c_tls_copy_peer_certificate(ssl) else { return false }
        X509_free(certificate)
        return SSL_get_verify_result(ssl) == Int(X509_V_OK)
    }

    // MARK: Handshake

    private static func expect(_ serverName: String, on ssl: OpaquePointer) -> Bool {
        ERR_clear_error()
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) == 1 { return true }
        ERR_clear_error()
        // An IP address must not be sent as SNI (RFC 6066 section 3), hence the two branches.
        return !serverName.isEmpty && SSL_set1_host(ssl, serverName) == 1
            && c_tls_set_server_name(ssl, serverName) == 1
    }

    private func shakeHands() throws(TLSError) {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result != 1 else { return try handshakeCompleted() }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default:
            breakOff()
            throw handshakeError()
        }
    }

    private func handshakeCompleted() throws(TLSError) {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        let bytes = UnsafeBufferPointer(start: name, count: Int(count))
        negotiatedProtocol = protocols.first { $0.name.utf8.elementsEqual(bytes) }
        guard protocols.isEmpty || negotiatedProtocol != nil || isProtocolOptional else {
            let wanted = protocols.map(\.name).joined(separator: ", ")
            state = .closed
            throw TLSError(.applicationProtocol, "\(peer) does not speak \(wanted) (ALPN selected none)")
        }
        state = .established
    }

    private func breakOff() {
        state = .closed
        isBroken = true
    }

    private func handshakeError() -> TLSError {
        let verdict = SSL_get_verify_result(ssl)
        if verdict != Int(X509_V_OK), let text = X509_verify_cert_error_string(verdict) {
            return TLSError.fromQueue(
                .verification,
                "the certificate of \(peer) does not verify: \(String(cString: text)); check host and CA file"
            )
        }
        let error = TLSError.fromQueue(.handshake, "TLS handshake with \(peer) failed")
        guard error.message.contains("no application protocol") else { return error }
        return TLSError(.applicationProtocol, error.message)
    }

    private func readEnded(_ result: Int32) throws(TLSError) {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: state = .closed
        default:
            breakOff()
            throw TLSError.fromQueue(.protocolViolation, "TLS with \(peer) broke")
        }
    }
}
