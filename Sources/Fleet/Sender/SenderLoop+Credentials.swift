import Campaigns
import Delivery
import PushProviders
import Settings
import Transport

/// Assigns credentials to connections: each provider token and each key has connections of its own.
///
/// Apple refuses a connection that sees keys of several teams or kinds, or new tokens too often. A connection on which
/// a token expired refuses good ones, too (pushy).
extension SenderLoop {
    /// The result of a search for connections.
    enum SenderSearch {
        /// The sender with the connections.
        case found(EndpointSender)
        /// No sender yet: a token is on its way.
        case awaited
        /// No sender: there is no token, for this reason.
        case lacking(CredentialLack)
        /// No sender: the account is gone from the apps file.
        case gone

        /// The sender; nil when there is no token at this instant.
        var found: EndpointSender? {
            if case .found(let sender) = self { sender } else { nil }
        }
    }

    /// Returns the connections for a shard with an account's present credential.
    ///
    /// When the token has changed, running runs move to it as well.
    func search(for account: LoadedAccount, _ shard: Shard) -> SenderSearch {
        search(
            for: account,
            shard.facts.environment,
            isApart: shard.id.key.part == ShardKey.suspectPart,
            isUrgent: shard.facts.policy.urgency == .urgent
        )
    }

    func search(
        for account: LoadedAccount,
        _ environment: PushEnvironment?,
        isApart: Bool,
        isUrgent: Bool
    ) -> SenderSearch {
        if account.isGone { return .gone }
        let endpoint = account.account.endpoint(environment)
        let authorization: Authorization
        switch account.supply(for: endpoint, now: clock()) {
        case .ready(let found): authorization = found
        case .awaited: return .awaited
        case .lacking(let lack): return .lacking(lack)
        }
        let key = EndpointKey(
            app: account.app,
            provider: account.account.provider.name,
            endpoint: endpoint.description,
            isApart: isApart,
            isUrgent: isUrgent
        )
        let old = endpoints[key]
        searches += 1
        if let old, old.carries(authorization, of: account) {
            old.lastSearch = searches
            return .found(old)
        }
        let sender = EndpointSender(
            owner: self,
            account: account,
            authorization: authorization,
            endpoint: endpoint,
            isApart: isApart,
            logger: logger
        )
        sender.lastSearch = searches
        endpoints[key] = sender
        if let old { move(old, to: account) } else { closeUnused(for: sender) }
        return .found(sender)
    }

    /// The most senders that an event loop keeps for push services that registrations name.
    ///
    /// Those at work are never closed: the shards that a worker holds limit them.
    static let strangersMax = 256

    /// Makes room for another such push service: closes the longest unused one, those that never answered first.
    private func closeUnused(for new: EndpointSender) {
        guard new.isOneOfMany else { return }
        let unansweredRuns = endpoints.filter { $0.value.isOneOfMany }
        guard unansweredRuns.count > Self.strangersMax else { return }
        let used = Set(carriers.compactMap { $0?.sender }.map(ObjectIdentifier.init))
        let unused = unansweredRuns.filter {
            $0.value !== new && $0.value.isIdle && !used.contains(ObjectIdentifier($0.value))
        }
        guard let oldest = unused.min(by: Self.goesBefore) else { return }
        endpoints[oldest.key] = nil
        retire(oldest.value)
    }

    private typealias Connections = (key: EndpointKey, value: EndpointSender)

    private static func goesBefore(_ one: Connections, _ other: Connections) -> Bool {
        (one.value.isProven ? 1 : 0, one.value.lastSearch) < (other.value.isProven ? 1 : 0, other.value.lastSearch)
    }

    /// Lets a run without a token wait for one, or sets it aside when there will be none.
    func goWithout(_ search: SenderSearch, _ active: ActiveRun, _ runIndex: Int) {
        switch search {
        case .found: awaiting[runIndex] = nil
        case .awaited: awaiting[runIndex] = active.account
        case .gone:
            awaiting[runIndex] = nil
            runs.stop(runIndex, .setAside(.app))
        case .lacking(.refused(let reason)):
            awaiting[runIndex] = nil
            runs.stop(runIndex, .setAside(.credentials))
            active.account.refused(reason, at: clock())
            // Setting the run aside again would repeat for ever, so its campaign waits for a person.
            if runs.credentialsRefused(runIndex) { reports.credentialsRefused(active.shard.id.key, reason: reason) }
        case .lacking(.passing(let reason)):
            awaiting[runIndex] = nil
            runs.stop(runIndex, .setAside(.breaker))
            reports.tripped(
                app: active.account.app,
                provider: active.account.account.provider.name,
                Breaker.Trip(reason: reason, since: clock())
            )
        }
    }

    /// Checks if the tokens have arrived that runs wait for.
    func lookForTokens() {
        for (runIndex, account) in awaiting {
            guard let active = active(runIndex) else { continue }
            if !runs.isStopped(runIndex) { take(search(for: account, active.shard), active, runIndex) }
            if runs.isStopped(runIndex) { awaiting[runIndex] = nil }
        }
        act()
        if !awaiting.isEmpty { scheduleTick() }
    }

    /// Continues a run on these connections, or without any.
    private func take(_ search: SenderSearch, _ active: ActiveRun, _ runIndex: Int) {
        goWithout(search, active, runIndex)
        guard let next = search.found else { return }
        active.move(to: next)
        next.begin(isProbe: runs.isProving(runIndex))
        if runs.hasWork(runIndex) { next.add(runIndex) }
    }

    /// Replaces these connections after the provider token has changed.
    func renew(_ sender: EndpointSender) {
        guard let key = endpoints.first(where: { $0.value === sender })?.key else { return }
        endpoints[key] = nil
        move(sender, to: sender.account)
    }

    /// Takes a reload of the apps file over: new requests use the new credentials, an account that is gone makes none,
    /// and open streams end where they are.
    func take(_ reading: AppDirectory.Reading) {
        for replacement in reading.replacements { move(from: replacement.old, to: replacement.new) }
        for account in reading.gone { move(from: account, to: account) }
    }

    private func move(from old: LoadedAccount, to account: LoadedAccount) {
        for (key, sender) in endpoints where sender.account === old {
            endpoints[key] = nil
            move(sender, to: account)
        }
    }

    /// Moves runs to the account's present credential; the old connections close after the last answer.
    private func move(_ old: EndpointSender, to account: LoadedAccount) {
        for runIndex in runs.sendingIndexes {
            guard let active = active(runIndex), active.sender === old else { continue }
            let search = search(for: account, active.shard)
            guard let next = search.found else {
                active.wait(with: account)
                goWithout(search, active, runIndex)
                continue
            }
            active.move(to: next)
            if runs.isProving(runIndex) { next.begin(isProbe: true) }
            if runs.hasWork(runIndex) { next.add(runIndex) }
        }
        retire(old)
        act()
    }

    /// Lets a sender finish its pending requests.
    func retire(_ sender: EndpointSender) {
        retiring.append(sender)
        let pool = sender.pool
        sender.retire { [self] in
            retiring.removeAll { $0 === sender }
            ended[sender.account.key, default: ProviderMetrics()].count(pool)
            finishIfClosed()
        }
    }

    func finishIfClosed() {
        guard retiring.isEmpty, let closed else { return }
        self.closed = nil
        closed()
    }
}
