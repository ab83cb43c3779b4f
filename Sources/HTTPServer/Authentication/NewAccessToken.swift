import Campaigns
import TLS

/// Makes access tokens.
package enum NewAccessToken {
    /// Returns a token of 32 random bytes as 64 hexadecimal digits, and the SHA-256 of that text.
    package static func make() -> (token: String, hash: [UInt8]) {
        var chance = SystemRandomNumberGenerator()
        let token = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0...255, using: &chance) })
        return (token, hash(token))
    }

    /// The SHA-256 of a token, which is all that is stored.
    package static func hash(_ token: String) -> [UInt8] { SHA256.digest(Array(token.utf8)) }
}
