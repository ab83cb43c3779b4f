import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Synchronization
import TLS
import Transport

/// An app's account with a provider, its files read: what requests and connections are made from.
///
/// Immutable; shared by all loops. A reload that changes anything of it makes another one.
final class LoadedAccount: Sendable {
    /// The app.
    let app: String
    /// What the provider makes of the settings.
    let account: any ProviderAccount
    /// What tells this account from one of another reading of its settings and files.
    let fingerprint: AccountFingerprint
    /// What makes its tokens; nil with a certificate.
    let token: CredentialHolder?
    /// What message ids of the app are signed with; nil: its pushes carry none.
    let messageKeys: MessageKeys?
    private let tls: TLSClientContext
    private let hasToldOfMissingKey = Atomic(false)

    init(
        app: String,
        account: any ProviderAccount,
        fingerprint: AccountFingerprint,
        tls: TLSClientContext,
        token: CredentialHolder?,
        messageKeys: MessageKeys?
    ) {
        self.app = app
        self.account = account
        self.fingerprint = fingerprint
        self.tls = tls
        self.token = token
        self.messageKeys = messageKeys
    }

    /// Everything of a shard's requests that is alike.
    ///
    /// Without a key there is no message id in them, whatever the campaign was accepted with: a push is worth more than
    /// what the edge learns of it.
    func requests(
        for facts: Shard.Facts,
        _ authorization: Authorization,
        now: Timestamp,
        logger: Logger
    ) -> PreparedRequests {
        let lacksKey = facts.messageIDAt != nil && messageKeys == nil
        if lacksKey, !hasToldOfMissingKey.exchange(true, ordering: .relaxed) {
            logger.warning(
                "the app has no edge.message_key_file here; pushes that should carry a message id go without",
                metadata: ["app": "\(app)", "campaign": "\(facts.campaignID)"]
            )
        }
        return account.requests(
            for: lacksKey ? facts.withoutMessageID() : facts,
            authorization: authorization.value,
            now: now
        )
    }

    /// What requests to an endpoint are made with at this instant.
    func supply(for endpoint: ProviderEndpoint, now: Timestamp) -> CredentialHolder.Supply {
        token?.supply(for: endpoint, now: now) ?? .ready(Authorization(generation: 0, value: nil))
    }

    /// What an answer to a request with this token means for the credential.
    func judge(
        _ step: AnswerRule.CredentialStep,
        generation: UInt32,
        at endpoint: ProviderEndpoint,
        skew: ClockSkew?,
        now: Timestamp
    ) -> CredentialFinding {
        guard let token else { return .nothing }
        switch step {
        case .keep: return .nothing
        case .renew:
            if token.refused(generation: generation, at: endpoint, now: now) { return .replaced }
            return .refused(ClockSkew.diagnosis(skew))
        case .stopRenewing:
            return token.tooManyUpdates(generation: generation, at: endpoint, now: now) ? .replaced : .nothing
        }
    }

    /// Connections of one loop to one endpoint; `isApart`: a single one.
    func pool(
        endpoint: ProviderEndpoint,
        loop: any EventLoop,
        isApart: Bool = false,
        logger: Logger,
        source: any RequestSource
    ) -> ProviderPool {
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.oneStreamUntilAuthenticated = token != nil
        if isApart { configuration.connections.connectionsMax = 1 }
        configuration.reach = account.reachesGlobalAddressesOnly ? .global : .any
        configuration.streamDeadline = account.provider.limits.streamDeadline
        // Whoever leaves its connections waits for every answer that may still come.
        configuration.drainDeadline = configuration.streamDeadline + .seconds(1)
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

/// Settings and files of an account as far as they can be compared, without any secret.
struct AccountFingerprint: Hashable, Sendable {
    private let credential: AccountCredential
    private let settings: [String: String]
    private let files: [String: [UInt8]]
    private let messageKeys: [UInt8]?

    init(_ configuration: AccountConfiguration, messageKeys: MessageKeys?) {
        self.messageKeys = messageKeys?.digest
        credential = configuration.account.credential
        settings = Dictionary(configuration.account.summary.map { ($0.name, $0.value) }) { first, _ in first }
        files = configuration.files.mapValues { SHA256.digest($0.bytes) }
    }

    /// Whether both sign with the same key: then they share its provider token.
    func hasKey(of other: AccountFingerprint) -> Bool {
        guard case .token(let key) = credential, case .token(let otherKey) = other.credential,
            key.name == otherKey.name,
            let digest = files[key.keyFile]
        else { return false }
        return digest == other.files[otherKey.keyFile]
    }
}
