import TLS

/// Makes access tokens.
public enum NewAccessToken {
    /// A token of 32 random bytes as 64 hexadecimal digits, and the SHA-256 of that text.
    public static func make() -> (token: String, hash: [UInt8]) {
        var chance = SystemRandomNumberGenerator()
        let digits = (0..<32).map { _ in
            let text = String(UInt8.random(in: 0...255, using: &chance), radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        let token = digits.joined()
        return (token, hash(token))
    }

    /// What is kept of a token.
    static func hash(_ token: String) -> [UInt8] { SHA256.digest(Array(token.utf8)) }
}
