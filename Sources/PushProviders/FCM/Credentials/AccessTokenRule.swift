public import Campaigns

/// When Google's access tokens are asked for, used and renewed (RFC 7523; `push-protocols.md`, C2): a machine without
/// clock, key and socket.
///
/// A token is asked for with an assertion that the service account signs, and holds for an hour. It is renewed while it
/// still has five minutes, or a quarter of a shorter life; requests go on with the old one meanwhile. A token that Google
/// refuses is replaced at once, once: when the one in its place is refused as well, the fault is elsewhere, and nothing
/// is asked for within a minute. What fails on the way is tried again after 1, 2, 4 … 60 seconds; after the third time in
/// a row without any token those who wait are told. One question at a time, whoever asks.
public struct AccessTokenRule: CredentialRule {
    /// A token is renewed when it has this left, or a quarter of its life.
    public static let renewalLead = Duration.seconds(300)
    /// A token is not put on requests any more when it has this left.
    public static let usableLead = Duration.seconds(10)
    /// An assertion holds so long (Google: an hour at most).
    public static let assertionLife = Duration.seconds(3600)
    /// Between two questions that failed, at most; and after a refusal that only a person can mend.
    public static let pauseMax = Duration.seconds(60)
    /// Failures in a row after which those who wait are told.
    public static let patience = 3
    /// What the assertion asks for.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// Who asks.
    public let account: ServiceAccount
    private var current: Token?
    private var step = Step.idle
    /// Nothing is asked for before this instant.
    private var pausedUntil: Timestamp?
    private var failures = 0
    private var lack: CredentialLack?
    /// True if the last token was refused and no other has come since.
    private var isRefused = false
    /// True if the current token took the place of one that was refused.
    private var isReplacement = false
    private var lastGeneration: UInt32 = 0

    private struct Token: Sendable {
        let authorization: Authorization
        let renewAt: Timestamp
        let usableUntil: Timestamp
        let madeAt: Timestamp
    }

    /// See `CredentialRule`.
    public var madeAt: Timestamp? { current?.madeAt }

    private enum Step: Sendable {
        case idle
        case signing([UInt8])
        /// Signed; the request is the driver's next action.
        case ready(TokenRequest)
        case fetching
    }

    /// No token yet.
    public init(account: ServiceAccount) {
        self.account = account
    }

    /// See `CredentialRule`.
    public mutating func need(now: Timestamp) -> CredentialNeed {
        let usable = current.flatMap { now < $0.usableUntil && now >= $0.madeAt.advanced(by: .seconds(-60)) ? $0 : nil }
        if usable == nil { current = nil }
        var need = CredentialNeed(authorization: usable?.authorization)
        switch step {
        case .fetching, .signing: break
        case .ready(let request):
            step = .fetching
            need.action = .fetch(request)
        case .idle:
            let isDue = usable.map { now >= $0.renewAt } ?? true
            if isDue, pausedUntil.map({ now >= $0 }) ?? true {
                let input = assertion(now: now)
                step = .signing(input)
                need.action = .sign(input)
            }
        }
        if usable == nil { need.lack = lack }
        return need
    }

    /// The signature is there; traps when none was asked for.
    public mutating func signed(_ signature: [UInt8], now: Timestamp) {
        guard case .signing(let input) = step else { preconditionFailure("a signature that nobody asked for") }
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        step = .ready(
            TokenRequest(
                endpoint: account.tokenEndpoint,
                path: account.tokenPath,
                body: Array(grant.utf8) + JSONWebToken.text(signingInput: input, signature: signature)
            )
        )
    }

    /// See `CredentialRule`.
    public mutating func signingFailed(now: Timestamp) {
        failed(.refused(reason: "NoSignature"), now: now)
    }

    /// What the token endpoint said; traps when it was not asked.
    public mutating func fetched(_ answer: TokenAnswer, now: Timestamp) {
        guard case .fetching = step else { preconditionFailure("an access token that nobody asked for") }
        switch answer {
        case .unreachable: failed(.passing(reason: "NoAccessToken"), now: now)
        case .answered(let status, let body):
            let value = JSONReader.read(body).value
            if status == 200, let text = value?["access_token"]?.string, Self.isToken(text) {
                return taken(text, life: value?["expires_in"]?.integer ?? 3600, now: now)
            }
            let word = value?["error"]?.string ?? "Status\(status)"
            let reason = ReasonText.sanitized(Array("NoAccessToken \(word)".utf8))
            // What Google says of key, account or clock does not change by itself (RFC 6749, 5.2).
            let isFinal = (400...499).contains(status) && ![408, 429].contains(status)
            failed(isFinal ? .refused(reason: reason) : .passing(reason: reason), now: now)
        }
    }

    /// Google refused a token: it is replaced once.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        guard let token = current, token.authorization.generation == generation else {
            // An older one: there is another by now, or it is on its way, unless that has failed.
            return current != nil || lack == nil
        }
        (current, isRefused) = (nil, true)
        guard isReplacement, now.since(token.madeAt) < Self.pauseMax else { return true }
        lack = .refused(reason: "UNAUTHENTICATED")
        pausedUntil = max(pausedUntil ?? now, now.advanced(by: Self.pauseMax))
        return false
    }

    /// Google counts no tokens.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool { false }

    private mutating func taken(_ text: String, life: Int64, now: Timestamp) {
        step = .idle
        failures = 0
        lack = nil
        pausedUntil = nil
        (isReplacement, isRefused) = (isRefused, false)
        lastGeneration += 1
        let life = Duration.seconds(min(max(life, 1), 86_400))
        current = Token(
            authorization: Authorization(generation: lastGeneration, value: Array("Bearer \(text)".utf8)),
            renewAt: now.advanced(by: max(life * 3 / 4, life - Self.renewalLead)),
            usableUntil: now.advanced(by: max(life / 2, life - Self.usableLead)),
            madeAt: now
        )
    }

    private mutating func failed(_ why: CredentialLack, now: Timestamp) {
        step = .idle
        failures += 1
        let pause: Duration
        switch why {
        case .refused:
            lack = why
            pause = Self.pauseMax
        case .passing:
            if failures >= Self.patience { lack = why }
            pause = min(.seconds(1 << Int64(min(failures - 1, 6))), Self.pauseMax)
        }
        pausedUntil = now.advanced(by: pause)
    }

    private func assertion(now: Timestamp) -> [UInt8] {
        JSONWebToken.signingInput(
            .rs256,
            header: ["typ": "JWT", "kid": .string(account.keyID)],
            claims: [
                "iss": .string(account.clientEmail), "scope": .string(Self.scope), "aud": .string(account.tokenURI),
                "iat": .number(JSONNumber(now.seconds)),
                "exp": .number(JSONNumber(now.advanced(by: Self.assertionLife).seconds)),
            ]
        )
    }

    /// What a header may carry (RFC 6750, 2.1), at most 4,096 bytes.
    private static func isToken(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
