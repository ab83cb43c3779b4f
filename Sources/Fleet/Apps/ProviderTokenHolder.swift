import Campaigns
import PushProviders
import Synchronization
import TLS

/// The one provider token that a process has per key, shared by all its loops and connections.
///
/// The rule decides, OpenSSL signs; a signature takes a tenth of a millisecond once in 45 minutes, so the loop that
/// needs it makes it.
final class ProviderTokenHolder: Sendable {
    private let rule: Mutex<ProviderTokenRule>
    private let key: ES256.SigningKey

    init(identity: ProviderTokenIdentity, key: ES256.SigningKey) {
        rule = Mutex(ProviderTokenRule(identity: identity))
        self.key = key
    }

    /// The token that requests carry now; nil when none may be made at this instant.
    func token(now: Timestamp) -> ProviderToken? {
        rule.withLock { token(&$0, now: now) }
    }

    /// Apple refused a token of this generation: whether another one serves now.
    func refused(generation: UInt32, now: Timestamp) -> Bool {
        rule.withLock { rule in
            if case .suspect = rule.refused(generation: generation, now: now) { return false }
            let next = token(&rule, now: now)
            return next != nil && next?.generation != generation
        }
    }

    /// Apple counted too many tokens, this generation among them: whether another one serves now.
    func tooManyUpdates(generation: UInt32, now: Timestamp) -> Bool {
        rule.withLock { $0.tooManyUpdates(generation: generation, now: now) == .useOther }
    }

    private func token(_ rule: inout ProviderTokenRule, now: Timestamp) -> ProviderToken? {
        switch rule.tokenNeeded(now: now) {
        case .use(let token): return token
        case .wait: return nil
        case .sign(let input):
            do {
                return rule.signed(try key.sign(input))
            } catch {
                rule.signingFailed(now: now)
                // The old token usually still serves.
                if case .use(let token) = rule.tokenNeeded(now: now) { return token }
                return nil
            }
        }
    }
}
