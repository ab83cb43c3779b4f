import Campaigns
import TLS

/// The keys that sign an app's message ids: one, or two during a rotation (`edge.message_key_file`).
///
/// The first key signs, both verify. To rotate: add the new key as the second line wherever ids are signed or
/// verified, then make it the first, then remove the old one when its pushes no longer matter.
package struct MessageKeys: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The most keys at a time.
    package static let countMax = 2
    /// The length of a key in bytes; longer ones gain nothing (RFC 2104, 3).
    package static let keyBytes = 32...64

    /// The key that signs.
    let signing: Key
    /// The keys that verify, the signing one first.
    let all: [Key]

    /// A key with the number that tells it from the previous one.
    struct Key: Sendable, Equatable {
        let epoch: UInt32
        let secret: [UInt8]
    }

    /// A problem with a key file; it never contains a part of a key.
    package struct Unusable: Error, Equatable {
        /// The line, from 1; nil for the whole file.
        package let line: Int?
        /// The problem.
        package let detail: String
    }

    /// Reads a key file: a key a line, as its epoch (a whole number) and 32 to 64 bytes in hexadecimal.
    ///
    /// Empty lines and lines that begin with `#` are ignored.
    package init(file: [UInt8]) throws(Unusable) {
        var keys: [Key] = []
        for (index, line) in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let fields = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = fields.first, first.first != UInt8(ascii: "#") else { continue }
            let key = try Self.key(fields, line: index + 1)
            guard !keys.contains(where: { $0.epoch == key.epoch }) else {
                throw Unusable(line: index + 1, detail: "epoch \(key.epoch) is there already")
            }
            keys.append(key)
            guard keys.count <= Self.countMax else {
                throw Unusable(line: index + 1, detail: "there are two keys already")
            }
        }
        guard let first = keys.first else { throw Unusable(line: nil, detail: "there is no key in it") }
        signing = first
        all = keys
    }

    private static func key(_ fields: [ArraySlice<UInt8>], line: Int) throws(Unusable) -> Key {
        guard fields.count == 2 else {
            throw Unusable(line: line, detail: "a line has an epoch and a key, with a space between")
        }
        guard let epoch = UInt32(String(decoding: fields[0], as: UTF8.self)) else {
            throw Unusable(line: line, detail: "the epoch is not a whole number below 4,294,967,296")
        }
        guard let secret = Hexadecimal.bytes(fields[1]) else {
            throw Unusable(line: line, detail: "the key is not hexadecimal")
        }
        guard keyBytes.contains(secret.count) else {
            let detail = "the key has \(secret.count) bytes; it needs \(keyBytes.lowerBound) to \(keyBytes.upperBound)"
            throw Unusable(line: line, detail: detail)
        }
        return Key(epoch: epoch, secret: secret)
    }

    /// The epochs, the signing key's first.
    package var epochs: [UInt32] { all.map(\.epoch) }

    /// The epochs for people; no secret.
    package var description: String {
        "epoch \(signing.epoch)" + all.dropFirst().map { ", epoch \($0.epoch) verifies" }.joined()
    }

    /// A mirror with the epochs only.
    package var customMirror: Mirror { Mirror(self, children: ["epochs": epochs]) }

    /// A digest that tells these keys from others; no secret.
    var digest: [UInt8] {
        let parts = all.map { key in withUnsafeBytes(of: key.epoch.bigEndian, Array.init) + SHA256.digest(key.secret) }
        return SHA256.digest(parts.flatMap(\.self))
    }
}
