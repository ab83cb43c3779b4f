import Campaigns
import PushProviders
import Synchronization
import TLS

/// The one provider token that a process has per identity, shared by all its loops and connections.
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
        rule.withLock { rule in
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

    /// Apple called a token of this generation expired; false when it is too young for that, so that this machine's
    /// clock is suspect.
    func expired(generation: UInt32, now: Timestamp) -> Bool {
        rule.withLock { rule in
            if case .clockSuspect = rule.expired(generation: generation, now: now) { return false }
            return true
        }
    }

    /// Apple counted too many tokens.
    func tooManyUpdates(now: Timestamp) {
        rule.withLock { $0.tooManyUpdates(now: now) }
    }
}
