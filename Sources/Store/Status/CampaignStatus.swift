public import Campaigns
public import Delivery

/// Everything that `campaign status` shows, counted from the ledger in one read transaction.
public struct CampaignStatus: Sendable, Equatable {
    /// The number in the ledger.
    public var number: UInt32
    /// The id in its app.
    public var id: String
    /// The app.
    public var app: String
    /// What it is for the app, in the contract's word.
    public var kind = CampaignKind.notification.rawValue
    /// True when pushes are sent for it; of others apps are told when a session starts.
    public var sendsPushes = true
    /// For people.
    public var name: String?
    /// For people.
    public var tags: [String]
    /// For people, by name.
    public var metadata: [String: String]
    /// Where it stands in the ledger.
    public var stage: CampaignStage
    /// Why it is paused, an open breaker included.
    public var pausedBy: Set<AsideReason>
    /// Why it stands where it stands, for people; nil when there is nothing to say.
    public var stateReason: String?
    /// Its lane; without a provider for a campaign of several.
    public var lane: Lane
    /// Its devices by provider, in the order of their names; none until its audience is known.
    public var providers: [ProviderStatus] = []
    /// All devices that were meant, repeated ones too.
    public var audience: Int
    /// Devices by outcome.
    public var counts: OutcomeCounts
    /// Devices without an outcome, by where they are.
    public var pending: PendingDetail
    /// Requests that are known of: a lower bound once a run has ended without a word.
    public var attempts: Int
    /// Devices that such runs may have sent to besides, counted for good: at most so many requests are not in `attempts`.
    public var maybeSent: Int
    /// Devices that were sent to again because no answer had come.
    public var unknownResent: Int
    /// Outcomes by reason.
    public var reasons: [String: Int]
    /// When the next retry shard is due; nil when none waits.
    public var nextRetryAt: Timestamp?
    /// The producer's instant.
    public var createdAt: Timestamp
    /// When the ledger took it.
    public var acceptedAt: Timestamp
    /// When its first shard was cut.
    public var startedAt: Timestamp?
    /// When its last device got its outcome.
    public var completedAt: Timestamp?
    /// The id of the campaign that took its place.
    public var supersededBy: String?
    /// After this instant no request is made.
    public var expiresAt: Timestamp
    /// A part for each time zone and provider, in the order of their release; none when all devices have the same
    /// instants and one provider.
    public var parts: [PartStatus]
    /// Devices that wait for another try, by the rung that they wait on.
    public var retries: [Rung: Int]
    /// When it comes again, with its runs; nil for a campaign that is sent.
    public var repetition: RepeatStatus?
    /// The id of the repeated campaign that it is a run of.
    public var runOf: String?
    /// Whether all devices are accounted for.
    public var law: Law

    /// Devices without an outcome, each counted where it is.
    public struct PendingDetail: Sendable, Equatable {
        /// In chunks that are not cut yet.
        public var unplanned = 0
        /// In first-attempt shards on their way to a worker.
        public var queued = 0
        /// In shards that a worker runs, without an answer.
        public var sending = 0
        /// Waiting for another try.
        public var retrying = 0
        /// In shards that were set aside.
        public var held = 0
        /// In shards that wait for a person.
        public var parked = 0

        /// No device pending.
        public init() {}

        /// All of them.
        public var total: Int { unplanned + queued + sending + retrying + held + parked }
    }

    /// The law of section 7: audience = outcomes + pending, where pending is counted, never the difference.
    public enum Law: Sendable, Equatable {
        /// Every device is accounted for, once.
        case holds
        /// It is not so: what was counted. Raise an alarm.
        case violated(String)
    }

    /// Why all its devices wait that are pending, when those of each provider do.
    var commonReasons: Set<AsideReason> {
        let waiting = providers.filter { $0.pending.total > 0 }
        guard waiting.allSatisfy({ !$0.pausedBy.isEmpty }) else { return [] }
        return waiting.reduce(into: []) { $0.formUnion($1.pausedBy) }
    }

    /// The state in the contract's words: a live campaign with a reason to pause is `paused`.
    public var state: String {
        stage.isLive && !pausedBy.isEmpty ? "paused" : stage.rawValue
    }
}

/// A line of `campaign list`.
public struct CampaignSummary: Sendable, Equatable {
    /// What is known of it.
    public var facts: CampaignFacts
    /// For people.
    public var name: String?
    /// All devices that were meant.
    public var audience: Int
    /// When the ledger took it.
    public var acceptedAt: Timestamp
    /// When its last device got its outcome.
    public var completedAt: Timestamp?
    /// What it is for the app, in the contract's word.
    public var kind = CampaignKind.notification.rawValue

    /// The state in the contract's words.
    public var state: String {
        facts.stage.isLive && !facts.pauseReasons.isEmpty ? "paused" : facts.stage.rawValue
    }
}
