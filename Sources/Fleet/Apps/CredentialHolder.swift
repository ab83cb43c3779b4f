import Campaigns
import Delivery
import PushProviders
import Synchronization
import TLS

/// The tokens that a process has of one key, shared by all its loops and connections.
///
/// The rules decide, OpenSSL signs, the fetcher asks. A signature takes a millisecond at most, once in most of an hour,
/// so the loop that needs it makes it. May be used from any thread.
final class CredentialHolder: Sendable {
    private let credential: TokenCredential
    private let key: SigningKey
    private let fetcher: TokenFetcher
    /// By endpoint, of which strangers may name any number; under nil the one that serves all.
    private let rules = Mutex(Rules(most: 4096))

    private typealias Rules = RecentlyUsed<ProviderEndpoint?, any CredentialRule>

    init(_ credential: TokenCredential, key: SigningKey, fetcher: TokenFetcher) {
        self.credential = credential
        self.key = key
        self.fetcher = fetcher
    }

    /// What there is for requests to an endpoint.
    enum Supply {
        /// Requests carry this.
        case ready(Authorization)
        /// Nothing yet, but a token is on its way: whoever needs it asks again in a while.
        case awaited
        /// Nothing, for this reason.
        case lacking(CredentialLack)
    }

    /// What requests to an endpoint carry now.
    func supply(for endpoint: ProviderEndpoint, now: Timestamp) -> Supply {
        let (need, request) = rules.withLock { settled(&$0, for: endpoint, now: now) }
        if let request { fetch(request, for: endpoint, now: now) }
        if let authorization = need.authorization { return .ready(authorization) }
        return need.lack.map { .lacking($0) } ?? .awaited
    }

    /// How old the token is that serves all endpoints; nil while there is none, and where each endpoint has its own.
    func age(now: Timestamp) -> Duration? {
        rules.withLock { $0[nil] }?.madeAt.map { max(.zero, now.since($0)) }
    }

    /// The provider refused a token of this generation: whether another one serves now, or is on its way.
    func refused(generation: UInt32, at endpoint: ProviderEndpoint, now: Timestamp) -> Bool {
        let (isReplaced, request) = rules.withLock { rules -> (Bool, TokenRequest?) in
            var rule = rule(&rules, for: endpoint)
            let isHopeful = rule.replaceRefused(generation: generation, now: now)
            rules[scope(endpoint)] = rule
            guard isHopeful else { return (false, nil) }
            let (need, request) = settled(&rules, for: endpoint, now: now)
            if let other = need.authorization { return (other.generation != generation, request) }
            return (need.lack == nil, request)
        }
        if let request { fetch(request, for: endpoint, now: now) }
        return isReplaced
    }

    /// The provider counted too many tokens, this generation among them: whether another one serves now.
    func tooManyUpdates(generation: UInt32, at endpoint: ProviderEndpoint, now: Timestamp) -> Bool {
        rules.withLock { rules in
            var rule = rule(&rules, for: endpoint)
            defer { rules[scope(endpoint)] = rule }
            return rule.replaceSurplus(generation: generation, now: now)
        }
    }

    private func scope(_ endpoint: ProviderEndpoint) -> ProviderEndpoint? {
        credential.isPerEndpoint ? endpoint : nil
    }

    private func rule(_ rules: inout Rules, for endpoint: ProviderEndpoint) -> any CredentialRule {
        rules[scope(endpoint)] ?? credential.makeRule(for: endpoint)
    }

    /// Signs what is to be signed; what is to be asked for is handed back, to be asked outside of the lock.
    private func settled(
        _ rules: inout Rules,
        for endpoint: ProviderEndpoint,
        now: Timestamp
    ) -> (need: CredentialNeed, request: TokenRequest?) {
        var rule = rule(&rules, for: endpoint)
        defer { rules[scope(endpoint)] = rule }
        var need = rule.need(now: now)
        while case .sign(let input) = need.action {
            do {
                rule.signed(try key.sign(input), now: now)
            } catch {
                rule.signingFailed(now: now)
            }
            need = rule.need(now: now)
        }
        guard case .fetch(let request) = need.action else { return (need, nil) }
        return (need, request)
    }

    /// Asks for a token; `now` is whose time it is that tokens are dated by, and goes on by the monotonic clock.
    private func fetch(_ request: TokenRequest, for endpoint: ProviderEndpoint, now asked: Timestamp) {
        let began = ContinuousClock.now
        fetcher.fetch(request) { [self] answer in
            let now = asked.advanced(by: ContinuousClock.now - began)
            let next = rules.withLock { rules -> TokenRequest? in
                var rule = rule(&rules, for: endpoint)
                rule.fetched(answer, now: now)
                rules[scope(endpoint)] = rule
                return settled(&rules, for: endpoint, now: now).request
            }
            if let next { fetch(next, for: endpoint, now: now) }
        }
    }
}
