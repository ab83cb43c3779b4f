import COpenSSL
import CShims

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3), with which Google's service accounts sign their assertions.
public enum RS256 {
    /// The fewest bits of a key; shorter keys are refused (RFC 7518 section 3.3).
    public static let bitsMin = 2048

    /// Generates a key pair; takes about 0.1 s.
    ///
    /// Fails only when OpenSSL has no randomness; traps below `bitsMin`.
    public static func generateKey(bits: Int = bitsMin) throws(TLSError) -> KeyPair {
        precondition(bits >= RS256.bitsMin, "an RSA key of \(bits) bits")
        ERR_clear_error()
        return try KeyPair(c_evp_generate_rsa(bits), "an RSA key")
    }

    // Safety: the EVP_PKEY never changes after init, and OpenSSL lets several threads sign with one key.
    /// A signing key, created once from a key's bytes.
    ///
    /// May be used from any thread.
    public final class SigningKey: @unchecked Sendable {
        private let key: OpaquePointer

        /// Reads a PEM, PKCS#8 ("BEGIN PRIVATE KEY") or PKCS#1 ("BEGIN RSA PRIVATE KEY"); `source` names it in errors
        /// (a path, never the content).
        public init(pem: [UInt8], source: String) throws(TLSError) {
            let key = try SHA256Signature.privateKey(pem, source: source, expected: "PKCS#8 or PKCS#1")
            self.key = try SHA256Signature.fit(key, RS256.fault(key), source: source, half: "private")
        }

        deinit { EVP_PKEY_free(key) }

        /// Returns the signature of `message`, as many bytes as the key has (the form of JWS).
        ///
        /// Takes about 0.5 ms with 2048 bits: for one assertion an hour, not for each request.
        public func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
            let count = Int(EVP_PKEY_get_size(key))
            // By default OpenSSL uses PKCS #1 v1.5 for a key of type RSA.
            guard let signature = SHA256Signature.sign(message, key, bytesMax: count), signature.count == count
            else {
                throw TLSError.fromQueue(.signature, "cannot sign with RS256")
            }
            return signature
        }

        /// Returns the public half as PEM.
        public func publicKeyPEM() throws(TLSError) -> [UInt8] { try SHA256Signature.publicKeyPEM(key) }
    }

    // Safety: the same as for SigningKey.
    /// A verification key, created once from a public key.
    ///
    /// May be used from any thread.
    public final class VerificationKey: @unchecked Sendable {
        private let key: OpaquePointer

        /// Reads a public key PEM ("BEGIN PUBLIC KEY"); `source` names it in errors.
        public init(pem: [UInt8], source: String) throws(TLSError) {
            let key = try SHA256Signature.publicKey(pem, source: source)
            self.key = try SHA256Signature.fit(key, RS256.fault(key), source: source, half: "public")
        }

        /// Takes modulus and exponent, big-endian (RFC 7518 section 6.3.1); `source` names them in errors.
        public init(modulus: [UInt8], exponent: [UInt8], source: String) throws(TLSError) {
            ERR_clear_error()
            let der = RSAPublicKeyForm.der(modulus: modulus, exponent: exponent)
            let read = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
                var cursor = bytes.baseAddress
                return d2i_PUBKEY(nil, &cursor, bytes.count)
            }
            guard let key = read else {
                throw TLSError.fromQueue(.configuration, "\(source) is not a public key of RSA")
            }
            self.key = try SHA256Signature.fit(key, RS256.fault(key), source: source, half: "public")
        }

        deinit { EVP_PKEY_free(key) }

        /// Returns true if `signature` is this key's for `message`; false for malformed signatures.
        public func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
            SHA256Signature.verifies(signature, of: message, key)
        }
    }

    /// The reason why a key is unfit for RS256; nil when it is fit.
    ///
    /// RSA-PSS-only keys are unfit.
    private static func fault(_ key: OpaquePointer) -> String? {
        guard EVP_PKEY_is_a(key, "RSA") == 1 else { return "is not RSA" }
        let bits = Int(EVP_PKEY_get_bits(key))
        return bits < RS256.bitsMin ? "has \(bits) bits; \(RS256.bitsMin) is the least" : nil
    }
}
