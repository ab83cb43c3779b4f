public import Campaigns

/// Apple Push Notification service over its HTTP/2 provider API (`push-protocols.md`, C1).
public struct APNsProvider: PushProvider {
    /// Creates the provider, which has no state.
    public init() {}

    /// `apns`.
    public var name: ProviderName { .apns }

    /// Tokens of hexadecimal digits.
    public var tokens: any TokenForm { APNsTokenForm() }

    /// Apple stores a push for at most 30 days; collapse ids have at most 64 bytes (C1.2).
    public var limits: ProviderLimits {
        ProviderLimits(
            collapseIDBytesMax: 64,
            storage: .seconds(30 * 86_400),
            streamDeadline: .seconds(10)
        )
    }

    /// See `PushProvider`.
    public func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        APNsRules.check(job, carriesMessageID: carriesMessageID)
    }

    /// See `PushProvider`.
    public func compile(_ job: Job, carriesMessageID: Bool) -> CompiledPush {
        CompiledPush(
            pushType: job.effectivePushType,
            priority: job.effectivePriority.number,
            collapseID: job.effectiveCollapseID,
            collapseTemplate: job.collapseTemplate ?? "",
            segments: APNsPayload.segments(job, carriesMessageID: carriesMessageID),
            payloadBytesMax: job.effectivePushType.payloadBytesMax
        )
    }

    /// See `PushProvider`.
    public func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        APNsAnswers.classify(status: status, body: body, retryAfter: retryAfter, now: now)
    }

    /// Five seconds (design, section 6).
    public var firstRung: Rung { .seconds5 }

    /// The value of `apns-id`.
    public func requestID(campaign: CampaignHash, device: UInt32) -> String? {
        RequestID.text(campaign: campaign, device: device)
    }

    /// See `PushProvider`.
    public func rule(for answer: AnswerClass) -> AnswerRule {
        AnswerRule(for: answer, firstRung: firstRung)
    }

    /// See `PushProvider`; the keys are those of the contract, section 4.
    public func account(
        _ settings: [String: String],
        file: (String) -> [UInt8]?
    ) throws(SettingsRefused) -> any ProviderAccount {
        APNsAccount(settings: try APNsSettings(settings))
    }
}
