import Campaigns
import Delivery
package import PushProviders
import Synchronization
import TLS

/// The tokens that a process has for one key, shared by all its loops and connections.
///
/// The rules decide, OpenSSL signs, the fetcher requests. A signature takes a millisecond at most, about once an
/// hour, so the loop that needs it makes it. May be used from any thread.
package final class CredentialHolder: Sendable {
    private let credential: TokenCredential
    private let key: SigningKey
    private let fetcher: TokenFetcher
    /// The rules by endpoint, limited because registrations name endpoints; under nil the rule for all endpoints.
    private let rules = Mutex(Rules(most: 4096))

    private typealias Rules = RecentlyUsed<ProviderEndpoint?, any CredentialRule>

    init(_ credential: TokenCredential, key: SigningKey, fetcher: TokenFetcher) {
        self.credential = credential
        self.key = key
        self.fetcher = fetcher
    }

    /// The credential that is available for requests to an endpoint.
    package enum Supply {
        /// A credential that requests carry.
        case ready(Authorization)
        /// None yet, but a token is on its way: the caller asks again in a while.
        case awaited
        /// None, for this reason.
        case lacking(CredentialLack)
    }

    /// Returns the credential for requests to an endpoint.
    func supply(for endpoint: ProviderEndpoint, now: Timestamp) -> Supply {
        let (need, request) = rules.withLock { settled(&$0, for: endpoint, now: now) }
        if let request { fetch(request, for: endpoint, now: now) }
        if let authorization = need.authorization { return .ready(authorization) }
        return need.lack.map { .lacking($0) } ?? .awaited
    }

    /// The instant at which the token was made that serves all endpoints; nil without one, and if each endpoint has its
    /// own.
    var madeAt: Timestamp? { rules.withLock { $0[nil] }?.madeAt }

    /// Notes that the provider refused a token of this generation; returns true if another one serves now or soon.
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

    /// Notes that the provider counted too many tokens, this one among them; returns true if another one serves now.
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

    /// Signs what the rule needs signed; returns a token request, which the caller sends outside of the lock.
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

    /// Requests a token; `now` is in the time that dates tokens, and is advanced by the monotonic clock.
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
