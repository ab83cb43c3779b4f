import PushProviders
import TLS

/// A private key that signs tokens; for any thread.
enum SigningKey: Sendable {
    case es256(ES256.SigningKey)
    case rs256(RS256.SigningKey)

    /// Reads a PEM key; `source` names it in errors.
    init(_ algorithm: SignatureAlgorithm, pem: [UInt8], source: String) throws(TLSError) {
        switch algorithm {
        case .es256: self = .es256(try ES256.SigningKey(pem: pem, source: source))
        case .rs256: self = .rs256(try RS256.SigningKey(pem: pem, source: source))
        }
    }

    /// Returns the public half as a point, 65 bytes; nil for a key that is not on P-256.
    func publicPoint() throws(TLSError) -> [UInt8]? {
        guard case .es256(let key) = self else { return nil }
        return try key.publicKey()
    }

    /// Returns the signature in a JWT's form (RFC 7518, 3).
    func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        switch self {
        case .es256(let key): try key.sign(message)
        case .rs256(let key): try key.sign(message)
        }
    }
}
