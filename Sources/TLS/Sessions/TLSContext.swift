import COpenSSL
import CShims

// Safety: completely configured before it is shared and never changed afterwards; OpenSSL then allows SSL_new from
// several threads (its reference count is atomic).
/// Owns an `SSL_CTX` and the memory it refers to.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The list that a server's ALPN callback reads; lives as long as the context.
    private let alpn: UnsafeMutablePointer<c_tls_alpn>?
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    /// Takes ownership of `pointer`.
    private init(pointer: OpaquePointer, protocols: [ALPNProtocol], isServer: Bool) {
        self.pointer = pointer
        let wire = ALPNProtocol.wireForm(protocols)
        self.protocols = .allocate(capacity: wire.count)
        _ = self.protocols.initialize(from: wire)
        if isServer && !wire.isEmpty {
            let alpn = UnsafeMutablePointer<c_tls_alpn>.allocate(capacity: 1)
            alpn.initialize(to: c_tls_alpn(protocols: self.protocols.baseAddress, count: UInt32(wire.count)))
            c_tls_ctx_select_alpn(pointer, alpn)
            self.alpn = alpn
        } else {
            self.alpn = nil
        }
    }

    deinit {
        // Sessions keep the context alive through `TLSSession.context`, so nothing reads `alpn` any more.
        SSL_CTX_free(pointer)
        alpn?.deallocate()
        protocols.deallocate()
    }

    /// Creates a context with the settings of client and server: TLS 1.2 at least, no renegotiation, no compression.
    static func make(isServer: Bool, protocols: [ALPNProtocol]) throws(TLSError) -> TLSContext {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError.fromQueue(.configuration, "OpenSSL gives no TLS context")
        }
        let context = TLSContext(pointer: pointer, protocols: protocols, isServer: isServer)
        guard c_tls_ctx_set_min_version_1_2(pointer) == 1 else {
            throw TLSError.fromQueue(.configuration, "OpenSSL refuses TLS 1.2 as the least version")
        }
        c_tls_ctx_set_modes(pointer)
        c_tls_ctx_set_no_renegotiation(pointer)
        if !isServer && !context.protocols.isEmpty {
            // Unlike all other calls, this one returns 0 for success.
            let refused = SSL_CTX_set_alpn_protos(
                pointer,
                context.protocols.baseAddress,
                UInt32(context.protocols.count)
            )
            guard refused == 0 else {
                throw TLSError.fromQueue(.configuration, "OpenSSL refuses the ALPN list")
            }
        }
        return context
    }

    /// Demands forward secrecy, so that a private key stolen later does not decrypt recorded traffic.
    ///
    /// Of TLS 1.2 it leaves only ciphers with an ephemeral key exchange and authenticated encryption (RFC 9325, section
    /// 4.2); TLS 1.3 has no others.
    func demandForwardSecrecy(source: String) throws(TLSError) {
        ERR_clear_error()
        guard SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
            throw TLSError.fromQueue(.configuration, "\(source): OpenSSL has no cipher with forward secrecy")
        }
    }

    /// Uses a certificate chain (leaf first) and its key.
    func use(certificatePEM: [UInt8], privateKeyPEM: [UInt8], source: String) throws(TLSError) {
        ERR_clear_error()
        let chain = PEM.certificates(certificatePEM)
        defer { for certificate in chain { X509_free(certificate) } }
        guard let leaf = chain.first else {
            throw TLSError(.configuration, "\(source): no certificate in PEM form found")
        }
        guard let key = PEM.privateKey(privateKeyPEM) else {
            throw TLSError.fromQueue(.configuration, "\(source): no unencrypted private key in PEM form found")
        }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_certificate(pointer, leaf) == 1 else {
            throw TLSError.fromQueue(.configuration, "\(source): the certificate cannot be used")
        }
        for intermediate in chain.dropFirst()
        where c_tls_ctx_add_chain_certificate(pointer, intermediate) != 1 {
            throw TLSError.fromQueue(.configuration, "\(source): an intermediate certificate cannot be used")
        }
        guard SSL_CTX_use_PrivateKey(pointer, key) == 1, SSL_CTX_check_private_key(pointer) == 1 else {
            throw TLSError.fromQueue(.configuration, "\(source): the private key does not belong to the certificate")
        }
    }

    /// Trusts the certificates of `pem` (and only those, if nothing else was loaded).
    func trust(pem: [UInt8], source: String) throws(TLSError) {
        ERR_clear_error()
        let authorities = PEM.certificates(pem)
        defer { for certificate in authorities { X509_free(certificate) } }
        guard !authorities.isEmpty, let store = SSL_CTX_get_cert_store(pointer) else {
            throw TLSError(.configuration, "\(source): no CA certificate in PEM form found")
        }
        for authority in authorities where X509_STORE_add_cert(store, authority) != 1 {
            throw TLSError.fromQueue(.configuration, "\(source): a CA certificate cannot be used")
        }
    }

    /// Trusts the operating system's CA certificates.
    func trustSystem() throws(TLSError) {
        ERR_clear_error()
        guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
            throw TLSError.fromQueue(.configuration, "the system's CA certificates cannot be loaded")
        }
    }

    /// Returns a new `SSL`, owned by the caller.
    func makeSession() throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let ssl = SSL_new(pointer) else {
            throw TLSError.fromQueue(.handshake, "OpenSSL gives no TLS session")
        }
        return ssl
    }
}

/// A protocol name of ALPN (RFC 7301).
public struct ALPNProtocol: Sendable, Hashable {
    /// The name's bytes, 1 to 255.
    public let name: String

    /// Creates a protocol name; traps if it is empty or too long.
    public init(_ name: String) {
        precondition((1...255).contains(name.utf8.count), "an ALPN name has 1 to 255 bytes")
        self.name = name
    }

    /// HTTP/2 over TLS.
    public static let h2 = ALPNProtocol("h2")

    /// Concatenates the names, each prefixed by its length.
    static func wireForm(_ protocols: [ALPNProtocol]) -> [UInt8] {
        protocols.flatMap { [UInt8($0.name.utf8.count)] + Array($0.name.utf8) }
    }
}
