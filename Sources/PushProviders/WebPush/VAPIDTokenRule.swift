public import Campaigns

/// Decides when the token for one push service is made, used and renewed (RFC 8292): a state machine without clock and
/// key.
///
/// A token is issued for one origin, so each origin has its own rule. A token may end at most 24 hours ahead (section
/// 2), and Apple wants at most one new token an hour (`push-protocols.md`, C3). So a token is valid for 12 hours, which
/// leaves half a day for a wrong clock, and is replaced after 6. No token is made within an hour of the last one,
/// except to replace a refused one. A process that restarts makes a token at once, because it cannot know the age of
/// the last one.
///
/// The driver calls `tokenNeeded` before it prepares requests, signs when told to and passes the signature to `signed`.
/// A value for one owner (an actor or a lock).
public struct VAPIDTokenRule: SignedTokenRule {
    /// The life of a token.
    public static let lifetime = Duration.seconds(12 * 3600)
    /// The age at which a token is renewed.
    public static let renewalAge = Duration.seconds(6 * 3600)
    /// The shortest time between two tokens, except for the replacement of a refused one.
    public static let renewalPause = Duration.seconds(3600)
    /// The last part of a token's life, which is not used because of requests in flight and differing clocks.
    public static let reserve = Duration.seconds(600)
    /// The pause after a failure to sign.
    public static let signingPause = Duration.seconds(60)

    /// The sender and the push service.
    public let identity: VAPIDIdentity
    /// See `SignedTokenRule`.
    public static let lackReason = "NoVAPIDToken"
    /// See `SignedTokenRule`.
    public private(set) var current: SignedToken?
    private var signing = TokenSigning()
    private var pausedUntil: Timestamp?
    /// True if the current token was refused and is to be replaced at once.
    private var isRefused = false
    /// True if the current token replaced a refused one.
    private var isReplacement = false

    /// Creates a rule without a token.
    public init(identity: VAPIDIdentity) {
        self.identity = identity
    }

    /// See `SignedTokenRule`.
    public mutating func tokenNeeded(now: Timestamp) -> SignedTokenStep {
        let usable = current.flatMap { isUsable($0, now: now) ? $0 : nil }
        guard !signing.isPending else { return usable.map { .use($0) } ?? .wait(until: nil) }
        if let usable, !isRefused, now.since(usable.issuedAt) < Self.renewalAge { return .use(usable) }
        if !isRefused, let pausedUntil, now < pausedUntil {
            return usable.map { .use($0) } ?? .wait(until: pausedUntil)
        }
        return signing.begin(identity.signingInput(expiresAt: now.advanced(by: Self.lifetime)), issuedAt: now)
    }

    /// See `SignedTokenRule`.
    public mutating func signed(_ signature: [UInt8]) -> SignedToken {
        let token = signing.end(signature, identity.authorization)
        current = token
        (isReplacement, isRefused) = (isRefused, false)
        pausedUntil = token.issuedAt.advanced(by: Self.renewalPause)
        return token
    }

    /// Notes that a push service refused a token; returns true if another one is available or is to be signed now.
    ///
    /// The replacement of a refused token is not itself replaced before the hour is over: then the fault is elsewhere.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        guard let current, current.generation == generation else { return current != nil }
        if isReplacement, let pausedUntil, now < pausedUntil { return false }
        isRefused = true
        return true
    }

    /// Returns false: no push service reports too many tokens, and the rule makes few.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool { false }

    /// Notes that the key could not sign; the rule tries again after a minute, and the current token stays in use.
    public mutating func signingFailed(now: Timestamp) {
        signing.fail()
        isRefused = false
        pausedUntil = now.advanced(by: Self.signingPause)
    }

    /// After the clock was set back, a token may end more than a day ahead, which services refuse.
    private func isUsable(_ token: SignedToken, now: Timestamp) -> Bool {
        let age = now.since(token.issuedAt)
        return age < Self.lifetime - Self.reserve && age > Self.lifetime - .seconds(86_400) + Self.reserve
    }
}

/// The sender of messages, for one push service.
public struct VAPIDIdentity: Hashable, Sendable {
    /// The push service's origin (RFC 6454 section 6.1).
    public let audience: String
    /// The contact for problems: a `mailto:` or `https:` URL.
    public let subject: String
    /// The public half of the key, an uncompressed point in base64url.
    public let publicKey: String

    /// Creates an identity.
    public init(audience: String, subject: String, publicKey: String) {
        self.audience = audience
        self.subject = subject
        self.publicKey = publicKey
    }

    /// Returns the bytes to sign: header and claims (RFC 8292 section 2).
    func signingInput(expiresAt: Timestamp) -> [UInt8] {
        JSONWebToken.signingInput(
            .es256,
            header: ["typ": "JWT"],
            claims: [
                "aud": .string(audience), "exp": .number(JSONNumber(expiresAt.seconds)), "sub": .string(subject),
            ]
        )
    }

    /// Returns the header's value (RFC 8292 section 3).
    func authorization(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        Array("vapid t=".utf8) + JSONWebToken.text(signingInput: signingInput, signature: signature)
            + Array(", k=\(publicKey)".utf8)
    }
}
