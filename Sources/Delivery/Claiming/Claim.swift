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
    /// The epoch of a former run that was waited for in vain (`HeldDeliveries`); nil while the wait goes on, or without
    /// one.
    public var overdue: UInt32?
    /// Whether another worker's silence says that it is dead (`LedgerHearing`).
    public var judgesSilence: Bool
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
        /// Whether the campaign gives up devices without an answer; of no matter for the likeness.
        public var dropUnknown: Bool

        /// A message's own words.
        public init(_ shard: Shard) {
            app = shard.facts.app
            campaignID = shard.facts.campaignID
            positions = shard.positions
            count = shard.devices.count
            dropUnknown = shard.facts.dropUnknown
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
        overdue: UInt32? = nil,
        judgesSilence: Bool = true,
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
        self.overdue = overdue
        self.judgesSilence = judgesSilence
        self.content = content
    }

    /// From so many deaths on a shard runs alone: of all that ran there one may be what kills workers, and the others are
    /// not to die with it again.
    public static let deathsUntilAlone = 3
    /// From so many on it is parked: the last of them ran alone.
    public static let deathsUntilParked = 6

    /// The worker that a running row belongs to, as far as the ledger knows.
    public enum Owner: Equatable, Sendable {
        /// No run has the row, or the one that had it has given it up: no stream is open for it.
        case nobody
        /// It reports.
        case alive
        /// It has not reported for so long that its own row has lapsed.
        case dead
        /// It has taken its row away: it was stopped, and that is no death of a shard's doing.
        case left
    }

    /// Whose a row is, in the light of what silence means now.
    ///
    /// A ledger that nobody could reach for ten seconds makes all workers look dead; each of them may still have streams
    /// open, and reports within seconds.
    public func believed(_ owner: Owner) -> Owner {
        owner == .dead && !judgesSilence ? .alive : owner
    }

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
        /// Nothing: the former run may have streams open at a worker that lives, and another epoch would refuse the very
        /// answers that make a repeat needless. Hold the delivery, unacked, and ask again (`HeldDeliveries`).
        case waits
        /// Raise the epoch, write the owner; send.
        case run
    }

    /// The claim table of section 7.
    ///
    /// A shard that this very process still runs, and nobody claimed since, is `run` whatever became of its campaign:
    /// the epoch that this raises to is one above `adopting`, by which `RunningShards` knows that the run goes on
    /// (and it learns of a pause or a cancel by its poll, with no answer lost).
    ///
    /// `owner` is whose the row is, `deaths` how many workers have died with it before (`deaths(_:owner:)` adds the one
    /// that this claim finds); `isQuiet` is whether the time zone of its devices has quiet hours, which goes for a
    /// breaker's probe too.
    public func decide(
        shard: ShardRecord?,
        campaign: CampaignFacts?,
        owner: Owner = .nobody,
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
        if isAdopting(shard) { return .run }
        if owner == .alive, isElsewhere(shard), overdue != shard.epoch { return .waits }
        if let outcome = campaign.ending(at: now) { return .end(outcome) }
        if let reason = campaign.asideReason(of: key) { return .setAside(reason) }
        if isQuiet { return .setAside(.quiet) }
        if !knowsApp { return .setAside(.app) }
        if needsTurn(shard, campaign) { return .setAside(.rate) }
        let deaths = Self.deaths(deaths, owner: owner)
        if deaths >= Self.deathsUntilParked { return .quarantine(reason: "WorkerDied") }
        if deaths >= Self.deathsUntilAlone, !isAlone { return .runAlone }
        return .run
    }

    /// How many workers have died with a shard, the one that this claim finds included.
    ///
    /// Only what is known counts: a run that was given up, a worker that was stopped or one that lives is none.
    public static func deaths(_ before: Int, owner: Owner) -> Int {
        owner == .dead ? before + 1 : before
    }

    /// Whether the row is a run's of this very process, which goes on; one that it gave up does not.
    public func isAdopting(_ shard: ShardRecord) -> Bool {
        shard.state == .running && shard.epoch == adopting && shard.owner == worker
    }

    /// Devices that a run which this claim ends may have sent to without an answer in the ledger, so that they may get a
    /// second push or have had one that nobody counted.
    ///
    /// The upper bound, because a run says where it stands only with its answers: all of its devices without one. With
    /// `dropUnknown` those before the started mark, which is durable before a stream opens; they are not sent to again.
    public func mayBeSent(_ shard: ShardRecord, owner: Owner, now: Timestamp) -> Int {
        guard owner != .nobody, !isAdopting(shard), shard.state == .running else { return 0 }
        // A dead worker has opened no stream before the slot; one that lives may still do so.
        if owner != .alive, shard.isBefore(itsSlot: now) { return 0 }
        guard content?.dropUnknown == true else { return shard.progress.pendingCount }
        return shard.progress.codes.prefix(shard.progress.started).count { $0 == 0 }
    }

    /// True while another process has a run of the shard whose streams are open or may still be opened.
    ///
    /// A slot that has not begun changes nothing: the other process may hold a copy of the message without knowing that
    /// the shard was taken from it. A row of this process that is not adopted has no run here any more.
    private func isElsewhere(_ shard: ShardRecord) -> Bool { shard.state == .running && shard.owner != worker }

    /// Whether a shard that was published without a slot has to get one: it is under a limit meanwhile.
    ///
    /// The probe of a breaker goes at once.
    private func needsTurn(_ shard: ShardRecord, _ campaign: CampaignFacts) -> Bool {
        shard.slot == nil && (isPaced || campaign.pace != nil) && !campaign.breaker.isProbe(key)
    }
}

extension ShardRecord {
    /// Whether its slot has not begun: nobody opens a stream for it before.
    fileprivate func isBefore(itsSlot now: Timestamp) -> Bool {
        slot.map { $0.begins > now.milliseconds * 1_000 } ?? false
    }
}

extension Claim.Decision {
    /// Whether it takes the row from the run that has it, if one has.
    public var endsFormerRun: Bool {
        switch self {
        case .end, .setAside, .quarantine, .run: true
        case .park, .settledAlready, .drop, .runAlone, .waits: false
        }
    }
}
