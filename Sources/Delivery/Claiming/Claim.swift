public import Campaigns

/// A worker's request to run a shard that was delivered to it.
public struct Claim: Sendable, Equatable {
    /// The shard.
    public var key: ShardKey
    /// The message's generation.
    public var generation: UInt32
    /// True if the broker has delivered the message before.
    ///
    /// It is true after a connection or the broker was lost, and false on a first delivery, also after a rung (tested
    /// on our version).
    public var redelivered: Bool
    /// The number of times that the queue has got the message back.
    public var returns: Int
    /// The worker process.
    public var worker: Int64
    /// True if the worker has credentials of the app.
    public var knowsApp: Bool
    /// The epoch of the run that this very process still has of the shard and whose delivery was lost; nil without one
    /// (`RunningShards`).
    public var adopting: UInt32?
    /// True if the app has a rate of its own here, or if the shard waits for a provider's quota.
    public var isPaced: Bool
    /// True if nothing else runs in the process, so that a crash is this shard's doing.
    public var isAlone: Bool
    /// The epoch of a former run after a full but fruitless wait (`HeldDeliveries`); nil during the wait, or without
    /// one.
    public var overdue: UInt32?
    /// True if another worker's silence means that it is dead (`ReportSeries`).
    public var judgesSilence: Bool
    /// The message's description of itself; nil if the shard was made from the row.
    public var content: Content?

    /// The values that must match between a message and the row of its key.
    ///
    /// A ledger that is restored from a backup assigns campaign numbers again. So the broker may have a message of
    /// another campaign, which must not be sent as this one.
    public struct Content: Sendable, Equatable {
        /// The app.
        public var app: String
        /// The campaign's id in its app.
        public var campaignID: String
        /// The devices' positions in the chunk; empty means all of it.
        public var positions: [UInt16]
        /// The number of devices.
        public var count: Int
        /// True if the campaign gives up devices without an answer; the match ignores it.
        public var dropUnknown: Bool

        /// The content of a message.
        public init(_ shard: Shard) {
            app = shard.facts.app
            campaignID = shard.facts.campaignID
            positions = shard.positions
            count = shard.devices.count
            dropUnknown = shard.facts.policy.dropUnknown
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
        returns: Int = 0,
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
        self.returns = returns
        self.worker = worker
        self.knowsApp = knowsApp
        self.adopting = adopting
        self.isPaced = isPaced
        self.isAlone = isAlone
        self.overdue = overdue
        self.judgesSilence = judgesSilence
        self.content = content
    }

    /// The number of deaths from which on a shard runs alone.
    ///
    /// One of the shards that ran there may kill workers, and the others must not die with it again.
    public static let deathsUntilAlone = 3
    /// The number of deaths from which on a shard is parked: the last of them ran alone.
    public static let deathsUntilParked = 6

    /// The number of a message's returns from which on its shard gets a new message.
    ///
    /// Connections that go again and again take their messages back to the queue, and its delivery limit would park a
    /// shard with which nothing is wrong. The rest of that limit is for the time in which a run waits for its answers.
    public static let returnsUntilRenewed = TopologyManifest.deliveryLimit / 4

    /// The worker that owns a running row, as far as the ledger knows.
    public enum Owner: Equatable, Sendable {
        /// No run has the row, or its run has given it up: no stream is open for it.
        case nobody
        /// The worker reports.
        case alive
        /// The worker has not reported for so long that its own row has lapsed.
        case dead
        /// The worker has removed its own row: it was stopped, so the shard has not killed it.
        case left
    }

    /// Returns the owner of a row, given what silence means now.
    ///
    /// If nobody could reach the ledger for ten seconds, all workers look dead. Yet each of them may still have streams
    /// open, and reports within seconds.
    public func believed(_ owner: Owner) -> Owner {
        owner == .dead && !judgesSilence ? .alive : owner
    }

    /// The ledger's action in the claim's single transaction, and the worker's afterwards.
    public enum Decision: Equatable, Sendable {
        /// Park the message with this reason, wait for the confirm; ack.
        case park(reason: String)
        /// Publish the rest of its outbox; ack.
        case settledAlready
        /// A superseded or duplicate message: ack.
        case drop
        /// Settle the devices without an outcome with this one; ack.
        case end(Outcome)
        /// Save, raise generation and epoch, mark `aside`; ack.
        case setAside(AsideReason)
        /// Mark the row `parked`, park the message with this reason, wait for the confirm; ack.
        case quarantine(reason: String)
        /// Nothing yet: claim again when nothing else runs in the process (`isAlone`).
        case runAlone
        /// Nothing: the former run may have streams open at a worker that is alive.
        ///
        /// Another epoch would reject the very answers that make a repeat needless. Hold the delivery unacked, and
        /// claim again later (`HeldDeliveries`).
        case waits
        /// Raise the epoch, write the owner; send.
        case run
    }

    /// Decides by the claim table of section 7.
    ///
    /// A shard that this very process still runs, and that nobody has claimed since, gets `run` whatever became of its
    /// campaign. That raises the epoch to one above `adopting`, by which `RunningShards` knows that the run continues.
    /// The run learns of a pause or a cancel by its poll, and no answer is lost.
    ///
    /// `owner` is the row's owner. `deaths` is the number of workers that died with the row before; `deaths(_:owner:)`
    /// adds the one that this claim finds. `isQuiet` is true if the time zone of its devices has quiet hours, which
    /// bind a breaker's probe too.
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
        if returns >= Self.returnsUntilRenewed, deaths == 0 { return .setAside(.handOver) }
        return .run
    }

    /// Returns the number of workers that died with a shard, including the one that this claim finds.
    ///
    /// Only known deaths count: a run that was given up, or a worker that was stopped or is alive, is none.
    public static func deaths(_ before: Int, owner: Owner) -> Int {
        owner == .dead ? before + 1 : before
    }

    /// Returns true if the row belongs to a run of this very process that continues; a run that it gave up does not.
    public func isAdopting(_ shard: ShardRecord) -> Bool {
        shard.state == .running && shard.epoch == adopting && shard.owner == worker
    }

    /// Returns the number of devices that may get a second push, or may have had one that nobody counted.
    ///
    /// These are devices to which the run that this claim ends may have sent without an answer in the ledger. The
    /// number is the upper bound, all devices without an answer, because a run reports its progress only with its
    /// answers. With `dropUnknown` it is those before the started mark, which is durable before a stream opens; they
    /// are not sent to again.
    public func mayBeSent(_ shard: ShardRecord, owner: Owner, now: Timestamp) -> Int {
        guard owner != .nobody, !isAdopting(shard), shard.state == .running else { return 0 }
        // A dead worker has opened no stream before the slot; a live one may still do so.
        if owner != .alive, shard.isBefore(itsSlot: now) { return 0 }
        guard content?.dropUnknown == true else { return shard.progress.pendingCount }
        return shard.progress.codes.prefix(shard.progress.started).count { $0 == 0 }
    }

    /// True while another process has a run of the shard whose streams are open or may still be opened.
    ///
    /// That holds even before the slot begins: the other process may hold a copy of the message without knowing that
    /// the shard was taken from it. A row of this process that is not adopted no longer has a run here.
    private func isElsewhere(_ shard: ShardRecord) -> Bool { shard.state == .running && shard.owner != worker }

    /// Returns true if a shard that was published without a slot needs one, because a limit now applies to it.
    ///
    /// The probe of a breaker goes at once, with one device (`ShardRun.proved`).
    private func needsTurn(_ shard: ShardRecord, _ campaign: CampaignFacts) -> Bool {
        shard.slot == nil && (isPaced || campaign.pace != nil) && !campaign.breaker.isProbe(key)
    }
}

extension ShardRecord {
    /// Returns true if its slot has not begun: nobody opens a stream for it before then.
    fileprivate func isBefore(itsSlot now: Timestamp) -> Bool {
        slot.map { $0.begins > now.milliseconds * 1_000 } ?? false
    }
}

extension Claim.Decision {
    /// True if the decision takes the row from the run that has it, if any.
    public var endsFormerRun: Bool {
        switch self {
        case .end, .setAside, .quarantine, .run: true
        case .park, .settledAlready, .drop, .runAlone, .waits: false
        }
    }
}
