public import Campaigns

/// Web Push (RFC 8030, 8291, 8292; `push-protocols.md`, C3): each subscription names its own push service, and each message
/// is sealed for one browser.
public struct WebPushProvider: PushProvider {
    /// Seconds that services keep a message at most: four weeks are Google's limit, the shortest that is known.
    static let secondsMax: Int64 = 2_419_200

    /// The provider; it has no state.
    public init() {}

    /// `webpush`.
    public var name: ProviderName { .webpush }

    /// Subscriptions.
    public var tokens: any TokenForm { WebPushTokenForm() }

    /// A collapse id becomes a `Topic` of at most 32 characters, whatever its own length is (contract: 64).
    public var limits: ProviderLimits {
        ProviderLimits(collapseIDBytesMax: 64, storage: .seconds(Self.secondsMax), streamDeadline: .seconds(10))
    }

    /// RFC 8030 says nothing; services that want more time say `Retry-After`.
    public var firstRung: Rung { .seconds5 }

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        WebPushRules.check(job, carriesMessageID: carriesMessageID)
    }

    /// See `PushProvider`.
    ///
    /// The collapse id is the topic, and the same for all devices.
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

    /// A push service gives its own name to a message (`Location`), which is not kept; a request has none.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? { nil }

    /// See `PushProvider`; the keys are `WebPushSettings.keys`.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        WebPushAccount(settings: try WebPushSettings(settings))
    }
}
