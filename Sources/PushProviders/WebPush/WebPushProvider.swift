public import Campaigns

/// Web Push (RFC 8030, 8291, 8292; `push-protocols.md`, C3).
///
/// Each subscription names its own push service, and each message is encrypted for one browser.
public struct WebPushProvider: PushProvider {
    /// The longest time in seconds that services store a message: Google's limit of four weeks, the shortest known.
    static let secondsMax: Int64 = 2_419_200

    /// Creates the provider, which has no state.
    public init() {}

    /// `webpush`.
    public var name: ProviderName { .webpush }

    /// Subscriptions as tokens.
    public var tokens: any TokenForm { WebPushTokenForm() }

    /// A collapse id becomes a `Topic` of at most 32 characters, whatever its own length (contract: 64).
    public var limits: ProviderLimits {
        ProviderLimits(collapseIDBytesMax: 64, storage: .seconds(Self.secondsMax), streamDeadline: .seconds(10))
    }

    /// Five seconds: RFC 8030 names no wait, and services that want a longer one send `Retry-After`.
    public var firstRung: Rung { .seconds5 }

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        WebPushRules.check(job, carriesMessageID: carriesMessageID)
    }

    /// See `PushProvider`.
    ///
    /// The collapse id becomes the topic, which is the same for all devices.
    public func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush {
        CompiledPush(
            pushType: job.effectivePushType,
            priority: job.effectivePriority.number,
            collapseID: WebPushTopic.text(collapseID: job.effectiveCollapseID),
            segments: WebPushPayload.segments(job, carriesMessageID: carriesMessageID),
            payloadBytesMax: WebPushRules.payloadBytesMax
        )
    }

    /// See `PushProvider`.
    public func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        WebPushAnswers.classify(status: status, body: body, retryAfter: retryAfter, now: now)
    }

    /// See `PushProvider`.
    public func rule(for answer: AnswerClass) -> AnswerRule {
        WebPushAnswers.rule(for: answer, firstRung: firstRung)
    }

    /// Nil: requests carry no id; a push service names a message itself (`Location`), and that name is not stored.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? { nil }

    /// See `PushProvider`; the keys are `WebPushSettings.keys`.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        WebPushAccount(settings: try WebPushSettings(settings))
    }
}
