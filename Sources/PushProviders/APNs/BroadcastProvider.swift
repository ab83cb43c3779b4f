public import Campaigns

/// Apple's broadcasts: one request to a channel updates the Live Activity of everyone who follows it
/// (`push-protocols.md`, C1.9).
///
/// A provider of its own, so that a broadcast has its own lane, connections and breaker beside the pushes to devices.
public struct BroadcastProvider: PushProvider {
    /// Creates the provider, which has no state.
    public init() {}

    /// `broadcast`.
    public var name: ProviderName { .broadcast }

    /// Apple's channel ids.
    public var tokens: any TokenForm { ChannelIDForm() }

    /// Apple stores the latest message of a channel for at most eight hours.
    public var limits: ProviderLimits {
        ProviderLimits(
            collapseIDBytesMax: APNsProvider().limits.collapseIDBytesMax,
            storage: .seconds(8 * 3600),
            streamDeadline: APNsProvider().limits.streamDeadline
        )
    }

    /// The largest payload in bytes, larger than that of a push to a device (C1.1).
    static let payloadBytesMax = 5120

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck { BroadcastRules.check(job) }

    /// Compiles a push without a message id: all followers get the same one.
    public func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush {
        var push = APNsProvider().compile(job, carriesMessageID: false)
        push.payloadBytesMax = Self.payloadBytesMax
        return push
    }

    /// Classifies an answer; a channel that Apple does not know never comes back, so it is dead from now on.
    public func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        var answer = APNsAnswers.classify(status: status, body: body, retryAfter: retryAfter, now: now)
        if answer.kind == .tokenDead(since: nil) { answer.kind = .tokenDead(since: now) }
        return answer
    }

    /// Five seconds, as with Apple's other requests.
    public var firstRung: Rung { APNsProvider().firstRung }

    /// The value of `apns-request-id`.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? {
        APNsProvider().requestID(campaign: campaign, device: device)
    }

    /// See `PushProvider`.
    public func rule(for answer: AnswerClass) -> AnswerRule { AnswerRule(for: answer, firstRung: firstRung) }

    /// See `PushProvider`; the account is of the block `apns`, where it comes as a companion.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        BroadcastAccount(settings: try APNsSettings(settings))
    }
}
