public import Campaigns

/// The stages of a campaign that the ledger stores; `paused` is a stage with reasons on top of it, not one of its own.
public enum CampaignStage: String, Sendable, CaseIterable {
    /// Its id belongs to a job that was refused.
    case refused
    /// Its audience is being materialised into a list; how many they are is known afterwards.
    case planning
    /// Accepted, not due.
    case scheduled
    /// Prepared, and not fired.
    case held
    /// Shards are being cut.
    case sending
    /// Every device has its outcome.
    case completed
    /// An operator stopped it.
    case cancelled
    /// Nothing more can be sent.
    case failed

    /// Whether devices may still be sent to.
    public var isLive: Bool {
        switch self {
        case .planning, .scheduled, .held, .sending: true
        case .refused, .completed, .cancelled, .failed: false
        }
    }
}

/// What a claim, a planner and a poll need to know of a campaign.
public struct CampaignFacts: Sendable, Equatable {
    /// The number in the ledger.
    public var number: UInt32
    /// The app.
    public var app: String
    /// The id in its app.
    public var id: String
    /// Where it stands.
    public var stage: CampaignStage
    /// Why it is paused, each reason to be taken away by itself; the breaker is not among them.
    public var pausedBy: Set<AsideReason>
    /// Before this instant no request is made; nil when it may begin at once.
    public var sendAt: Timestamp?
    /// After this instant no request is made.
    public var expiresAt: Timestamp
    /// The breaker of its app and provider.
    public var breaker: Breaker.Gate
    /// Whether the wrong-environment guard has let it go: tokens that are called wrong are believed to be.
    public var isGuardPassed: Bool
    /// Whether all its shards are cut.
    public var isPlanned: Bool
    /// Whether an operator has paused its app, provider or urgency.
    public var isSuspended: Bool
    /// The campaign's own rate; nil when it has none.
    public var pace: Pace?
    /// The campaign that took its place.
    public var supersededBy: UInt32?
    /// Whether it waits for no older campaign that it supersedes.
    public var isReleased: Bool
    /// How often an operator gave it another end: what was published before has the end of then.
    public var endChanges: UInt32
    /// How often its content was found to be refused (`ContentGuard.tripsMax`).
    public var contentTrips: Int
    /// Whether its parts have quiet hours.
    public var hasQuietHours: Bool
    /// Whether it is repeated: never sent itself, `sendAt` is when its next run is made.
    public var isRepeated: Bool
    /// Whether it has devices of several providers: then pauses, breakers and guards are each provider's own.
    public var hasShares: Bool
    /// The provider whose devices these facts are about; nil when they are about the whole campaign.
    public var share: ProviderName?
    /// What its app wants to be told of each shard.
    public var askedEvents: AskedEvents
    /// Whether its message is fetched by the app: it has no shards, and lives until it is ended.
    public var isInApp: Bool
    /// As what it was marked to be over, which no clock and no later order takes back; nil while it is not.
    public var endedAs: Outcome?

    /// Facts of a campaign.
    public init(
        number: UInt32,
        app: String,
        id: String,
        stage: CampaignStage,
        pausedBy: Set<AsideReason>,
        sendAt: Timestamp? = nil,
        expiresAt: Timestamp,
        breaker: Breaker.Gate = .closed(since: nil),
        isGuardPassed: Bool = false,
        isPlanned: Bool = false,
        isSuspended: Bool = false,
        pace: Pace? = nil,
        supersededBy: UInt32? = nil,
        isReleased: Bool = true,
        endChanges: UInt32 = 0,
        contentTrips: Int = 0,
        hasQuietHours: Bool = false,
        isRepeated: Bool = false,
        hasShares: Bool = false,
        share: ProviderName? = nil,
        askedEvents: AskedEvents = [],
        isInApp: Bool = false,
        endedAs: Outcome? = nil
    ) {
        self.number = number
        self.app = app
        self.id = id
        self.stage = stage
        self.pausedBy = pausedBy
        self.sendAt = sendAt
        self.expiresAt = expiresAt
        self.breaker = breaker
        self.isGuardPassed = isGuardPassed
        self.isPlanned = isPlanned
        self.isSuspended = isSuspended
        self.pace = pace
        self.supersededBy = supersededBy
        self.isReleased = isReleased
        self.endChanges = endChanges
        self.contentTrips = contentTrips
        self.hasQuietHours = hasQuietHours
        self.isRepeated = isRepeated
        self.hasShares = hasShares
        self.share = share
        self.askedEvents = askedEvents
        self.isInApp = isInApp
        self.endedAs = endedAs
    }

    /// What the rest of the campaign ends as, when nothing more may be sent; nil while it may.
    public func ending(at now: Timestamp) -> Outcome? {
        if let endedAs { return endedAs }
        return switch stage {
        case .cancelled: .cancelled
        case .failed, .refused: .failed
        case .planning, .scheduled, .held, .sending, .completed:
            supersededBy != nil ? .superseded : now >= expiresAt ? .expired : nil
        }
    }

    /// Whether its time has come: it is fired, if it was held, and its instant has passed.
    public func isDue(at now: Timestamp) -> Bool {
        stage != .held && sendAt.map { $0 <= now } ?? true
    }

    /// Whether a run of it is to be made, or passed over.
    public func isRunDue(at now: Timestamp) -> Bool {
        isRepeated && stage.isLive && sendAt.map { $0 <= now } ?? false
    }

    /// Why it is paused, an open breaker and what is paused beyond it included.
    public var pauseReasons: Set<AsideReason> {
        var reasons = pausedBy
        if breaker.isOpen { reasons.insert(.breaker) }
        if isSuspended { reasons.insert(.suspended) }
        return reasons
    }

    /// Why its shards wait; nil when they do not.
    ///
    /// The breaker's probe does not: `asideReason(of:)`.
    public var asideReason: AsideReason? {
        pauseReason ?? (breaker.isOpen ? .breaker : nil)
    }

    /// Why this shard waits; nil when it does not.
    public func asideReason(of key: ShardKey) -> AsideReason? {
        breaker.isProbe(key) ? pauseReason : asideReason
    }

    private var pauseReason: AsideReason? {
        if stage == .held { return .held }
        return isSuspended ? .suspended : AsideReason.allCases.first { pausedBy.contains($0) }
    }
}
