import PushProviders
import TLS

/// Creates the secrets that apps and devices show at the edge, and the hashes that are stored.
package enum EdgeSecret {
    private static let byteCount = 32

    /// Creates a device's secret: 32 random bytes in base64url.
    package static func device() -> String { String(decoding: Base64URL.encode(random()), as: UTF8.self) }

    /// Returns true if a text has the form of a device's secret: 43 characters of base64url.
    package static func isDevices(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy {
                switch $0 {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// Creates an app's integration key; its prefix tells people and code scanners what it is.
    package static func integrationKey() -> String { "fik_" + device() }

    /// Returns the hash that is stored: SHA-256 of the text, 32 bytes.
    package static func hash(_ text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }

    /// Returns the first eight bytes of an integration key's hash, by which devices remember the key they came with.
    package static func keyNumber(hash: [UInt8]) -> Int64 {
        Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Returns the hash of a text's bytes in UTF-8.
    package static func hash(_ text: UnsafeRawBufferPointer) -> [UInt8] { SHA256.digest(text) }

    private static func random() -> [UInt8] {
        var chance = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &chance) }
    }
}
