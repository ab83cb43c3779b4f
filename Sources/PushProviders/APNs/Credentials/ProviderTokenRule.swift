public import Campaigns

/// When a provider token is made, used and renewed (`push-protocols.md`, C1.6): a machine without clock and key.
///
/// Apple takes a token for an hour and refuses a sender that renews more often than every 20 minutes. So a token is
/// renewed after 45 minutes, never within 20 of the last, whatever the answers say. One rule per identity and process;
/// a process that starts anew makes a token at once, because nothing survives that could say how old the last one is.
///
/// The driver asks `tokenNeeded` before it prepares requests, signs when told to, hands the signature in with `signed`,
/// and reports `expired` and `tooManyUpdates` when answers say so. A value for one owner (an actor or a lock).
public struct ProviderTokenRule: Sendable {
    /// A token is renewed at this age.
    public static let renewalAge = Duration.seconds(45 * 60)
    /// No two tokens are made within this time.
    public static let renewalPause = Duration.seconds(20 * 60)
    /// Apple refuses older tokens; a minute is kept for requests under way.
    public static let usableAge = Duration.seconds(59 * 60)
    /// After a failure to sign.
    public static let signingPause = Duration.seconds(60)
    /// After a token that was refused: for so long refusals of the new one are put down to connections.
    ///
    /// A connection on which a token expired refuses good tokens too (pushy), and requests with the new token may be
    /// under way on one that another loop has not yet replaced.
    public static let settlingTime = Duration.seconds(60)
    /// A clock that goes back further than this makes a new token, because Apple refuses one from the future.
    public static let clockTolerance = Duration.seconds(60)

    /// Who signs.
    public let identity: ProviderTokenIdentity
    private var current: ProviderToken?
    /// The token before the current one: what to go back to when Apple says that there were too many.
    private var previous: ProviderToken?
    private var signing: Signing?
    /// No token is made before this instant.
    private var pausedUntil: Timestamp?
    /// Apple said of the current token that it is expired.
    private var isRefused = false
    /// The current token took the place of one that was refused.
    private var followsRefusal = false
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
    public mutating func tokenNeeded(now: Timestamp) -> Step {
        let usable = current.flatMap { isUsable($0, now: now) && !isRefused ? $0 : nil }
        if signing != nil { return usable.map { .use($0) } ?? .wait(until: nil) }
        guard usable == nil || isDue(now: now) else { return usable.map { .use($0) } ?? .wait(until: nil) }
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
        previous = current
        current = token
        followsRefusal = isRefused
        isRefused = false
        pausedUntil = nil
        return token
    }

    /// The key could not sign; it is tried again after a minute, the current token stays in use.
    public mutating func signingFailed(now: Timestamp) {
        signing = nil
        pausedUntil = now.advanced(by: Self.signingPause)
    }

    /// What follows from `ExpiredProviderToken`, besides the end of its connection.
    public enum ExpiredStep: Equatable, Sendable {
        /// Send again on another connection with what `tokenNeeded` gives: as a rule another token.
        case renew
        /// The token is younger than 20 minutes, so the fault is elsewhere, most likely in this machine's clock:
        /// the app is set aside; no token is made before this instant.
        case clockSuspect(until: Timestamp)
    }

    /// Apple called a token expired; `generation` is that of the request.
    public mutating func expired(generation: UInt32, now: Timestamp) -> ExpiredStep {
        guard let current, current.generation == generation else { return .renew }
        guard !followsRefusal || now.since(current.issuedAt) >= Self.settlingTime else { return .renew }
        isRefused = true
        guard signing == nil, let pause = pauseEnd(now: now) else { return .renew }
        return .clockSuspect(until: pause)
    }

    /// Apple counted too many tokens: none is made for 20 minutes, and the one before serves on while it is usable.
    public mutating func tooManyUpdates(now: Timestamp) {
        pausedUntil = max(pausedUntil ?? now, now.advanced(by: Self.renewalPause))
        if let old = previous, isUsable(old, now: now) {
            current = old
            isRefused = false
            followsRefusal = false
        }
        previous = nil
    }

    private func isUsable(_ token: ProviderToken, now: Timestamp) -> Bool {
        let age = now.since(token.issuedAt)
        return age < Self.usableAge && age >= .zero - Self.clockTolerance
    }

    private func isDue(now: Timestamp) -> Bool {
        guard let current else { return true }
        return now.since(current.issuedAt) >= Self.renewalAge
    }

    /// The instant before which no token may be made; nil when one may be made now.
    private func pauseEnd(now: Timestamp) -> Timestamp? {
        var end = pausedUntil
        if let current, now.since(current.issuedAt) >= .zero - Self.clockTolerance {
            let ownEnd = current.issuedAt.advanced(by: Self.renewalPause)
            end = max(end ?? ownEnd, ownEnd)
        }
        return end.flatMap { $0 > now ? $0 : nil }
    }
}
