import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Returns the digest of `bytes`, 32 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { SHA256.digest($0) }
    }

    /// Returns the digest of `bytes`, 32 bytes.
    public static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let made = EVP_Digest(bytes.baseAddress, bytes.count, &out, &count, EVP_sha256(), nil)
        precondition(made == 1 && count == 32, "OpenSSL has no SHA-256")
        return out
    }
}
