public import Campaigns
public import Delivery

/// The data of `campaign status`, counted from the ledger in one read transaction.
public struct CampaignStatus: Sendable, Equatable {
    /// The number in the ledger.
    public var number: UInt32
    /// The id in its app.
    public var id: String
    /// The app.
    public var app: String
    /// The campaign's kind, in the contract's word.
    public var kind = CampaignKind.notification.rawValue
    /// True if the campaign sends pushes; apps learn of other campaigns when a session starts.
    public var sendsPushes = true
    /// The campaign's name, for people.
    public var name: String?
    /// The campaign's tags, for people.
    public var tags: [String]
    /// The campaign's metadata by name, for people.
    public var metadata: [String: String]
    /// The stage in the ledger.
    public var stage: CampaignStage
    /// The reasons to pause, including an open breaker.
    public var pausedBy: Set<AsideReason>
    /// The facts that tell why it is in its state.
    public var stateFacts: StateFacts
    /// The lane; without a provider for a campaign of several.
    public var lane: Lane
    /// The devices by provider, in order of the providers' names; empty until the audience is known.
    public var providers: [ProviderStatus] = []
    /// All devices of the audience, including duplicates; those so far, while it is being frozen.
    public var audience: Int
    /// True while the audience is being frozen: more devices may come.
    public var isPlanning = false
    /// The estimate of the whole audience while it is frozen and sent at once; nil otherwise.
    public var estimate: AudienceEstimate?
    /// About how many devices of the audience were never looked at, because the campaign ended before; nil if all were.
    public var unexamined: Int?
    /// Devices by outcome.
    public var counts: OutcomeCounts
    /// Devices without an outcome, by their present place in the flow.
    public var pending: PendingDevices
    /// The known requests: a lower bound once a run has ended without a report.
    public var attempts: Int
    /// Devices that such runs may also have sent to, kept for good: the most requests that `attempts` may lack.
    public var maybeSent: Int
    /// Devices that were sent to again because no answer had come.
    public var unknownResent: Int
    /// Outcomes by reason.
    public var reasons: [String: Int]
    /// Devices that wait for another try, by the reason of their last one.
    public var retryReasons: [String: Int] = [:]
    /// The instant at which the next retry shard is due; nil if none waits.
    public var nextRetryAt: Timestamp?
    /// The producer's instant of creation.
    public var createdAt: Timestamp
    /// The instant of acceptance.
    public var acceptedAt: Timestamp
    /// The instant at which the first shard was cut.
    public var startedAt: Timestamp?
    /// The instant at which the last device got its outcome.
    public var completedAt: Timestamp?
    /// The id of the campaign that superseded this one.
    public var supersededBy: String?
    /// The end; no request is made after this instant.
    public var expiresAt: Timestamp
    /// A part for each time zone and provider, in order of release; empty if all devices share instants and provider.
    public var parts: [PartStatus]
    /// Devices that wait for another try, by rung.
    public var retries: [Rung: Int]
    /// The repetition with its runs; nil for a campaign that is sent.
    public var repetition: RepeatStatus?
    /// The id of the repeated campaign that this campaign is a run of.
    public var runOf: String?
    /// The verdict of the law: every device is accounted for, or not.
    public var law: Law

    /// The law of section 7: audience = outcomes + pending, where pending is counted, never the difference.
    public enum Law: Sendable, Equatable {
        /// Every device is accounted for, once.
        case holds
        /// The counts do not add up; the text has them. Raise an alarm.
        case violated(String)
    }

    /// The reasons why all pending devices wait, if the devices of each provider do.
    var commonReasons: Set<AsideReason> {
        let waiting = providers.filter { $0.pending.total > 0 }
        guard waiting.allSatisfy({ !$0.pausedBy.isEmpty }) else { return [] }
        return waiting.reduce(into: []) { $0.formUnion($1.pausedBy) }
    }

    /// The state in the contract's words.
    public var state: String { stage.word(pausedBy: pausedBy) }

    /// The reasons for the state; empty if there is nothing to say.
    public var stateReasons: [StateReason] { StateReason.all(of: stateFacts) }

    /// The same for people.
    public var stateReason: String? { StateReason.text(stateReasons) }
}

/// A line of `campaign list`.
public struct CampaignSummary: Sendable, Equatable {
    /// The campaign's facts.
    public var facts: CampaignFacts
    /// The campaign's name, for people.
    public var name: String?
    /// All devices of the audience.
    public var audience: Int
    /// The instant of acceptance.
    public var acceptedAt: Timestamp
    /// The instant at which the last device got its outcome.
    public var completedAt: Timestamp?
    /// The campaign's kind, in the contract's word.
    public var kind = CampaignKind.notification.rawValue

    /// The state in the contract's words.
    public var state: String { facts.stateWord }
}
