import PushProviders
import TLS

/// A private key that tokens are made with; for any thread.
enum SigningKey: Sendable {
    case es256(ES256.SigningKey)
    case rs256(RS256.SigningKey)

    /// Reads a key as PEM; `source` names it in errors.
    init(_ algorithm: SignatureAlgorithm, pem: [UInt8], source: String) throws(TLSError) {
        switch algorithm {
        case .es256: self = .es256(try ES256.SigningKey(pem: pem, source: source))
        case .rs256: self = .rs256(try RS256.SigningKey(pem: pem, source: source))
        }
    }

    /// The public half as a point, 65 bytes; nil for a key that is none of P-256.
    func publicPoint() throws(TLSError) -> [UInt8]? {
        guard case .es256(let key) = self else { return nil }
        return try key.publicKey()
    }

    /// The signature as a JWT has it (RFC 7518, 3).
    func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        switch self {
        case .es256(let key): try key.sign(message)
        case .rs256(let key): try key.sign(message)
        }
    }
}
