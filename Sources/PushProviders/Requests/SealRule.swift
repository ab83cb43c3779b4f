/// The rule that encrypts each device's body for it alone (RFC 8291), from the keys in its token.
///
/// The plaintext is the body of `PreparedRequests`; the sender encrypts it. The path differs per device, too.
public struct SealRule: Sendable {
    /// The size of a device's keys: a public key of P-256 as an uncompressed point (65 bytes), then a secret (16).
    public static let keyBytes = 81
    /// The range of the public key in them.
    public static let publicKey = 0..<65
    /// The range of the secret in them.
    public static let secret = 65..<81

    /// Reads a stored token: writes its keys into memory of `keyBytes` bytes and returns the range of the token that is
    /// the path; nil when the token is invalid.
    public let read: @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Range<Int>?
}
