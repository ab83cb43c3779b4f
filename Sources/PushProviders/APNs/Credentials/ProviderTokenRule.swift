public import Campaigns

/// Decides when a provider token is made, used and renewed (`push-protocols.md`, C1.6): a state machine without clock
/// and key.
///
/// Apple accepts a token for an hour and refuses a sender that renews more often than every 20 minutes. So a token is
/// renewed after 45 minutes, and never within 20 minutes of the last one. The one exception: a token that Apple refuses
/// is replaced once, at once. When Apple refuses the replacement as well, the fault is elsewhere (this machine's clock,
/// the key), and no token is made before the 20 minutes are over. There is one rule per key and process. A process that
/// restarts makes a token at once, because it cannot know the age of the last one.
///
/// The driver calls `tokenNeeded` before it prepares requests, signs when told to, passes the signature to `signed`,
/// and reports `refused` and `tooManyUpdates` with the generation of the token that the request carried. A value for
/// one owner (an actor or a lock).
public struct ProviderTokenRule: SignedTokenRule {
    /// The age at which a token is renewed.
    public static let renewalAge = Duration.seconds(45 * 60)
    /// The shortest time between two tokens, except for the replacement of a refused one.
    public static let renewalPause = Duration.seconds(20 * 60)
    /// The age up to which a token is used: Apple refuses tokens of an hour, and a minute is kept for requests in
    /// flight.
    public static let usableAge = Duration.seconds(59 * 60)
    /// The pause after a failure to sign.
    public static let signingPause = Duration.seconds(60)
    /// The largest step back of the clock without a new token; Apple refuses a token from the future.
    public static let clockTolerance = Duration.seconds(60)

    /// The signer of the tokens.
    public let identity: ProviderTokenIdentity
    /// See `SignedTokenRule`.
    public static let lackReason = "NoProviderToken"
    /// See `SignedTokenRule`.
    public private(set) var current: SignedToken?
    /// The token before the current one, unless it was refused; used again when Apple reports too many updates.
    private var previous: SignedToken?
    /// The token that Apple counted as one too many; not used again while the older one is usable.
    private var surplus: SignedToken?
    private var signing = TokenSigning()
    /// The instant before which no token is made.
    private var pausedUntil: Timestamp?
    /// The time at which the newest token was made.
    private var lastMade: Timestamp?
    /// True if Apple refused the current token.
    private var isRefused = false
    /// True if the current token replaced a refused one.
    private var isReplacement = false

    /// Creates a rule without a token.
    public init(identity: ProviderTokenIdentity) {
        self.identity = identity
    }

    /// Returns the token that requests carry now, or the step to get one.
    ///
    /// A refused token that cannot be replaced yet is still returned: only the provider can tell when the cause, a
    /// wrong clock for example, is gone. The cooldown of the app keeps callers from asking often.
    public mutating func tokenNeeded(now: Timestamp) -> SignedTokenStep {
        if let token = current, !isUsable(token, now: now), let other = surplus, isUsable(other, now: now) {
            (current, surplus) = (other, nil)
            isRefused = false
        }
        let usable = current.flatMap { isUsable($0, now: now) ? $0 : nil }
        guard !signing.isPending else { return usable.map { .use($0) } ?? .wait(until: nil) }
        if let usable, !isRefused, now.since(usable.issuedAt) < Self.renewalAge { return .use(usable) }
        if let pause = pauseEnd(now: now) { return usable.map { .use($0) } ?? .wait(until: pause) }
        return signing.begin(identity.signingInput(issuedAt: now), issuedAt: now)
    }

    /// See `SignedTokenRule`.
    public mutating func signed(_ signature: [UInt8]) -> SignedToken {
        let token = signing.end(signature, identity.authorization)
        previous = isRefused ? nil : current
        current = token
        surplus = nil
        lastMade = token.issuedAt
        isReplacement = isRefused
        isRefused = false
        pausedUntil = nil
        return token
    }

    /// Notes that the key could not sign; the rule tries again after a minute, and the current token stays in use.
    public mutating func signingFailed(now: Timestamp) {
        signing.fail()
        pausedUntil = now.advanced(by: Self.signingPause)
    }

    /// The step after `ExpiredProviderToken` and `InvalidProviderToken`, in addition to closing the connection.
    public enum RefusedStep: Equatable, Sendable {
        /// Send again on another connection with the token from `tokenNeeded`, usually another one.
        case renew
        /// A new token would not help: the app waits, and no token is made before this instant.
        case suspect(until: Timestamp)
    }

    /// Notes that Apple refused a token; `generation` is the request's, whose token may be older than the current one.
    public mutating func refused(generation: UInt32, now: Timestamp) -> RefusedStep {
        if current?.generation == generation { isRefused = true }
        guard isRefused, !signing.isPending, let pause = pauseEnd(now: now) else { return .renew }
        return .suspect(until: pause)
    }

    /// The step after `TooManyProviderTokenUpdates`.
    public enum UpdatesStep: Equatable, Sendable {
        /// Send again on another connection: `tokenNeeded` returns another token than the one in the answer.
        case useOther
        /// The only token got this answer: it stays, and its requests wait.
        case rest
    }

    /// Notes that Apple counted too many tokens: none is made for 20 minutes, and the previous one is used while it is
    /// usable.
    ///
    /// `generation` is the request's: an answer about a token that is no longer in use changes nothing.
    public mutating func tooManyUpdates(generation: UInt32, now: Timestamp) -> UpdatesStep {
        guard current?.generation == generation else { return .useOther }
        pausedUntil = max(pausedUntil ?? now, now.advanced(by: Self.renewalPause))
        guard let old = previous, isUsable(old, now: now) else { return .rest }
        (current, previous, surplus) = (old, nil, current)
        isRefused = false
        isReplacement = false
        return .useOther
    }

    /// See `CredentialRule`.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        refused(generation: generation, now: now) == .renew
    }

    /// See `CredentialRule`.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool {
        tooManyUpdates(generation: generation, now: now) == .useOther
    }

    private func isUsable(_ token: SignedToken, now: Timestamp) -> Bool {
        let age = now.since(token.issuedAt)
        return age < Self.usableAge && age >= .zero - Self.clockTolerance
    }

    /// The instant before which no token may be made; nil when one may be made now.
    private func pauseEnd(now: Timestamp) -> Timestamp? {
        var end = pausedUntil
        let isReplaceable = isRefused && !isReplacement
        if !isReplaceable, let lastMade, now.since(lastMade) >= .zero - Self.clockTolerance {
            let ownEnd = lastMade.advanced(by: Self.renewalPause)
            end = max(end ?? ownEnd, ownEnd)
        }
        return end.flatMap { $0 > now ? $0 : nil }
    }
}
