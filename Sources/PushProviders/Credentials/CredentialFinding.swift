/// What an answer about a credential came to, once whoever holds the credential has looked at it.
public enum CredentialFinding: Hashable, Sendable {
    /// Nothing besides what the rule of the answer says: there is no other credential to try.
    case nothing
    /// Another credential serves now: the request is made again with it, on connections of its own.
    case replaced
    /// The credential is refused, and so was the one before it; the text says what to look at, without secrets.
    case refused(String)
}

extension AnswerRule {
    /// The rule once it is known what became of the credential; rules about anything else stay as they are.
    public func after(_ finding: CredentialFinding) -> AnswerRule {
        guard credential != .keep || device == .setAside else { return self }
        var rule = self
        switch finding {
        case .nothing: return self
        case .replaced:
            rule.device = .again(otherwise: .setAside)
            rule.breaker = .neutral
        case .refused:
            rule.device = .setAside
            rule.breaker = .opens
        }
        rule.isCharged = false
        return rule
    }
}
