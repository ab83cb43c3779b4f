import COpenSSL

/// Ed25519 (RFC 8032), with which some back ends sign their users' tokens (RFC 8037).
public enum Ed25519 {
    // Safety: the EVP_PKEY never changes after init, and OpenSSL lets several threads verify with one key.
    /// A verification key, created once from a public key.
    ///
    /// May be used from any thread.
    public final class VerificationKey: @unchecked Sendable {
        private let key: OpaquePointer

        /// Takes a public key, 32 bytes; `source` names it in errors.
        public init(publicKey: [UInt8], source: String) throws(TLSError) {
            ERR_clear_error()
            guard publicKey.count == 32,
                let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
            else { throw TLSError.fromQueue(.configuration, "\(source) is not a public key of Ed25519, 32 bytes") }
            self.key = key
        }

        deinit { EVP_PKEY_free(key) }

        /// Returns true if `signature` (64 bytes) is this key's for `message`; false for malformed signatures.
        public func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
            guard signature.count == 64, let context = EVP_MD_CTX_new() else { return false }
            defer {
                EVP_MD_CTX_free(context)
                ERR_clear_error()
            }
            // The algorithm specifies its own digest (RFC 8032, 5.1).
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }
}
