import Campaigns
import Delivery
import NIOCore
import PushProviders
import Settings
import Transport

/// The requests of one kind that a loop's connections serve: what an endpoint is found by when it is needed again.
struct WarmRoute: Hashable, Sendable {
    var account: AccountKey
    /// The environment; nil for the app's own.
    var environment: PushEnvironment?
    /// Urgent and bulk shards have connections of their own.
    var isUrgent: Bool

    init(_ account: AccountKey, _ environment: PushEnvironment?, isUrgent: Bool) {
        self.account = account
        self.environment = environment
        self.isUrgent = isUrgent
    }
}

/// Keeps connections open for the requests that are likely to come, as `WarmEndpoints` decides.
extension SenderLoop {
    /// Notes that a shard is sent.
    func noteUse(of account: LoadedAccount, for shard: Shard) {
        // The connections of suspect tokens are as slow as their tokens are bad: nobody waits for those.
        guard shard.id.key.part != ShardKey.suspectPart else { return }
        let endpoint = account.account.endpoint(shard.facts.environment)
        // A push service that a registration names is a stranger, one of thousands perhaps.
        guard !account.account.isServedByStrangers || WellKnownServices.has(endpoint.host) else { return }
        let route = WarmRoute(
            account.key,
            shard.facts.environment,
            isUrgent: shard.facts.policy.urgency == .urgent
        )
        warmth.used(route, host: endpoint.host, now: MonotonicInstant(of: .now()))
    }

    /// Keeps a connection open for a campaign that may be fired at any moment.
    func need(_ route: WarmRoute, _ account: LoadedAccount) {
        let host = account.account.endpoint(route.environment).host
        warmth.needed(route, host: host, now: MonotonicInstant(of: .now()))
        sender(for: route, account)?.pool.keep(1)
    }

    /// Keeps one connection to each endpoint that was used lately, and lets the others close.
    ///
    /// The search for it also renews the credential: one that has changed meanwhile gets its connection now, not with
    /// the next request.
    func keepWarm(within limits: WarmEndpoints<WarmRoute>.Limits, of apps: AppDirectory) {
        guard closed == nil else { return }
        var kept: Set<ObjectIdentifier> = []
        for route in warmth.kept(within: limits, now: MonotonicInstant(of: .now())) {
            guard let account = apps.account(app: route.account.app, provider: route.account.provider),
                let sender = sender(for: route, account)
            else { continue }
            kept.insert(ObjectIdentifier(sender))
            sender.pool.keep(1)
        }
        for sender in endpoints.values where !kept.contains(ObjectIdentifier(sender)) { sender.pool.keep(0) }
    }

    private func sender(for route: WarmRoute, _ account: LoadedAccount) -> EndpointSender? {
        search(for: account, route.environment, isApart: false, isUrgent: route.isUrgent).found
    }
}
