import Campaigns
import PushProviders
import Testing

/// The conformance suite's additional facts about a provider: one specimen for each of the registry.
struct ProviderSpecimen: Sendable, CustomTestStringConvertible {
    /// The provider.
    var provider: any PushProvider
    /// An app's block with only its required keys.
    var settings: [String: String]
    /// The files that the block names.
    var files: [String: [UInt8]]
    /// Texts that no summary may contain.
    var secrets: [String]
    /// A token in the form known to an app's developer, and an invalid one.
    var token: String
    var brokenToken: String
    /// Every error that the provider documents, with its consequence.
    var errors: [DocumentedError]
    /// The status of an accepted push.
    var success: Int
    /// True if a stranger chooses the push service: then no answer counts against the campaign.
    var isAnsweredByStrangers = false
    /// True if one request reaches everyone who follows a channel: then no part of it is of one device.
    var isForChannels = false

    var testDescription: String { provider.name.rawValue }

    /// An answer in the provider's documentation.
    struct DocumentedError: Sendable {
        var status: Int
        var body: String
        var kind: AnswerClass
        /// The reason that the ledger keeps.
        var reason: String
    }

    /// Returns the app's account.
    func account(_ more: [String: String] = [:]) throws(SettingsRefused) -> any ProviderAccount {
        let files = files
        return try provider.account(settings.merging(more) { $1 }) { files[$0] }
    }

    /// Returns a planner's facts of a job for this provider.
    func facts(_ job: Job, carriesMessageID: Bool = false) -> Shard.Facts {
        let push = provider.compile(job, carriesMessageID: carriesMessageID)
        return Shard.Facts(
            push,
            of: job,
            provider: provider.name,
            expiresAt: Fixtures.now.advanced(by: .seconds(600))
        )
    }

    /// Returns a job that the provider accepts: an alert, or an update of a Live Activity for a channel.
    func job(_ change: (inout Job) -> Void = { _ in }) -> Job {
        Fixtures.job { job in
            if isForChannels {
                job.audience = .channel("derby-21")
                job.delivery.pushType = .liveactivity
                job.content.liveActivity = LiveActivity(
                    event: "update",
                    contentState: ["home": 1],
                    timestamp: 1_795_204_500
                )
            }
            change(&job)
        }
    }

    /// Returns the meaning of an answer.
    func answer(_ status: Int, _ body: [UInt8], retryAfter: String = "") -> Answer {
        let wait = Array(retryAfter.utf8)
        return provider.classify(status: status, body: body.span, retryAfter: wait.span, now: Fixtures.now)
    }
}

extension ProviderSpecimen {
    /// One specimen for each built-in provider; a test compares the two lists.
    static let all = [apns, fcm, webPush, broadcast]
}
