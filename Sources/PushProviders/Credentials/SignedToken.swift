public import Campaigns

/// A JWT that the sender's own key signed with ES256.
///
/// Immutable; one serves all connections of a process.
public struct SignedToken: Hashable, Sendable {
    /// The number of the token within its rule, from 1, by which an answer finds the token that it is about.
    public let generation: UInt32
    /// The time at which the token was made, by which the provider judges its age.
    public let issuedAt: Timestamp
    /// The value of the `authorization` header.
    ///
    /// A secret that must not appear in a log.
    public let authorization: [UInt8]
}

/// The step before requests are prepared.
public enum SignedTokenStep: Equatable, Sendable {
    /// Use this token in requests.
    case use(SignedToken)
    /// Sign these bytes (ES256), then call `signed` or `signingFailed`.
    case sign([UInt8])
    /// There is no token: ask again at this instant, or (nil) when the signature in progress is done.
    case wait(until: Timestamp?)
}

/// A `CredentialRule` whose tokens are signed locally and never fetched.
public protocol SignedTokenRule: CredentialRule {
    /// The token in use.
    var current: SignedToken? { get }
    /// The reason, fit for a ledger, while there is no token and none is being signed.
    static var lackReason: String { get }
    /// Returns the token that requests carry now, or the step to get one.
    mutating func tokenNeeded(now: Timestamp) -> SignedTokenStep
    /// Takes the signature of 64 bytes, r and s.
    ///
    /// Traps when none was asked for, or when it has another length.
    mutating func signed(_ signature: [UInt8]) -> SignedToken
}

extension SignedTokenRule {
    /// See `CredentialRule`.
    public var madeAt: Timestamp? { current?.issuedAt }

    /// See `CredentialRule`.
    public mutating func need(now: Timestamp) -> CredentialNeed {
        switch tokenNeeded(now: now) {
        case .use(let token):
            let authorization = Authorization(generation: token.generation, value: token.authorization)
            return CredentialNeed(authorization: authorization)
        case .sign(let input): return CredentialNeed(action: .sign(input))
        case .wait(until: nil): return CredentialNeed()
        case .wait: return CredentialNeed(lack: .refused(reason: Self.lackReason))
        }
    }

    /// See `CredentialRule`.
    public mutating func signed(_ signature: [UInt8], now: Timestamp) { _ = signed(signature) }

    /// Traps: a token is signed locally and never fetched.
    public mutating func fetched(_ answer: TokenAnswer, now: Timestamp) {
        preconditionFailure("a signed token that nobody asked for")
    }
}

/// The signature in progress, of which a rule has one at a time, and the numbers of the tokens.
struct TokenSigning: Sendable {
    /// The length of an ES256 signature in a JWT: r and s, 32 bytes each (RFC 7518, 3.4), not DER.
    static let signatureBytes = 64

    private var pending: (issuedAt: Timestamp, input: [UInt8])?
    private var lastGeneration: UInt32 = 0

    var isPending: Bool { pending != nil }

    /// Returns the step to sign the bytes.
    mutating func begin(_ input: [UInt8], issuedAt: Timestamp) -> SignedTokenStep {
        pending = (issuedAt, input)
        return .sign(input)
    }

    /// Returns the signed token; `authorization` makes the header's value from the signed bytes and the signature.
    mutating func end(_ signature: [UInt8], _ authorization: ([UInt8], [UInt8]) -> [UInt8]) -> SignedToken {
        guard let (issuedAt, input) = pending else { preconditionFailure("a signature that nobody asked for") }
        precondition(signature.count == Self.signatureBytes, "a signature of \(signature.count) bytes")
        pending = nil
        lastGeneration += 1
        return SignedToken(
            generation: lastGeneration,
            issuedAt: issuedAt,
            authorization: authorization(input, signature)
        )
    }

    /// Notes that the key could not sign.
    mutating func fail() { pending = nil }
}
