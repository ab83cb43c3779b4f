import COpenSSL
import CShims

/// ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4), the signature of APNs provider tokens and VAPID tokens (RFC
/// 8292).
public enum ES256 {
    /// Generates a key pair; fails only when OpenSSL has no randomness.
    public static func generateKey() throws(TLSError) -> KeyPair {
        ERR_clear_error()
        return try KeyPair(c_evp_generate_p256(), "a P-256 key")
    }

    // Safety: the EVP_PKEY never changes after init, and OpenSSL lets several threads sign with one key.
    /// A signing key, created once from a key file's bytes.
    ///
    /// May be used from any thread.
    public final class SigningKey: @unchecked Sendable {
        private let key: OpaquePointer

        /// Reads a PKCS#8 PEM (a .p8 file of Apple); `source` names it in errors (a path, never the content).
        public init(pem: [UInt8], source: String) throws(TLSError) {
            let expected = "the .p8 file as Apple gave it"
            let key = try SHA256Signature.privateKey(pem, source: source, expected: expected)
            self.key = try SHA256Signature.fit(key, ES256.fault(key), source: source, half: "private")
        }

        /// Takes a private key as 32 bytes, the form in which Web Push tools print a VAPID key (in base64url).
        ///
        /// `source` names it in errors.
        public init(privateKey: [UInt8], source: String) throws(TLSError) {
            ERR_clear_error()
            guard let key = P256.keyPair(scalar: privateKey) else {
                throw TLSError.fromQueue(.configuration, "\(source) is not a private key of P-256, 32 bytes")
            }
            self.key = key
        }

        deinit { EVP_PKEY_free(key) }

        /// Returns the signature of `message` as r‖s, 64 bytes (the form of JWS).
        public func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
            // A DER-encoded P-256 signature has at most 72 bytes.
            guard let der = SHA256Signature.sign(message, key, bytesMax: 80), let raw = ES256.raw(der: der) else {
                throw TLSError.fromQueue(.signature, "cannot sign with ES256")
            }
            return raw
        }

        /// Returns the public half as PEM.
        public func publicKeyPEM() throws(TLSError) -> [UInt8] { try SHA256Signature.publicKeyPEM(key) }

        /// The public half as an uncompressed point, 65 bytes, which a browser subscribes with (RFC 8292 section 3.2).
        public func publicKey() throws(TLSError) -> [UInt8] {
            try P256.point(of: key)
        }
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
            self.key = try SHA256Signature.fit(key, ES256.fault(key), source: source, half: "public")
        }

        /// Takes an uncompressed point, 65 bytes; `source` names it in errors.
        public init(publicKey: [UInt8], source: String) throws(TLSError) {
            ERR_clear_error()
            guard let key = P256.publicKey(point: publicKey) else {
                throw TLSError.fromQueue(.configuration, "\(source) is not a point of P-256, 65 bytes")
            }
            self.key = key
        }

        deinit { EVP_PKEY_free(key) }

        /// Returns true if `signature` (r‖s, 64 bytes) is this key's for `message`; false for malformed signatures.
        public func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
            ES256.der(raw: signature).map { SHA256Signature.verifies($0, of: message, key) } ?? false
        }
    }

    /// The reason why a key is unfit for ES256; nil when it is fit.
    private static func fault(_ key: OpaquePointer) -> String? {
        P256.holds(key) ? nil : "is not on the curve P-256"
    }

    /// Converts DER to r‖s, each left-padded to 32 bytes.
    private static func raw(der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes -> [UInt8]? in
            var cursor = bytes.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &cursor, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            let complete = raw.withUnsafeMutableBufferPointer { out -> Bool in
                guard let base = out.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + 32, 32) == 32
            }
            return complete ? raw : nil
        }
    }

    /// Converts r‖s to DER; nil when it is not 64 bytes.
    private static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(Array(raw[..<32]), 32, nil)
        let s = BN_bin2bn(Array(raw[32...]), 32, nil)
        // Takes ownership of both numbers when it succeeds.
        guard r != nil, s != nil, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: 80)
        let count = der.withUnsafeMutableBufferPointer { out -> Int32 in
            var cursor = out.baseAddress
            return i2d_ECDSA_SIG(signature, &cursor)
        }
        return count > 0 ? Array(der.prefix(Int(count))) : nil
    }
}
