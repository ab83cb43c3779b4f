/// The effect of an answer about a credential, determined by the credential's holder.
public enum CredentialFinding: Hashable, Sendable {
    /// No effect besides the rule of the answer: there is no other credential to try.
    case nothing
    /// Another credential is in use now: the request is sent again with it, on new connections.
    case replaced
    /// The credential is refused, as was the one before it; the text says what to check, without secrets.
    case refused(String)
}

extension AnswerRule {
    /// Returns the rule, adjusted to the finding about the credential; rules about anything else stay unchanged.
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
