import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import TLS
import Transport

/// An app's account with a provider, its files read: what requests and connections are made from.
///
/// Immutable; shared by all loops.
final class LoadedAccount: Sendable {
    /// The app.
    let app: String
    /// What the provider makes of the settings.
    let account: any ProviderAccount
    private let tls: TLSClientContext
    private let token: ProviderTokenHolder?

    init(app: String, account: any ProviderAccount, tls: TLSClientContext, token: ProviderTokenHolder?) {
        self.app = app
        self.account = account
        self.tls = tls
        self.token = token
    }

    /// Everything of a shard's requests that is alike, with the token of this instant; `generation` names the token.
    ///
    /// nil when there is no provider token now.
    func requests(for facts: Shard.Facts, now: Timestamp) -> (requests: PreparedRequests, generation: UInt32)? {
        guard let token else { return (account.requests(for: facts, authorization: nil), 0) }
        return token.token(now: now).map {
            (account.requests(for: facts, authorization: $0.authorization), $0.generation)
        }
    }

    /// Whether requests can be made now.
    func canSend(now: Timestamp) -> Bool {
        token == nil || token?.token(now: now) != nil
    }

    /// What an answer says about the credential.
    func apply(_ step: AnswerRule.CredentialStep, generation: UInt32, now: Timestamp, logger: Logger) {
        switch step {
        case .keep: break
        case .renew:
            guard token?.expired(generation: generation, now: now) == false else { return }
            logger.error(
                "a new provider token is called expired: is this machine's clock wrong?",
                metadata: ["app": "\(app)"]
            )
        case .stopRenewing: token?.tooManyUpdates(now: now)
        }
    }

    /// Connections of one loop to one endpoint; `isApart`: a single one.
    func pool(
        endpoint: ProviderEndpoint,
        loop: any EventLoop,
        isApart: Bool,
        logger: Logger,
        source: any RequestSource
    ) -> ProviderPool {
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.oneStreamUntilAuthenticated = token != nil
        if isApart { configuration.connections.connectionsMax = 1 }
        configuration.streamDeadline = account.provider.limits.streamDeadline
        return ProviderPool(
            loop: loop,
            endpoint: HTTP2Endpoint(host: endpoint.host, port: Int(endpoint.port)),
            tls: tls,
            configuration: configuration,
            source: source,
            logger: logger
        )
    }
}
