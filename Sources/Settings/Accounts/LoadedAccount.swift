package import Campaigns
import Delivery
package import Logging
package import PushProviders
import Synchronization
import TLS

/// An app's account with a provider and its files: the source of requests and connections.
///
/// Immutable but for the verdict on its credential and its end; shared by all loops. A reload that changes anything of
/// it makes another one.
package final class LoadedAccount: Sendable {
    /// The app.
    package let app: String
    /// The account that the provider made from the settings.
    package let account: any ProviderAccount
    /// The fingerprint that tells this account from another reading of its settings and files.
    let fingerprint: AccountFingerprint
    /// The source of its tokens; nil with a certificate.
    let token: CredentialHolder?
    /// The keys that sign the app's message ids; nil: its pushes carry none.
    package let messageKeys: MessageKeys?
    /// The end of its certificate; nil without one.
    let expiresAt: Timestamp?
    private let verdict = Mutex(CredentialVerdict())
    let tls: TLSClientContext
    private let hasToldOfMissingKey = Atomic(false)
    private let hasLeft = Atomic(false)

    init(
        app: String,
        account: any ProviderAccount,
        fingerprint: AccountFingerprint,
        tls: TLSClientContext,
        token: CredentialHolder?,
        expiresAt: Timestamp?,
        messageKeys: MessageKeys?
    ) {
        self.app = app
        self.account = account
        self.fingerprint = fingerprint
        self.tls = tls
        self.token = token
        self.expiresAt = expiresAt
        self.messageKeys = messageKeys
    }

    /// True once a reload has found it gone from the apps file: it makes no more requests, and waits for their answers.
    package var isGone: Bool { hasLeft.load(ordering: .relaxed) }

    /// Ends its requests, for good.
    func leave() { hasLeft.store(true, ordering: .relaxed) }

    /// True if it comes with another account of the app, and has no block of its own.
    package var isCompanion: Bool { !account.provider.tokens.isOfDevices }

    /// The account's name.
    package var key: AccountKey { AccountKey(app: app, provider: account.provider.name) }

    /// Returns the prepared part that all requests of a shard share.
    ///
    /// Without a key they carry no message id, even if the campaign was accepted with one: a push is worth more than
    /// the tracking of it at the edge.
    package func requests(
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

    /// Returns the credential for requests to an endpoint at this instant.
    package func supply(for endpoint: ProviderEndpoint, now: Timestamp) -> CredentialHolder.Supply {
        token?.supply(for: endpoint, now: now) ?? .ready(Authorization(generation: 0, value: nil))
    }

    /// Returns the meaning of an answer to a request with this token for the credential.
    package func judge(
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

    /// Notes that the provider refuses the credential, for a reason without secrets.
    package func refused(_ reason: String, at now: Timestamp) { verdict.withLock { $0.refused(reason, at: now) } }

    /// Notes that the provider accepts the credential.
    package func accepted(at now: Timestamp) { verdict.withLock { $0.accepted(at: now) } }

    /// The state of the credential, for the worker's report.
    var health: WorkerHealth.Credential {
        let verdict = verdict.withLock { $0 }
        var health = WorkerHealth.Credential(app: app, provider: account.provider.name)
        health.madeAt = token?.madeAt
        health.expiresAt = expiresAt
        health.acceptedAt = verdict.acceptedAt
        health.refusal = verdict.refusal.map { WorkerHealth.Fault(since: $0.since, reason: $0.reason) }
        return health
    }
}

/// The settings and files of an account in a comparable form without secrets.
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

    /// Returns true if both sign with the same key: then they share its provider token.
    func hasKey(of other: AccountFingerprint) -> Bool {
        guard case .token(let key) = credential, case .token(let otherKey) = other.credential,
            key.name == otherKey.name,
            let digest = files[key.keyFile]
        else { return false }
        return digest == other.files[otherKey.keyFile]
    }
}
