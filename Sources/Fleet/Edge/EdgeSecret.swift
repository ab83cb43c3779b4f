import PushProviders
import TLS

/// Makes what apps and devices show at the edge, and what is kept of it.
public enum EdgeSecret {
    private static let byteCount = 32

    /// A device's secret: 32 random bytes in base64url.
    public static func device() -> String { String(decoding: Base64URL.encode(random()), as: UTF8.self) }

    /// An app's integration key; what it begins with tells people, and scanners of code, what it is.
    public static func integrationKey() -> String { "fik_" + device() }

    /// What is kept: SHA-256 of the text, 32 bytes.
    public static func hash(_ text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }

    /// The same of a text's bytes in UTF-8.
    public static func hash(_ text: UnsafeRawBufferPointer) -> [UInt8] { SHA256.digest(text) }

    private static func random() -> [UInt8] {
        var chance = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &chance) }
    }
}
