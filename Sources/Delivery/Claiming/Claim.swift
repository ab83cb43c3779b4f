public import Campaigns

/// A worker's request to run a shard that was delivered to it.
public struct Claim: Sendable, Equatable {
    /// The shard.
    public var key: ShardKey
    /// The generation of the message.
    public var generation: UInt32
    /// Whether the broker had delivered the message before: true after a connection or the broker was lost, false on
    /// a first delivery, also after a rung (tested on our version).
    public var redelivered: Bool
    /// The worker process.
    public var worker: Int64
    /// Whether the worker has credentials of the app.
    public var knowsApp: Bool
    /// The epoch of the run that this very process still has of the shard, whose delivery was lost; nil without one
    /// (`RunningShards`).
    public var adopting: UInt32?
    /// Whether the app has a rate of its own here, or the provider a quota that the shard waits for.
    public var isPaced: Bool
    /// Whether nothing else runs in the process, so that a crash is this shard's.
    public var isAlone: Bool
    /// What the message says of itself; nil when the shard was made from the row.
    public var content: Content?

    /// What must be alike in a message and in the row of its key.
    ///
    /// Numbers of campaigns come again when a ledger is restored from a backup, so the broker may have a message of
    /// another campaign, which is not to be sent as this one.
    public struct Content: Sendable, Equatable {
        /// The app.
        public var app: String
        /// The campaign's id in its app.
        public var campaignID: String
        /// The devices' positions in the chunk; empty: all of it.
        public var positions: [UInt16]
        /// How many devices.
        public var count: Int

        /// A message's own words.
        public init(_ shard: Shard) {
            app = shard.facts.app
            campaignID = shard.facts.campaignID
            positions = shard.positions
            count = shard.devices.count
        }

        func fits(_ record: ShardRecord, _ campaign: CampaignFacts) -> Bool {
            app == campaign.app && campaignID == campaign.id && count == record.count && positions == record.positions
        }
    }

    /// A claim.
    public init(
        key: ShardKey,
        generation: UInt32,
        redelivered: Bool,
        worker: Int64,
        knowsApp: Bool,
        adopting: UInt32? = nil,
        isPaced: Bool = false,
        isAlone: Bool = false,
        content: Content? = nil
    ) {
        self.key = key
        self.generation = generation
        self.redelivered = redelivered
        self.worker = worker
        self.knowsApp = knowsApp
        self.adopting = adopting
        self.isPaced = isPaced
        self.isAlone = isAlone
        self.content = content
    }

    /// From so many claims on that ended with their worker a shard runs alone: of all that ran there one may be what
    /// kills workers, and the others are not to die with it again.
    public static let deathsUntilAlone = 3
    /// From so many on it is parked: the last of them ran alone.
    public static let deathsUntilParked = 6

    /// What the ledger does with a claim, in its one transaction, and the worker afterwards.
    public enum Decision: Equatable, Sendable {
        /// Park the message with this reason, confirmed; ack.
        case park(reason: String)
        /// Publish what is left of its outbox; ack.
        case settledAlready
        /// A superseded or second copy: ack.
        case drop
        /// Settle what has no outcome with this one; ack.
        case end(Outcome)
        /// Save, raise generation and epoch, mark `aside`; ack.
        case setAside(AsideReason)
        /// Mark the row `parked`, park the message with this reason, confirmed; ack.
        case quarantine(reason: String)
        /// Nothing yet: claim it again when nothing else runs in the process (`isAlone`).
        case runAlone
        /// Raise the epoch, write the owner; send.
        case run
    }

    /// The claim table of section 7.
    ///
    /// A shard that this very process still runs, and nobody claimed since, is `run` whatever became of its campaign:
    /// the epoch that this raises to is one above `adopting`, by which `RunningShards` knows that the run goes on
    /// (and it learns of a pause or a cancel by its poll, with no answer lost).
    ///
    /// `deaths` are the claims of the row that ended neither settled nor set aside nor by a lost lease; `isQuiet` is
    /// whether the time zone of its devices has quiet hours, which goes for a breaker's probe too.
    public func decide(
        shard: ShardRecord?,
        campaign: CampaignFacts?,
        deaths: Int = 0,
        isQuiet: Bool = false,
        now: Timestamp
    ) -> Decision {
        guard let shard, let campaign, content?.fits(shard, campaign) ?? true else {
            return .park(reason: "UnknownCampaign")
        }
        if shard.state == .settled { return .settledAlready }
        if generation < shard.generation { return .drop }
        if generation > shard.generation { return .park(reason: "UnknownGeneration") }
        if shard.state == .aside || shard.state == .parked { return .drop }
        if shard.state == .running && !redelivered { return .drop }
        if shard.state == .running, shard.epoch == adopting { return .run }
        if let outcome = campaign.ending(at: now) { return .end(outcome) }
        if let reason = campaign.asideReason(of: key) { return .setAside(reason) }
        if isQuiet { return .setAside(.quiet) }
        if !knowsApp { return .setAside(.app) }
        if needsTurn(shard, campaign) { return .setAside(.rate) }
        if deaths >= Self.deathsUntilParked { return .quarantine(reason: "WorkerDied") }
        if deaths >= Self.deathsUntilAlone, !isAlone { return .runAlone }
        return .run
    }
    /// Whether a shard that was published without a slot has to get one: it is under a limit meanwhile.
    ///
    /// The probe of a breaker goes at once.
    private func needsTurn(_ shard: ShardRecord, _ campaign: CampaignFacts) -> Bool {
        shard.slot == nil && (isPaced || campaign.pace != nil) && !campaign.breaker.isProbe(key)
    }
}
