import Campaigns
import PushProviders
import Testing

/// What the conformance suite needs to know of a provider besides what it says itself: one for each of the registry.
struct ProviderSpecimen: Sendable, CustomTestStringConvertible {
    /// The provider.
    var provider: any PushProvider
    /// An app's block with nothing but what must be there.
    var settings: [String: String]
    /// The files that the block names.
    var files: [String: [UInt8]]
    /// Texts that no summary may have.
    var secrets: [String]
    /// A token as an app's developer has it, and one that is none.
    var token: String
    var brokenToken: String
    /// Every error that the provider documents, with what it comes to.
    var errors: [DocumentedError]
    /// The status that means that the push was taken.
    var success: Int
    /// Whether somebody else than the operator says who answers: then no answer counts against the campaign.
    var isAnsweredByStrangers = false

    var testDescription: String { provider.name.rawValue }

    /// An answer as the provider's documentation has it.
    struct DocumentedError: Sendable {
        var status: Int
        var body: String
        var kind: AnswerClass
        /// What the ledger keeps as the reason.
        var reason: String
    }

    /// The app's account.
    func account(_ more: [String: String] = [:]) throws(SettingsRefused) -> any ProviderAccount {
        let files = files
        return try provider.account(settings.merging(more) { $1 }) { files[$0] }
    }

    /// What a planner makes of a job for this provider.
    func facts(_ job: Job, carriesMessageID: Bool = false) -> Shard.Facts {
        let push = provider.compile(job, carriesMessageID: carriesMessageID)
        return Shard.Facts(
            app: job.app,
            campaignID: job.id,
            provider: provider.name,
            environment: nil,
            urgency: .bulk,
            pushType: push.pushType,
            priority: push.priority,
            expiresAt: Fixtures.now.advanced(by: .seconds(600)),
            dropIfOffline: job.delivery.dropIfOffline,
            collapseID: push.collapseID,
            maxAttempts: 8,
            dropUnknown: false,
            payload: push.payload,
            messageIDAt: push.messageIDAt,
            personal: push.personal
        )
    }

    /// What an answer means.
    func answer(_ status: Int, _ body: [UInt8], retryAfter: String = "") -> Answer {
        let wait = Array(retryAfter.utf8)
        return provider.classify(status: status, body: body.span, retryAfter: wait.span, now: Fixtures.now)
    }
}

extension ProviderSpecimen {
    /// One for each provider that is built in; a test holds the two lists against each other.
    static let all = [apns, fcm, webPush]
}
