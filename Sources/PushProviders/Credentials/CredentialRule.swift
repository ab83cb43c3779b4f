public import Campaigns

/// Decides when the tokens of one key are made, used and renewed: a state machine without clock, key and socket.
///
/// The driver calls `need` before it prepares requests and performs the returned action: it signs and calls `signed` or
/// `signingFailed`, or asks the provider's token endpoint and calls `fetched`. Then it calls `need` again. Answers
/// about a token carry the generation that the request had. A value for one owner (an actor or a lock).
public protocol CredentialRule: Sendable {
    /// The time at which the token in use was made; nil while there is none.
    var madeAt: Timestamp? { get }
    /// Returns the authorization that requests carry now, and the action to take.
    mutating func need(now: Timestamp) -> CredentialNeed
    /// Takes the signature that was asked for. Traps when none was asked for.
    mutating func signed(_ signature: [UInt8], now: Timestamp)
    /// Notes that the key could not sign.
    mutating func signingFailed(now: Timestamp)
    /// Takes the answer of the token endpoint, or its absence. Traps when it was not asked.
    mutating func fetched(_ answer: TokenAnswer, now: Timestamp)
    /// Notes that the provider refused a token; returns true if another one is in use or about to be made.
    mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool
    /// Notes that the provider counted too many tokens, this one included; returns true if another one is in use.
    mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool
}

/// The authorization that requests carry.
public struct Authorization: Hashable, Sendable {
    /// The number of the token, which attributes an answer to the token that was sent; 0 where there are no tokens.
    public let generation: UInt32
    /// The value of the `authorization` header, a secret; nil with a certificate.
    public let value: [UInt8]?

    /// Creates an authorization.
    public init(generation: UInt32, value: [UInt8]?) {
        self.generation = generation
        self.value = value
    }
}

/// The result of asking a `CredentialRule`.
public struct CredentialNeed: Equatable, Sendable {
    /// The authorization that requests carry now; nil when there is none.
    public var authorization: Authorization?
    /// The action that the driver takes at once, even while an older token still serves.
    public var action: CredentialAction?
    /// The reason why there is no authorization; nil while there is one or one is on its way.
    public var lack: CredentialLack?

    /// Creates a need.
    public init(authorization: Authorization? = nil, action: CredentialAction? = nil, lack: CredentialLack? = nil) {
        self.authorization = authorization
        self.action = action
        self.lack = lack
    }
}

/// An action of the driver for a `CredentialRule`.
public enum CredentialAction: Equatable, Sendable {
    /// Sign these bytes with the key.
    case sign([UInt8])
    /// Send this request.
    case fetch(TokenRequest)
}

/// The reason why there is no token.
public enum CredentialLack: Equatable, Sendable {
    /// A temporary reason: waiting senders ask again. The text is fit for a ledger.
    case passing(reason: String)
    /// The provider does not accept the key, which a person has to fix. The text is fit for a ledger.
    case refused(reason: String)
}

/// A request for an access token (RFC 6749, 4).
public struct TokenRequest: Hashable, Sendable {
    /// The address of the token endpoint.
    public let endpoint: ProviderEndpoint
    /// The request's path.
    public let path: String
    /// The form, `application/x-www-form-urlencoded`; contains an assertion, a secret for an hour.
    public let body: [UInt8]
    /// The time after which the request is abandoned.
    public static let deadline = Duration.seconds(10)
}

/// The answer of a token endpoint.
public enum TokenAnswer: Equatable, Sendable {
    /// An answer, with at most 4 KiB of its body.
    case answered(status: Int, body: [UInt8])
    /// No answer, with the reason.
    case unreachable(String)
}
