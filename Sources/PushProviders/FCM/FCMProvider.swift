public import Campaigns

/// Firebase Cloud Messaging over its HTTP v1 API (`push-protocols.md`, C2): one request per device.
public struct FCMProvider: PushProvider {
    /// Google refuses a `ttl` of more than four weeks.
    static let secondsMax: Int64 = 2_419_200
    /// Bytes of a message at most ("About FCM messages": 4096 bytes, for topics 2048).
    static let messageBytesMax = 4096

    /// The provider; it has no state.
    public init() {}

    /// `fcm`.
    public var name: ProviderName { .fcm }

    /// Text without characters that need an escape.
    public var tokens: any TokenForm { FCMTokenForm() }

    /// Google keeps a push for at most 28 days; requests get 10 seconds at least (C2), 15 here (design, section 7).
    public var limits: ProviderLimits {
        ProviderLimits(
            collapseIDBytesMax: 64,
            storage: .seconds(Self.secondsMax),
            streamDeadline: .seconds(15)
        )
    }

    /// Google has `validate_only` (C2; FCM v1 reference, `projects.messages.send`).
    public var canValidate: Bool { true }

    /// No request is made again before ten seconds have passed (C2, "Scale FCM"): the ladder begins with the next rung.
    public var firstRung: Rung { .seconds30 }

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        FCMRules.check(job, carriesMessageID: carriesMessageID)
    }

    /// See `PushProvider`.
    ///
    /// Collapse key and tag are in the message, so that there is no collapse id beside it.
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

    /// Google's own ids come with the answers and are not kept; a request has none.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? { nil }

    /// See `PushProvider`; the keys are those of the contract, section 4.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        FCMAccount(settings: try FCMSettings(settings, file: file))
    }
}
