public import Campaigns

/// When the tokens of one key are made, used and renewed: a machine without clock, key and socket.
///
/// The driver asks `need` before it prepares requests and does the action that it says: signs and calls `signed` or
/// `signingFailed`, or asks the provider's token endpoint and calls `fetched`; then it asks again. Answers about a token
/// come with the generation that the request carried. A value for one owner (an actor or a lock).
public protocol CredentialRule: Sendable {
    /// When the token that requests carry was made; nil while there is none.
    var madeAt: Timestamp? { get }
    /// What requests carry now, and what is to be done about it.
    mutating func need(now: Timestamp) -> CredentialNeed
    /// The signature that was asked for is there. Traps when none was asked for.
    mutating func signed(_ signature: [UInt8], now: Timestamp)
    /// The key could not sign.
    mutating func signingFailed(now: Timestamp)
    /// What the token endpoint said, or that it said nothing. Traps when it was not asked.
    mutating func fetched(_ answer: TokenAnswer, now: Timestamp)
    /// The provider refused the token of this generation: whether another one serves now or is about to be made.
    mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool
    /// The provider counted too many tokens, this generation among them: whether another one serves now.
    mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool
}

/// What requests carry as `authorization`.
public struct Authorization: Hashable, Sendable {
    /// Names the token, so that an answer is put down to the token that was sent; 0 where there are no tokens.
    public let generation: UInt32
    /// The header's value, a secret; nil with a certificate.
    public let value: [UInt8]?

    /// An authorization.
    public init(generation: UInt32, value: [UInt8]?) {
        self.generation = generation
        self.value = value
    }
}

/// What a `CredentialRule` says.
public struct CredentialNeed: Equatable, Sendable {
    /// What requests carry now; nil when there is nothing.
    public var authorization: Authorization?
    /// What the driver does at once, also while an older token still serves.
    public var action: CredentialAction?
    /// Why there is nothing, once that is known; nil while something is on its way.
    public var lack: CredentialLack?

    /// A need.
    public init(authorization: Authorization? = nil, action: CredentialAction? = nil, lack: CredentialLack? = nil) {
        self.authorization = authorization
        self.action = action
        self.lack = lack
    }
}

/// What a driver does for a `CredentialRule`.
public enum CredentialAction: Equatable, Sendable {
    /// Signs these bytes with the key.
    case sign([UInt8])
    /// Makes this request.
    case fetch(TokenRequest)
}

/// Why there is no token.
public enum CredentialLack: Equatable, Sendable {
    /// It passes by itself: whoever waits asks again. The reason is fit for a ledger.
    case passing(reason: String)
    /// The provider does not accept the key: a person has to mend it. The reason is fit for a ledger.
    case refused(reason: String)
}

/// A request for an access token (RFC 6749, 4).
public struct TokenRequest: Hashable, Sendable {
    /// Where the token endpoint listens.
    public let endpoint: ProviderEndpoint
    /// The request's path.
    public let path: String
    /// The form, `application/x-www-form-urlencoded`; holds an assertion, a secret for an hour.
    public let body: [UInt8]
    /// After this the request is given up.
    public static let deadline = Duration.seconds(10)
}

/// What a token endpoint said.
public enum TokenAnswer: Equatable, Sendable {
    /// An answer; at most 4 KiB of its body.
    case answered(status: Int, body: [UInt8])
    /// None; the text says why.
    case unreachable(String)
}
