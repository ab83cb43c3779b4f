public import Campaigns

/// The facts from which `StateReason` tells why a campaign is in its state.
///
/// The ledger has all but `rate` and the queues. A caller that has measured a rate, or has asked the broker, adds what
/// it found and asks again.
public struct StateFacts: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The stage in the ledger.
    public var stage: CampaignStage
    /// True if pushes are sent for it: others have nothing that could stand.
    public var sendsPushes = true
    /// The reasons to pause, including an open breaker.
    public var pausedBy: Set<AsideReason> = []
    /// The devices without an outcome, by place.
    public var pending = PendingDevices()
    /// Those of them that wait for their turn under a rate; they are among the queued and the retrying ones.
    public var waitingForTurn = 0
    /// The held devices by the reason for which their shards are aside.
    public var held: [AsideReason: Int] = [:]
    /// The devices that wait for another try.
    public var retries = RetryWait()
    /// The campaign's own rate; nil if it has none.
    public var perSecond: Int?
    /// The upload that its audience comes with; nil if it waits for none.
    public var awaitedUpload: String?
    /// True if it waits for no older campaign that it supersedes.
    public var isReleased = true
    /// The instant at which the first of its parts may begin; nil unless all of them wait for their time.
    public var partsOpenAt: Timestamp?
    /// True if the parts wait for the end of quiet hours, false if they wait for their release.
    public var isQuiet = false
    /// The providers with devices that are pending.
    public var shares: [Share] = []
    /// True if some worker that lives has credentials of the app.
    public var isAppServed = true
    /// The end; nil while it is live.
    public var end: End?
    /// Devices per second that get an outcome; nil if nobody has measured it.
    public var rate: Int?
    /// The state of the fleet.
    public var fleet = FleetState()

    /// The facts of a campaign of which nothing is pending.
    public init(app: String, stage: CampaignStage) {
        (self.app, self.stage) = (app, stage)
    }

    /// A provider's pending devices.
    public struct Share: Sendable, Equatable {
        /// The lane.
        public var lane: Lane
        /// The reasons for which they wait.
        public var pausedBy: Set<AsideReason>
        /// True if some worker that lives has credentials of the app for the provider.
        public var isServed: Bool

        /// A share.
        public init(lane: Lane, pausedBy: Set<AsideReason> = [], isServed: Bool = true) {
            (self.lane, self.pausedBy, self.isServed) = (lane, pausedBy, isServed)
        }
    }

    /// The fleet's state, as far as a campaign depends on it.
    ///
    /// The ledger has what workers report; the queues are known to those who have asked the broker.
    public struct FleetState: Sendable, Equatable {
        /// The problems that stop every campaign (`HealthProblem.Code.stoppingAll`).
        public var problems: [HealthProblem] = []
        /// The queues that do not exist, by their names on the broker.
        public var missing: Set<String> = []
        /// The queues from which nobody takes.
        public var idle: Set<String> = []

        /// A fleet without problems.
        public init() {}
    }

    /// The end of a campaign.
    public struct End: Sendable, Equatable {
        /// The devices by outcome.
        public var counts = OutcomeCounts()
        /// The reason why nothing more could be sent; nil unless it failed.
        public var failure: String?
        /// True if it was held and never fired.
        public var isUnfired = false
        /// The operator who cancelled it; nil if nobody did.
        public var cancelledBy: String?
        /// The id of the campaign that superseded it.
        public var supersededBy: String?
        /// The instant after which nothing was sent.
        public var expiresAt: Timestamp
        /// The expired devices that were tried before, by the reason of their last try.
        public var expired: [String: Int] = [:]
        /// The reasons for which the campaign was paused when it expired.
        public var pausedBy: [String] = []

        /// An end.
        public init(expiresAt: Timestamp) {
            self.expiresAt = expiresAt
        }
    }

    /// True if nothing goes out: measured, or because no device is with a worker or on its way to one.
    var isStill: Bool {
        if let rate { return rate == 0 }
        return pending.sending == 0 && pending.queued <= waitingForTurn
    }
}
