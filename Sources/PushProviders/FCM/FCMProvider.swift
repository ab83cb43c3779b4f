public import Campaigns

/// Firebase Cloud Messaging over its HTTP v1 API (`push-protocols.md`, C2): one request per device.
public struct FCMProvider: PushProvider {
    /// The longest `ttl` that Google accepts: four weeks, in seconds.
    static let secondsMax: Int64 = 2_419_200
    /// The largest message in bytes ("About FCM messages": 4096 bytes, for topics 2048).
    static let messageBytesMax = 4096

    /// Creates the provider, which has no state.
    public init() {}

    /// `fcm`.
    public var name: ProviderName { .fcm }

    /// Tokens of characters that need no escape.
    public var tokens: any TokenForm { FCMTokenForm() }

    /// Google stores a push for at most 28 days; requests get at least 10 seconds (C2), 15 here (design, section 7).
    public var limits: ProviderLimits {
        ProviderLimits(
            collapseIDBytesMax: 64,
            storage: .seconds(Self.secondsMax),
            streamDeadline: .seconds(15)
        )
    }

    /// True: Google has `validate_only` (C2; FCM v1 reference, `projects.messages.send`).
    public var canValidate: Bool { true }

    /// The first rung of 30 seconds, because no request may be repeated within ten seconds (C2, "Scale FCM").
    public var firstRung: Rung { .seconds30 }

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        FCMRules.check(job, carriesMessageID: carriesMessageID)
    }

    /// See `PushProvider`.
    ///
    /// The message contains collapse key and tag, so there is no separate collapse id.
    public func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush {
        CompiledPush(
            pushType: job.effectivePushType,
            priority: job.effectivePriority.number,
            collapseID: "",
            segments: FCMMessage.segments(job, carriesMessageID: carriesMessageID),
            payloadBytesMax: Self.messageBytesMax
        )
    }

    /// See `PushProvider`.
    public func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        FCMAnswers.classify(status: status, body: body, retryAfter: retryAfter, now: now)
    }

    /// See `PushProvider`.
    public func rule(for answer: AnswerClass) -> AnswerRule {
        FCMAnswers.rule(for: answer, firstRung: firstRung)
    }

    /// Nil: requests carry no id; Google's own ids come with the answers and are not stored.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? { nil }

    /// See `PushProvider`; the keys are those of the contract, section 4.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        FCMAccount(settings: try FCMSettings(settings, file: file))
    }
}
