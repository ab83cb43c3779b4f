public import Campaigns

/// When a provider token is made, used and renewed (`push-protocols.md`, C1.6): a machine without clock and key.
///
/// Apple takes a token for an hour and refuses a sender that renews more often than every 20 minutes. So a token is
/// renewed after 45 minutes, never within 20 of the last, with one exception: a token that Apple refuses is replaced
/// once, at once. When the replacement is refused as well, the fault is elsewhere (this machine's clock, the key), and
/// nothing is made before the 20 minutes are over. One rule per key and process; a process that starts anew makes a
/// token at once, because nothing survives that could say how old the last one is.
///
/// The driver asks `tokenNeeded` before it prepares requests, signs when told to, hands the signature in with `signed`,
/// and reports `refused` and `tooManyUpdates` with the generation of the token that the request carried. A value for
/// one owner (an actor or a lock).
public struct ProviderTokenRule: Sendable {
    /// A token is renewed at this age.
    public static let renewalAge = Duration.seconds(45 * 60)
    /// No two tokens are made within this time, but for one in place of a refused one.
    public static let renewalPause = Duration.seconds(20 * 60)
    /// Apple refuses older tokens; a minute is kept for requests under way.
    public static let usableAge = Duration.seconds(59 * 60)
    /// After a failure to sign.
    public static let signingPause = Duration.seconds(60)
    /// A clock that goes back further than this makes a new token, because Apple refuses one from the future.
    public static let clockTolerance = Duration.seconds(60)

    /// Who signs.
    public let identity: ProviderTokenIdentity
    private(set) var current: ProviderToken?
    /// The token before the current one, if it was not refused: what to go back to when Apple says that there were too
    /// many.
    private var previous: ProviderToken?
    /// The token that Apple counted as one too many: never gone back to while the older one is usable.
    private var surplus: ProviderToken?
    private var signing: Signing?
    /// No token is made before this instant.
    private var pausedUntil: Timestamp?
    /// When the newest token was made.
    private var lastMade: Timestamp?
    /// Apple refused the current token.
    private var isRefused = false
    /// The current token took the place of one that was refused.
    private var isReplacement = false
    private var lastGeneration: UInt32 = 0

    private struct Signing: Sendable {
        let issuedAt: Timestamp
        let input: [UInt8]
    }

    /// No token yet.
    public init(identity: ProviderTokenIdentity) {
        self.identity = identity
    }

    /// What is to be done before requests are prepared.
    public enum Step: Equatable, Sendable {
        /// Requests carry this token.
        case use(ProviderToken)
        /// These bytes are to be signed (ES256); then `signed` or `signingFailed`.
        case sign([UInt8])
        /// There is no token now: ask again at this instant, or (nil) when the signature under way is done.
        case wait(until: Timestamp?)
    }

    /// Says which token requests carry now.
    ///
    /// A refused token that cannot be replaced yet is still given: only the provider can say whether the cause, a wrong
    /// clock for example, is gone. Who asks is kept from asking often by the pause of the app.
    public mutating func tokenNeeded(now: Timestamp) -> Step {
        if let token = current, !isUsable(token, now: now), let other = surplus, isUsable(other, now: now) {
            (current, surplus) = (other, nil)
            isRefused = false
        }
        let usable = current.flatMap { isUsable($0, now: now) ? $0 : nil }
        guard signing == nil else { return usable.map { .use($0) } ?? .wait(until: nil) }
        if let usable, !isRefused, now.since(usable.issuedAt) < Self.renewalAge { return .use(usable) }
        if let pause = pauseEnd(now: now) { return usable.map { .use($0) } ?? .wait(until: pause) }
        let input = ProviderTokenText.signingInput(identity, issuedAt: now)
        signing = Signing(issuedAt: now, input: input)
        return .sign(input)
    }

    /// The signature is there: 64 bytes, r and s.
    ///
    /// Traps when none was asked for or it has another length.
    public mutating func signed(_ signature: [UInt8]) -> ProviderToken {
        guard let signing else { preconditionFailure("a signature that nobody asked for") }
        precondition(signature.count == ProviderTokenText.signatureBytes, "a signature of \(signature.count) bytes")
        lastGeneration += 1
        let token = ProviderToken(
            generation: lastGeneration,
            issuedAt: signing.issuedAt,
            authorization: ProviderTokenText.authorization(signingInput: signing.input, signature: signature)
        )
        self.signing = nil
        previous = isRefused ? nil : current
        current = token
        surplus = nil
        lastMade = signing.issuedAt
        isReplacement = isRefused
        isRefused = false
        pausedUntil = nil
        return token
    }

    /// The key could not sign; it is tried again after a minute, the current token stays in use.
    public mutating func signingFailed(now: Timestamp) {
        signing = nil
        pausedUntil = now.advanced(by: Self.signingPause)
    }

    /// What follows from `ExpiredProviderToken` and `InvalidProviderToken`, besides the end of its connection.
    public enum RefusedStep: Equatable, Sendable {
        /// Send again on another connection with what `tokenNeeded` gives: as a rule another token.
        case renew
        /// A new token would fare no better: the app is to wait; no token is made before this instant.
        case suspect(until: Timestamp)
    }

    /// Apple refused a token; `generation` is that of the request, which may be an older one than the token in use.
    public mutating func refused(generation: UInt32, now: Timestamp) -> RefusedStep {
        if current?.generation == generation { isRefused = true }
        guard isRefused, signing == nil, let pause = pauseEnd(now: now) else { return .renew }
        return .suspect(until: pause)
    }

    /// What follows from `TooManyProviderTokenUpdates`.
    public enum UpdatesStep: Equatable, Sendable {
        /// Send again on another connection: `tokenNeeded` gives another token than the one that was answered.
        case useOther
        /// The only token there is was answered so: it stays, and what it was to send waits.
        case rest
    }

    /// Apple counted too many tokens: none is made for 20 minutes, and the one before serves on while it is usable.
    ///
    /// `generation` is that of the request: what is said of a token that is not in use any more changes nothing.
    public mutating func tooManyUpdates(generation: UInt32, now: Timestamp) -> UpdatesStep {
        guard current?.generation == generation else { return .useOther }
        pausedUntil = max(pausedUntil ?? now, now.advanced(by: Self.renewalPause))
        guard let old = previous, isUsable(old, now: now) else { return .rest }
        (current, previous, surplus) = (old, nil, current)
        isRefused = false
        isReplacement = false
        return .useOther
    }

    private func isUsable(_ token: ProviderToken, now: Timestamp) -> Bool {
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
