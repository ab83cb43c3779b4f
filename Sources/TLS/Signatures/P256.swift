import COpenSSL
import CShims

/// Keys on the curve P-256 as OpenSSL objects.
///
/// The caller owns the returned pointers.
enum P256 {
    /// Bytes of a private key: the scalar, big-endian.
    static let scalarBytes = 32
    /// Bytes of a public key: an uncompressed point, 4, x and y (SEC 1, 2.3.3).
    static let pointBytes = 65

    /// Returns true if a key is on this curve.
    static func holds(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }

    /// Creates a key pair from a private key; nil when its length is wrong, or it is 0 or not below the group's order.
    static func keyPair(scalar: [UInt8]) -> OpaquePointer? {
        scalar.count == P256.scalarBytes ? c_evp_p256_private(scalar) : nil
    }

    /// Creates a public key; nil when the bytes are no point of the curve.
    static func publicKey(point: [UInt8]) -> OpaquePointer? {
        point.count == P256.pointBytes ? c_evp_p256_public(point) : nil
    }

    /// Returns the public half of a key as a point.
    static func point(of key: OpaquePointer) throws(TLSError) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: P256.pointBytes)
        guard c_evp_p256_point(key, &point) == 1 else {
            throw TLSError.fromQueue(.signature, "cannot write a P-256 key as a point")
        }
        return point
    }
}
