/// The message of RFC 8291: one record of the content coding `aes128gcm` (RFC 8188 section 2).
///
/// ```
/// salt (16) | record size 4096 (4) | 65 (1) | public key of the sender (65) | sealed: plaintext, 2 (1), tag (16)
/// ```
public enum WebPushMessage {
    /// Bytes of a public key: an uncompressed point of P-256, a subscription's `p256dh`.
    public static let publicKeyBytes = P256.pointBytes
    /// Bytes of an authentication secret, a subscription's `auth`.
    public static let authenticationBytes = 16
    /// Bytes of a salt.
    public static let saltBytes = MessageKeys.saltBytes
    /// Bytes of a message besides its plaintext.
    public static let overheadBytes = headerBytes + 1 + tagBytes
    /// The most bytes of a message: the size that every service accepts (RFC 8030 section 7.2).
    public static let bytesMax = 4096
    /// The most bytes of a plaintext, 3993 (RFC 8291 section 4).
    public static let plaintextBytesMax = bytesMax - overheadBytes

    static let recordSizeAt = saltBytes
    static let keyCountAt = recordSizeAt + 4
    static let keyAt = keyCountAt + 1
    static let headerBytes = keyAt + P256.pointBytes
    static let tagBytes = 16
    /// The byte that ends the last record's plaintext; zeros may follow it (RFC 8188 section 2).
    static let delimiter: UInt8 = 2
}
