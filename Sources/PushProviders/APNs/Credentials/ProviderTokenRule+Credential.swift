public import Campaigns

/// The provider token as a `CredentialRule`.
extension ProviderTokenRule: CredentialRule {
    /// See `CredentialRule`.
    public var madeAt: Timestamp? { current?.issuedAt }

    /// See `CredentialRule`.
    public mutating func need(now: Timestamp) -> CredentialNeed {
        switch tokenNeeded(now: now) {
        case .use(let token):
            let authorization = Authorization(generation: token.generation, value: token.authorization)
            return CredentialNeed(authorization: authorization)
        case .sign(let input): return CredentialNeed(action: .sign(input))
        // Another loop may be signing; its signature is ready before this result could be reported.
        case .wait: return CredentialNeed(lack: .refused(reason: "NoProviderToken"))
        }
    }

    /// See `CredentialRule`.
    public mutating func signed(_ signature: [UInt8], now: Timestamp) { _ = signed(signature) }

    /// Traps: a provider token is signed locally and never fetched.
    public mutating func fetched(_ answer: TokenAnswer, now: Timestamp) {
        preconditionFailure("a provider token that nobody asked for")
    }

    /// See `CredentialRule`.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        refused(generation: generation, now: now) == .renew
    }

    /// See `CredentialRule`.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool {
        tooManyUpdates(generation: generation, now: now) == .useOther
    }
}
