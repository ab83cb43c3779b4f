import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The digest of `bytes`, 32 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { SHA256.digest($0) }
    }

    /// The digest of `bytes`, 32 bytes.
    public static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let made = EVP_Digest(bytes.baseAddress, bytes.count, &out, &count, EVP_sha256(), nil)
        precondition(made == 1 && count == 32, "OpenSSL has no SHA-256")
        return out
    }
}

/// HMAC with SHA-256 (RFC 2104), its key prepared once.
///
/// Not Sendable: one thread at a time.
public final class HMACSHA256 {
    private let prepared: OpaquePointer
    private let running: OpaquePointer

    /// Prepares the key, any length.
    public init(key: [UInt8]) {
        guard let mac = EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, nil, key, key.count),
            let prepared = EVP_MD_CTX_new(), let running = EVP_MD_CTX_new(),
            EVP_DigestSignInit(prepared, nil, EVP_sha256(), nil, mac) == 1
        else { preconditionFailure("OpenSSL cannot prepare an HMAC key of \(key.count) bytes") }
        EVP_PKEY_free(mac)
        self.prepared = prepared
        self.running = running
    }

    deinit {
        EVP_MD_CTX_free(self.prepared)
        EVP_MD_CTX_free(self.running)
    }

    /// The code of `message`, 32 bytes.
    public func code(_ message: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        out.withUnsafeMutableBytes { into in
            message.withUnsafeBytes { self.code($0, into: into) }
        }
        return out
    }

    /// Writes the code of `message` into `into`, which must have room for 32 bytes; no allocation of ours.
    public func code(_ message: UnsafeRawBufferPointer, into: UnsafeMutableRawBufferPointer) {
        precondition(into.count >= 32, "an HMAC-SHA256 needs 32 bytes")
        var count = into.count
        let made =
            EVP_MD_CTX_copy_ex(self.running, self.prepared) == 1
            && EVP_DigestSign(
                self.running,
                into.baseAddress?.assumingMemoryBound(to: UInt8.self),
                &count,
                message.baseAddress?.assumingMemoryBound(to: UInt8.self),
                message.count
            ) == 1
        precondition(made && count == 32, "OpenSSL cannot make an HMAC-SHA256")
    }
}
