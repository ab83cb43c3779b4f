import Campaigns
public import PushProviders

extension Verdict {
    /// What a provider's answer means for the device, by the provider's own rule.
    ///
    /// An answer after which a device may be sent to again at once takes the shortest rung instead, not charged: the
    /// run goes on with the request's old credential until its shard is done.
    public init(_ answer: Answer, rule: AnswerRule) {
        let reason = answer.reason
        let retryAfter = answer.retryAfter.map { Duration.seconds($0) }
        switch rule.step(retryAfter: answer.retryAfter) {
        case .settle(let outcome), .settleUnlessGuarded(let outcome):
            self = .outcome(outcome, reason: reason, deadSince: answer.deadSince)
        case .retry:
            self = .retry(reason: reason ?? "Unknown", retryAfter: retryAfter, charged: rule.isCharged)
        case .again:
            self = .retry(reason: reason ?? "Unknown", retryAfter: retryAfter, charged: false)
        case .setAside:
            self = .setAside(.credentials)
        }
    }
}

extension Answer {
    /// Since when the provider knows that the token is dead.
    fileprivate var deadSince: Timestamp? {
        if case .tokenDead(let since) = kind { return since }
        return nil
    }
}
