public import Campaigns

/// The token for a push service in the words of all credentials.
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

    /// A token is signed here, nobody is asked for it.
    public mutating func fetched(_ answer: TokenAnswer, now: Timestamp) {
        preconditionFailure("a token for a push service that nobody asked for")
    }

    /// See `CredentialRule`.
    public mutating func replaceRefused(generation: UInt32, now: Timestamp) -> Bool {
        refused(generation: generation, now: now)
    }

    /// No push service says that it has seen too many; the rule makes few.
    public mutating func replaceSurplus(generation: UInt32, now: Timestamp) -> Bool { false }
}
