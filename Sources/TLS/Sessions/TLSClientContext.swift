import COpenSSL
import CShims

/// What all TLS connections of a client to one kind of peer share: trust, own certificate, protocols.
///
/// Chain and host name are always verified; there is no switch for it. TLS 1.2 at least. Make it once and use it
/// from any thread.
public final class TLSClientContext: Sendable {
    /// Whom to trust.
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

        /// A chain (leaf first) and its unencrypted key, both PEM; `source` names them in errors.
        public init(certificatePEM: [UInt8], privateKeyPEM: [UInt8], source: String) {
            self.certificatePEM = certificatePEM
            self.privateKeyPEM = privateKeyPEM
            self.source = source
        }
    }

    let context: TLSContext
    let protocols: [ALPNProtocol]

    /// Makes a context.
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

/// What all TLS connections of a server share: certificate, protocols, whether clients show a certificate.
///
/// Make it once and use it from any thread.
public final class TLSServerContext: Sendable {
    /// What is asked of clients.
    public enum ClientCertificates: Sendable {
        /// Nothing.
        case none
        /// A certificate may be shown; one that is shown must come from these authorities (PEM).
        case optional(authoritiesPEM: [UInt8])
    }

    let context: TLSContext
    let protocols: [ALPNProtocol]
    let isProtocolOptional: Bool

    /// Makes a context.
    ///
    /// With a non-empty `protocols`, the first choice first, clients must offer one of them by ALPN; with
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
        // Tickets are all a client needs to resume: nothing of it is kept here. One is enough.
        guard c_tls_ctx_resume_by_tickets(context.pointer) == 1 else {
            throw TLSError.fromQueue(.configuration, "\(source): OpenSSL refuses to resume sessions")
        }
        self.context = context
        self.protocols = protocols
        self.isProtocolOptional = isProtocolOptional
    }
}
