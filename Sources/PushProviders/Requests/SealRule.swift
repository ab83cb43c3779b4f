/// How the body of each device is sealed for it alone (RFC 8291): what a token says about it.
///
/// The plaintext is the body that `PreparedRequests` gives; whoever sends seals it, and the path is the device's own, too.
public struct SealRule: Sendable {
    /// Bytes of the keys of a device: a public key of P-256 as an uncompressed point (65), then a secret (16).
    public static let keyBytes = 81
    /// Where the public key lies in them.
    public static let publicKey = 0..<65
    /// Where the secret lies in them.
    public static let secret = 65..<81

    /// Reads a token as it is kept: writes the keys into memory for `keyBytes` and gives the bytes of the token that are the
    /// path; nil when it is none.
    public let read: @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Range<Int>?

    /// A rule.
    init(read: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Range<Int>?) {
        self.read = read
    }
}
