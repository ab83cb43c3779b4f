import COpenSSL
import CShims

/// The trust, client certificate and protocols that all of a client's TLS connections to one kind of peer share.
///
/// Chain and host name are always verified and this cannot be switched off. TLS 1.2 at least. Create it once and use it
/// from any thread.
public final class TLSClientContext: Sendable {
    /// The authorities that a client trusts.
    public enum Trust: Sendable {
        /// The operating system's CA certificates.
        case system
        /// Only the CA certificates of this PEM; `source` names it in errors (a path).
        case authorities(pem: [UInt8], source: String)
    }

    /// A client certificate with its key, for peers that authenticate by certificate.
    public struct Identity: Sendable {
        let certificatePEM: [UInt8]
        let privateKeyPEM: [UInt8]
        let source: String

        /// Takes a chain (leaf first) and its unencrypted key, both PEM; `source` names them in errors.
        public init(certificatePEM: [UInt8], privateKeyPEM: [UInt8], source: String) {
            self.certificatePEM = certificatePEM
            self.privateKeyPEM = privateKeyPEM
            self.source = source
        }
    }

    let context: TLSContext
    let protocols: [ALPNProtocol]

    /// Creates a context.
    ///
    /// With a non-empty `protocols` the peer must choose one of them, or the handshake fails.
    public init(
        trust: Trust = .system,
        identity: Identity? = nil,
        protocols: [ALPNProtocol] = [.h2]
    ) throws(TLSError) {
        let context = try TLSContext.make(isServer: false, protocols: protocols)
        switch trust {
        case .system: try context.trustSystem()
        case .authorities(let pem, let source): try context.trust(pem: pem, source: source)
        }
        if let identity {
            try context.use(
                certificatePEM: identity.certificatePEM,
                privateKeyPEM: identity.privateKeyPEM,
                source: identity.source
            )
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        self.context = context
        self.protocols = protocols
    }
}

/// The certificate, protocols and client-certificate rule that all TLS connections of a server share.
///
/// Create it once and use it from any thread.
public final class TLSServerContext: Sendable {
    /// The certificates that a server requests from clients.
    public enum ClientCertificates: Sendable {
        /// No certificate is requested.
        case none
        /// A client may show a certificate, which must then come from these authorities (PEM).
        case optional(authoritiesPEM: [UInt8])
    }

    let context: TLSContext
    let protocols: [ALPNProtocol]
    let isProtocolOptional: Bool

    /// Creates a context.
    ///
    /// With a non-empty `protocols`, ordered by preference, clients must offer one of them by ALPN; with
    /// `isProtocolOptional` they may also do without ALPN.
    public init(
        certificatePEM: [UInt8],
        privateKeyPEM: [UInt8],
        source: String = "server certificate",
        clientCertificates: ClientCertificates = .none,
        protocols: [ALPNProtocol] = [.h2],
        isProtocolOptional: Bool = false
    ) throws(TLSError) {
        let context = try TLSContext.make(isServer: true, protocols: protocols)
        try context.demandForwardSecrecy(source: source)
        try context.use(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM, source: source)
        switch clientCertificates {
        case .none: break
        case .optional(let pem):
            try context.trust(pem: pem, source: source)
            SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        }
        // Tickets hold everything needed to resume, so the server keeps no session state. One ticket is enough.
        guard c_tls_ctx_resume_by_tickets(context.pointer) == 1 else {
            throw TLSError.fromQueue(.configuration, "\(source): OpenSSL refuses to resume sessions")
        }
        self.context = context
        self.protocols = protocols
        self.isProtocolOptional = isProtocolOptional
    }
}
