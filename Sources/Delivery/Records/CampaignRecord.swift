public import Campaigns

/// The stages of a campaign that the ledger stores; `paused` is not one of them, but a stage with reasons on top.
public enum CampaignStage: String, Sendable, CaseIterable {
    /// Its id belongs to a job that was refused.
    case refused
    /// Its audience is being materialised into a list; only then is its number of devices known.
    case planning
    /// Accepted, but not due.
    case scheduled
    /// Prepared, but not fired.
    case held
    /// Shards are being cut.
    case sending
    /// Every device has its outcome.
    case completed
    /// An operator stopped it.
    case cancelled
    /// Nothing more can be sent.
    case failed

    /// True while devices may still be sent to.
    public var isLive: Bool {
        switch self {
        case .planning, .scheduled, .held, .sending: true
        case .refused, .completed, .cancelled, .failed: false
        }
    }

    /// Returns the state in the contract's words: a live campaign with a reason to pause is `paused`.
    public func word(pausedBy reasons: Set<AsideReason>) -> String {
        isLive && !reasons.isEmpty ? "paused" : rawValue
    }
}

/// The facts about a campaign that a claim, a planner and a poll need.
public struct CampaignFacts: Sendable, Equatable {
    /// The campaign's number in the ledger.
    public var number: UInt32
    /// The app.
    public var app: String
    /// The campaign's id in its app.
    public var id: String
    /// The campaign's stage.
    public var stage: CampaignStage
    /// The reasons for its pause, each of which is removed by itself; the breaker is not among them.
    public var pausedBy: Set<AsideReason>
    /// The instant before which no request is made; nil if it may begin at once.
    public var sendAt: Timestamp?
    /// The instant after which no request is made.
    public var expiresAt: Timestamp
    /// The breaker of its app and provider.
    public var breaker: Breaker.Gate
    /// True if the wrong-environment guard has let it go: a token that is called wrong is then believed to be wrong.
    public var isGuardPassed: Bool
    /// True if all its shards are cut.
    public var isPlanned: Bool
    /// True if an operator has paused its app, provider or urgency.
    public var isSuspended: Bool
    /// The campaign's own rate; nil if it has none.
    public var pace: Pace?
    /// The campaign that superseded it.
    public var supersededBy: UInt32?
    /// True if it waits for no older campaign that it supersedes.
    public var isReleased: Bool
    /// The number of times that an operator changed its expiry; earlier messages carry the expiry of their time.
    public var endChanges: UInt32
    /// The number of times that its content was found to be refused (`ContentGuard.tripsMax`).
    public var contentTrips: Int
    /// True if its parts have quiet hours.
    public var hasQuietHours: Bool
    /// True if it is repeated: it is never sent itself, and `sendAt` is the instant at which its next run is made.
    public var isRepeated: Bool
    /// True if it has devices of several providers: then each provider has its own pauses, breakers and guards.
    public var hasShares: Bool
    /// The provider whose devices these facts are about; nil if they are about the whole campaign.
    public var share: ProviderName?
    /// The events of each shard that its app asks for.
    public var askedEvents: AskedEvents
    /// True if the app fetches its message: it has no shards, and lives until it is ended.
    public var isInApp: Bool
    /// The outcome with which it was marked as over, which no clock and no later order undoes; nil if it is not over.
    public var endedAs: Outcome?
    /// True if its audience is still being frozen, while what is frozen is sent (`AudienceFlow`).
    public var isFlowing: Bool

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
        endedAs: Outcome? = nil,
        isFlowing: Bool = false
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
        self.isFlowing = isFlowing
    }

    /// The outcome of the remaining devices if nothing more may be sent; nil while sending is allowed.
    public func ending(at now: Timestamp) -> Outcome? {
        if let endedAs { return endedAs }
        return switch stage {
        case .cancelled: .cancelled
        case .failed, .refused: .failed
        case .planning, .scheduled, .held, .sending, .completed:
            supersededBy != nil ? .superseded : now >= expiresAt ? .expired : nil
        }
    }

    /// Returns true if its time has come: it was fired, if it was held, and its instant has passed.
    public func isDue(at now: Timestamp) -> Bool {
        stage != .held && sendAt.map { $0 <= now } ?? true
    }

    /// Returns true if a run of it is to be made, or passed over.
    public func isRunDue(at now: Timestamp) -> Bool {
        isRepeated && stage.isLive && sendAt.map { $0 <= now } ?? false
    }

    /// The reasons for its pause, including an open breaker and a pause of its app, provider or urgency.
    public var pauseReasons: Set<AsideReason> {
        var reasons = pausedBy
        if breaker.isOpen { reasons.insert(.breaker) }
        if isSuspended { reasons.insert(.suspended) }
        return reasons
    }

    /// The state in the contract's words.
    public var stateWord: String { stage.word(pausedBy: pauseReasons) }

    /// The reason why its shards wait; nil if they do not.
    ///
    /// The breaker's probe is an exception: `asideReason(of:)`.
    public var asideReason: AsideReason? {
        pauseReason ?? (breaker.isOpen ? .breaker : nil)
    }

    /// The reason why this shard waits; nil if it does not.
    public func asideReason(of key: ShardKey) -> AsideReason? {
        breaker.isProbe(key) ? pauseReason : asideReason
    }

    private var pauseReason: AsideReason? {
        if stage == .held { return .held }
        return isSuspended ? .suspended : AsideReason.allCases.first { pausedBy.contains($0) }
    }
}
