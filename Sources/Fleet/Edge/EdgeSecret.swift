import PushProviders
import TLS

/// Makes what apps and devices show at the edge, and what is kept of it.
public enum EdgeSecret {
    private static let byteCount = 32

    /// A device's secret: 32 random bytes in base64url.
    public static func device() -> String { String(decoding: Base64URL.encode(random()), as: UTF8.self) }

    /// Whether a text has the form of a device's secret: 43 characters of base64url.
    public static func isDevices(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy {
                switch $0 {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// An app's integration key; what it begins with tells people, and scanners of code, what it is.
    public static func integrationKey() -> String { "fik_" + device() }

    /// What is kept: SHA-256 of the text, 32 bytes.
    public static func hash(_ text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }

    /// The number by which devices keep what integration key they came with: the first eight bytes of the hash.
    public static func keyNumber(hash: [UInt8]) -> Int64 {
        Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The same of a text's bytes in UTF-8.
    public static func hash(_ text: UnsafeRawBufferPointer) -> [UInt8] { SHA256.digest(text) }

    private static func random() -> [UInt8] {
        var chance = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &chance) }
    }
}
