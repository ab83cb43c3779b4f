import Foundation
import TLS

/// The secrets that sign a webhook's requests (Standard Webhooks, standardwebhooks.com): one, or two in a rotation.
///
/// Requests carry a signature by each, so that a receiver accepts them with the old secret and with the new one. May
/// be used from any thread.
package struct WebhookSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    /// The most secrets at a time.
    package static let countMax = 2
    /// The length of a secret in bytes.
    package static let secretBytes = 24...64
    /// The prefix of a secret's text.
    package static let prefix = "whsec_"

    private let keys: [HMACSHA256]
    /// A digest that tells these secrets from others; no secret can be derived from it.
    let digest: [UInt8]

    /// A problem with a file of secrets; it never contains a part of one.
    package struct Unusable: Error, Equatable {
        /// The line, from 1; nil for the whole file.
        package let line: Int?
        /// The problem.
        package let detail: String
    }

    /// Reads a file: a secret a line, `whsec_` and base64 of 24 to 64 bytes.
    ///
    /// Empty lines and lines that begin with `#` are ignored.
    package init(file: [UInt8]) throws(Unusable) {
        var secrets: [[UInt8]] = []
        for (index, line) in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard text.hasPrefix(Self.prefix) else {
                throw Unusable(line: index + 1, detail: "a secret begins with \(Self.prefix)")
            }
            guard let secret = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) else {
                throw Unusable(line: index + 1, detail: "what follows \(Self.prefix) is not base64")
            }
            guard Self.secretBytes.contains(secret.count) else {
                let needs = "\(Self.secretBytes.lowerBound) to \(Self.secretBytes.upperBound)"
                throw Unusable(line: index + 1, detail: "the secret has \(secret.count) bytes; it needs \(needs)")
            }
            secrets.append(Array(secret))
            guard secrets.count <= Self.countMax else {
                throw Unusable(line: index + 1, detail: "there are two secrets already")
            }
        }
        guard !secrets.isEmpty else { throw Unusable(line: nil, detail: "there is no secret in it") }
        keys = secrets.map { HMACSHA256(key: $0) }
        digest = SHA256.digest(secrets.flatMap { SHA256.digest(Array("fanfare webhook".utf8) + $0) })
    }

    /// The value of `webhook-signature`: for each secret `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64.
    func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return keys.map { "v1," + Data($0.code(signed)).base64EncodedString() }.joined(separator: " ")
    }

    /// The number of secrets; never one of them.
    package var description: String { "\(keys.count) secret\(keys.count == 1 ? "" : "s")" }

    /// A mirror with the number of secrets only.
    package var customMirror: Mirror { Mirror(self, children: ["count": keys.count]) }
}
