public import Campaigns

/// Decides when Google's access tokens are requested, used and renewed (RFC 7523; `push-protocols.md`, C2): a state
/// machine without clock, key and socket.
///
/// A token is requested with an assertion that the service account signs, and is valid for an hour. It is renewed when
/// five minutes remain, or a quarter of a shorter life; requests use the old token in the meantime. A token that Google
/// refuses is replaced once, at once. When Google refuses the replacement as well, the fault is elsewhere, and nothing
/// is requested for a minute. Failures are retried after 1, 2, 4 … 60 seconds; after the third failure in a row without
/// any token, waiting senders are told. There is one request at a time, whoever asks.
public struct AccessTokenRule: CredentialRule {
    /// The remaining life at which a token is renewed, or a quarter of its whole life if that is shorter.
    public static let renewalLead = Duration.seconds(300)
    /// The remaining life below which requests no longer carry a token.
    public static let usableLead = Duration.seconds(10)
    /// The life of an assertion (Google: an hour at most).
    public static let assertionLife = Duration.seconds(3600)
    /// The longest pause after a failure, also used after a refusal that only a person can fix.
    public static let pauseMax = Duration.seconds(60)
    /// The number of failures in a row after which waiting senders are told.
    public static let failuresMax = 3
    /// The scope that the assertion asks for.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// The service account that asks.
    public let account: ServiceAccount
    private var current: Token?
    private var step = Step.idle
    /// The instant before which nothing is requested.
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
        /// Signed; the driver's next action is this request.
        case ready(TokenRequest)
        case fetching
    }

    /// Creates a rule without a token.
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

    /// Takes the signature; traps when none was asked for.
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

    /// Takes the answer of the token endpoint; traps when it was not asked.
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
            // Google's verdict about key, account or clock does not change by itself (RFC 6749, 5.2).
            let isFinal = (400...499).contains(status) && ![408, 429].contains(status)
            failed(isFinal ? .refused(reason: reason) : .passing(reason: reason), now: now)
        }
    }

    /// Notes that Google refused a token, which is replaced once.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        guard let token = current, token.authorization.generation == generation else {
            // An older token: a newer one is in use or on its way, unless that has failed.
            return current != nil || lack == nil
        }
        (current, isRefused) = (nil, true)
        guard isReplacement, now.since(token.madeAt) < Self.pauseMax else { return true }
        lack = .refused(reason: "UNAUTHENTICATED")
        pausedUntil = max(pausedUntil ?? now, now.advanced(by: Self.pauseMax))
        return false
    }

    /// Returns false: Google does not count tokens.
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
            if failures >= Self.failuresMax { lack = why }
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

    /// Returns true for a text that a header may carry (RFC 6750, 2.1), at most 4,096 bytes.
    private static func isToken(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
