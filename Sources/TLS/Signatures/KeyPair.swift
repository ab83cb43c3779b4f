import COpenSSL

/// A fresh key pair as PEM.
public struct KeyPair: Sendable {
    /// The private key as unencrypted PKCS#8 PEM, the form of Apple's .p8 files and of a service account's
    /// `private_key`: a secret.
    public let privateKeyPEM: [UInt8]
    /// The public key as PEM ("BEGIN PUBLIC KEY").
    public let publicKeyPEM: [UInt8]

    /// Takes ownership of a key that was just made; nil means that OpenSSL could not make it.
    init(_ key: OpaquePointer?, _ name: String) throws(TLSError) {
        guard let key else { throw TLSError.fromQueue(.signature, "cannot make \(name)") }
        defer { EVP_PKEY_free(key) }
        guard let privatePEM = PEM.text(privateKey: key), let publicPEM = PEM.text(publicKey: key) else {
            throw TLSError.fromQueue(.signature, "cannot write \(name) as PEM")
        }
        privateKeyPEM = privatePEM
        publicKeyPEM = publicPEM
    }
}
