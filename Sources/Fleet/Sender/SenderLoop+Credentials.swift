import Campaigns
import Delivery
import PushProviders
import Transport

/// Which connections carry which credential: each provider token and each key has connections of its own.
///
/// Apple refuses a connection that sees keys of several teams or kinds, or new tokens too often, and a connection on
/// which a token expired refuses good ones, too (pushy).
extension SenderLoop {
    /// The connections for a shard with an account's present credential; nil when there is no provider token at this
    /// instant.
    ///
    /// When the token is another one than before, runs under way go over to it as well.
    func sender(for account: LoadedAccount, _ shard: Shard) -> EndpointSender? {
        sender(
            for: account,
            shard.facts.environment,
            isApart: shard.id.key.part == ShardKey.suspectPart,
            isUrgent: shard.facts.urgency == .urgent
        )
    }

    /// Has a connection open, for a campaign that may be fired at any moment.
    func warm(_ account: LoadedAccount, _ environment: PushEnvironment?, isUrgent: Bool) {
        sender(for: account, environment, isApart: false, isUrgent: isUrgent)?.pool.warm()
    }

    private func sender(
        for account: LoadedAccount,
        _ environment: PushEnvironment?,
        isApart: Bool,
        isUrgent: Bool
    ) -> EndpointSender? {
        guard let authorization = account.authorization(now: clock()) else { return nil }
        let endpoint = account.account.endpoint(environment)
        let key = EndpointKey(
            app: account.app,
            endpoint: endpoint.description,
            isApart: isApart,
            isUrgent: isUrgent
        )
        let old = endpoints[key]
        if let old, old.carries(authorization, of: account) { return old }
        let sender = EndpointSender(
            owner: self,
            account: account,
            authorization: authorization,
            endpoint: endpoint,
            isApart: isApart,
            logger: logger
        )
        endpoints[key] = sender
        if let old { move(old, to: account) }
        return sender
    }

    /// Another provider token than the one of these connections serves now.
    func renew(_ sender: EndpointSender) {
        guard let key = endpoints.first(where: { $0.value === sender })?.key else { return }
        endpoints[key] = nil
        move(sender, to: sender.account)
    }

    /// The apps file was read again: new requests use the new credentials, streams under way end where they are.
    func replace(_ replacements: [AppDirectory.Replacement]) {
        for replacement in replacements {
            for (key, sender) in endpoints where sender.account === replacement.old {
                endpoints[key] = nil
                move(sender, to: replacement.new)
            }
        }
    }

    /// Runs go on with the account's present credential; their connections close when the last answer is there.
    private func move(_ old: EndpointSender, to account: LoadedAccount) {
        for slot in slots.values {
            guard let active = runs[slot], active.sender === old else { continue }
            guard let next = sender(for: account, active.run.shard) else {
                active.run.requestStop(.setAside(.credentials))
                credentialsRefused(active, reason: "NoProviderToken")
                reportIfOver(slot)
                continue
            }
            active.move(to: next)
            if active.run.isProving { next.faults.begin(isProbe: true) }
            if active.run.hasWork { queue(slot) }
        }
        retire(old)
    }

    /// Lets a sender end what it has under way.
    func retire(_ sender: EndpointSender) {
        retiring.append(sender)
        let pool = sender.pool
        sender.retire { [self] in
            retiring.removeAll { $0 === sender }
            ended[ProviderFigures.Key(sender.account), default: ProviderFigures()].count(pool)
            finishIfClosed()
        }
    }

    func finishIfClosed() {
        guard retiring.isEmpty, let closed else { return }
        self.closed = nil
        closed()
    }
}
