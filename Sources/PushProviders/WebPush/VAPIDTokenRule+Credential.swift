public import Campaigns

/// The token for a push service as a `CredentialRule`.
extension VAPIDTokenRule: CredentialRule {
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
        case .wait: return CredentialNeed(lack: .refused(reason: "NoVAPIDToken"))
        }
    }

    /// See `CredentialRule`.
    public mutating func signed(_ signature: [UInt8], now: Timestamp) { _ = signed(signature) }

    /// Traps: a token is signed locally and never fetched.
    public mutating func fetched(_ answer: TokenAnswer, now: Timestamp) {
        preconditionFailure("a token for a push service that nobody asked for")
    }

    /// See `CredentialRule`.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        refused(generation: generation, now: now)
    }

    /// Returns false: no push service reports too many tokens, and the rule makes few.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool { false }
}
