import Campaigns
public import PushProviders

extension Verdict {
    /// The meaning of a provider's answer for the device, by the provider's own rule.
    public init(_ answer: Answer, rule: AnswerRule) {
        let reason = answer.reason
        let retryAfter = answer.retryAfter.map { Duration.seconds($0) }
        switch rule.step(retryAfter: answer.retryAfter) {
        case .settle(let outcome):
            self = .outcome(outcome, reason: reason, deadSince: answer.deadSince)
        case .settleUnlessGuarded:
            self = .suspect(reason: reason)
        case .retry:
            self = .retry(reason: reason ?? "Unknown", retryAfter: retryAfter, charged: rule.isCharged)
        case .again(let fallback):
            switch fallback {
            case .retry: self = .again(reason: reason ?? "Unknown", otherwise: .retry)
            case .setAside: self = .again(reason: reason ?? "Unknown", otherwise: .setAside)
            }
        case .setAside:
            // The app cools down and continues by itself, or a person has to fix its credential.
            self = .setAside(answer.kind == .laneThrottled ? .breaker : .credentials)
        }
    }
}

extension Answer {
    /// The instant since which the provider knows that the token is dead.
    fileprivate var deadSince: Timestamp? {
        if case .tokenDead(let since) = kind { return since }
        return nil
    }
}
