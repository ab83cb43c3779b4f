public import Campaigns

/// When the token for one push service is made, used and renewed (RFC 8292): a machine without clock and key.
///
/// A token is made out to an origin, so that each has a rule of its own. It ends at most 24 hours ahead (section 2), and
/// Apple wants no more than one new token an hour (`push-protocols.md`, C3). So it is valid for 12 hours, which leaves half
/// a day for a clock that is wrong, and replaced after 6; never within an hour of the last one, but for one in place of a
/// refused one. A process that starts anew makes one at once, because nothing survives that could say how old the last is.
///
/// The driver asks `tokenNeeded` before it prepares requests, signs when told to and hands the signature in. A value for
/// one owner (an actor or a lock).
public struct VAPIDTokenRule: Sendable {
    /// A token ends so long after it was made.
    public static let lifetime = Duration.seconds(12 * 3600)
    /// A token is renewed at this age.
    public static let renewalAge = Duration.seconds(6 * 3600)
    /// No two tokens are made within this time.
    public static let renewalPause = Duration.seconds(3600)
    /// The last minutes of a token are not used, for requests under way and clocks that differ.
    public static let reserve = Duration.seconds(600)
    /// After a failure to sign.
    public static let signingPause = Duration.seconds(60)

    /// Who sends, to whom.
    public let identity: VAPIDIdentity
    private(set) var current: VAPIDToken?
    private var signing: Signing?
    private var pausedUntil: Timestamp?
    /// The current token was refused, and is to be replaced at once.
    private var isRefused = false
    /// The current token took the place of one that was refused.
    private var isReplacement = false
    private var lastGeneration: UInt32 = 0

    private struct Signing: Sendable {
        let issuedAt: Timestamp
        let input: [UInt8]
    }

    /// No token yet.
    public init(identity: VAPIDIdentity) {
        self.identity = identity
    }

    /// What is to be done before requests are prepared.
    public enum Step: Equatable, Sendable {
        /// Requests carry this token.
        case use(VAPIDToken)
        /// These bytes are to be signed (ES256); then `signed` or `signingFailed`.
        case sign([UInt8])
        /// There is no token now: ask again at this instant, or (nil) when the signature under way is done.
        case wait(until: Timestamp?)
    }

    /// Says which token requests carry now.
    public mutating func tokenNeeded(now: Timestamp) -> Step {
        let usable = current.flatMap { isUsable($0, now: now) ? $0 : nil }
        guard signing == nil else { return usable.map { .use($0) } ?? .wait(until: nil) }
        if let usable, !isRefused, now.since(usable.issuedAt) < Self.renewalAge { return .use(usable) }
        if !isRefused, let pausedUntil, now < pausedUntil {
            return usable.map { .use($0) } ?? .wait(until: pausedUntil)
        }
        let input = identity.signingInput(expiresAt: now.advanced(by: Self.lifetime))
        signing = Signing(issuedAt: now, input: input)
        return .sign(input)
    }

    /// The signature is there: 64 bytes, r and s.
    ///
    /// Traps when none was asked for or it has another length.
    public mutating func signed(_ signature: [UInt8]) -> VAPIDToken {
        guard let signing else { preconditionFailure("a signature that nobody asked for") }
        precondition(signature.count == 64, "a signature of \(signature.count) bytes")
        lastGeneration += 1
        let token = VAPIDToken(
            generation: lastGeneration,
            issuedAt: signing.issuedAt,
            authorization: identity.authorization(signingInput: signing.input, signature: signature)
        )
        (current, self.signing) = (token, nil)
        (isReplacement, isRefused) = (isRefused, false)
        pausedUntil = signing.issuedAt.advanced(by: Self.renewalPause)
        return token
    }

    /// A push service refused a token: whether there is another one, or is one to be signed now.
    ///
    /// A token in place of a refused one is not replaced itself before the hour is over: the fault is elsewhere then.
    public mutating func refused(generation: UInt32, now: Timestamp) -> Bool {
        guard let current, current.generation == generation else { return current != nil }
        if isReplacement, let pausedUntil, now < pausedUntil { return false }
        isRefused = true
        return true
    }

    /// The key could not sign; it is tried again after a minute, the current token stays in use.
    public mutating func signingFailed(now: Timestamp) {
        signing = nil
        isRefused = false
        pausedUntil = now.advanced(by: Self.signingPause)
    }

    /// A clock that was put back makes a token end more than a day ahead, which services refuse.
    private func isUsable(_ token: VAPIDToken, now: Timestamp) -> Bool {
        let age = now.since(token.issuedAt)
        return age < Self.lifetime - Self.reserve && age > Self.lifetime - .seconds(86_400) + Self.reserve
    }
}

/// Who sends messages, to which push service.
public struct VAPIDIdentity: Hashable, Sendable {
    /// The push service's origin (RFC 6454 section 6.1).
    public let audience: String
    /// Who can be reached when something is wrong: a `mailto:` or `https:` URL.
    public let subject: String
    /// The public half of the key, an uncompressed point in base64url.
    public let publicKey: String

    /// An identity.
    public init(audience: String, subject: String, publicKey: String) {
        self.audience = audience
        self.subject = subject
        self.publicKey = publicKey
    }

    /// What is signed: header and claims (RFC 8292 section 2).
    func signingInput(expiresAt: Timestamp) -> [UInt8] {
        JSONWebToken.signingInput(
            .es256,
            header: ["typ": "JWT"],
            claims: [
                "aud": .string(audience), "exp": .number(JSONNumber(expiresAt.seconds)), "sub": .string(subject),
            ]
        )
    }

    /// The header's value (RFC 8292 section 3).
    func authorization(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        Array("vapid t=".utf8) + JSONWebToken.text(signingInput: signingInput, signature: signature)
            + Array(", k=\(publicKey)".utf8)
    }
}

/// A signed token for one push service.
///
/// Immutable; one serves all connections of a process to that service.
public struct VAPIDToken: Hashable, Sendable {
    /// Counts the tokens of one rule from 1.
    public let generation: UInt32
    /// When it was made.
    public let issuedAt: Timestamp
    /// The value of the `authorization` header.
    ///
    /// A secret: never in a log.
    public let authorization: [UInt8]
}
