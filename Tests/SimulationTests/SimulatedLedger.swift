import Campaigns
import Delivery

/// The ledger in memory: a table of rows and an outbox, to which each transaction applies the shipping plans.
///
/// `ClaimPlan`, `SettlementPlan`, `AsidePlan` and `RunToken` decide. A rule broken on purpose changes the facts that a
/// plan is made from, or the plan's result.
final class SimulatedLedger {
    enum Write {
        /// `at` is the time at which the worker asked; the ledger may process it later.
        case claim(Claim, WorkerShards.Order, at: Timestamp)
        case accept(ShardDelivery)
        case save([LoopRuns.Save])
        case settle(ShardKey, epoch: UInt32, Settlement, Breaker.ProbeResult?)
        case setAside(ShardKey, epoch: UInt32, AsideReason, Progress, Breaker.ProbeResult?)
        case trip(Breaker.Trip)
        case stopped(ShardKey, epoch: UInt32)
        case abandon(ShardKey, epoch: UInt32, Progress)
        case giveUp(ShardKey, epoch: UInt32)
    }

    enum Answer {
        case claimed(ShardKey, Claim.Decision, ShardRecord?, CampaignFacts)
        /// The ledger does not answer.
        case notClaimed(WorkerShards.Order)
        /// `isNew` means that this worker has accepted it and owns these rows; otherwise they are to be claimed.
        case accepted(ShardDelivery, [ShardRecord], isNew: Bool)
        /// `fenced` are the shards that other runs have claimed.
        case saved(fenced: Set<ShardKey>)
        case notSaved
        case settled(ShardKey, epoch: UInt32, isOurs: Bool, children: [ShardKey])
        case asided(ShardKey, epoch: UInt32, isOurs: Bool)
        case tripped
        case stopMarked
        case abandoned(ShardKey, epoch: UInt32)
        case givenUp
    }

    static let devicesPerShard = 6

    var campaign: CampaignFacts
    let facts: Shard.Facts
    let broken: BrokenRule?
    var rows: [ShardKey: ShardRecord] = [:]
    /// The rows of a campaign that is to take the fast path.
    var unaccepted: [ShardRecord] = []
    var owners = Owners()
    /// The messages that are to be published or lack a confirm, with the time since when.
    var outbox: [ShardKey: Timestamp] = [:]
    /// Those of them that the planner is to publish at once; the sweeper publishes the others.
    var planned: Set<ShardKey> = []
    var sentAt: [ShardKey: Timestamp] = [:]
    var savedAt: [ShardKey: Timestamp] = [:]
    /// The number of workers that have died with a row.
    private var deaths: [ShardKey: Int] = [:]
    /// The number of rows that wait for a person because they killed workers.
    private(set) var quarantines = 0
    /// The number of claims granted for a shard that another run had not released.
    private(set) var takeovers = 0
    var breaker: Breaker?
    var openings = 0
    var guardTrips = 0
    var guardPasses = 0
    var guardAnswers = 0
    var guardSuspects = 0
    private var contentAnswers = 0
    private var contentFaults = 0
    /// The whole campaign has 24 devices.
    let environmentGuard = EnvironmentGuard(answersMin: 8, suspectsMin: 3)
    var closings = 0
    /// The times at which the breaker was closed, its last probe failed, and the provider last gave a fault or no
    /// answer.
    var closedAt: Timestamp?
    var probeFailedAt: Timestamp?
    var faultedAt: Timestamp?
    /// Requests whose answers were not in the ledger at the takeover of their shard: they may be repeated.
    var atRisk = 0
    private var opened: [ShardKey: (epoch: UInt32, positions: Set<Int>)] = [:]
    private var childrenOf: [ShardKey: [ShardKey]] = [:]
    private var paths: Set<String> = []
    /// True while the time zone of the odd-numbered shards has quiet hours.
    var isQuiet = false
    /// The number of shards that were set aside for quiet hours.
    private(set) var quieted = 0
    /// Runs of the superseded campaign that open no more streams, with the epoch in which they reported it.
    private(set) var stopped: [ShardKey: UInt32] = [:]
    /// The rate; nil for a campaign without one.
    var rate: SimulatedRate?
    /// True for a campaign with devices of two providers; see `Share`.
    let isMixed: Bool
    var isSecondSuspended = false
    var secondPausedBy: Set<AsideReason> = []

    init(facts: Shard.Facts, shardCount: Int, isMixed: Bool, broken: BrokenRule?, now: Timestamp) {
        self.facts = facts
        self.isMixed = isMixed
        self.broken = broken
        campaign = CampaignFacts(
            number: 1,
            app: facts.app,
            id: facts.campaignID,
            stage: .sending,
            pausedBy: [],
            expiresAt: facts.expiresAt
        )
        for ordinal in 0..<UInt32(shardCount) {
            let key = ShardKey(campaign: 1, part: 0, ordinal: ordinal)
            rows[key] = ShardRecord(
                id: ShardID(key: key),
                state: .unpublished,
                generation: 1,
                epoch: 0,
                owner: 0,
                attempt: 1,
                rung: nil,
                notBefore: nil,
                dueAt: nil,
                chunk: ordinal,
                positions: [],
                count: Self.devicesPerShard,
                progress: Progress(count: Self.devicesPerShard),
                aside: nil
            )
            outbox[key] = now
            planned.insert(key)
        }
    }

    /// Records the outcomes of devices that are known when their shards are cut.
    func begin(with known: [SimulatedProvider.DeviceKey: Outcome]) {
        for (device, outcome) in known {
            let note = Progress.Note(reason: outcome == .invalid ? "Unregistered" : "Capped", requests: 0)
            rows[ShardKey(campaign: 1, part: 0, ordinal: device.ordinal)]?.progress
                .end(Int(device.position), outcome, note)
        }
    }

    // MARK: Transactions

    func commit(_ write: Write, by worker: Int64, now: Timestamp) throws -> Answer {
        switch write {
        case .claim(let claim, _, let asked):
            let decision = try self.claim(claim, now: asked)
            return .claimed(claim.key, decision, rows[claim.key], self.facts(of: claim.key))
        case .accept(let delivery):
            let isNew = !unaccepted.isEmpty
            return .accepted(delivery, try accept(by: worker, now: now), isNew: isNew)
        case .save(let saves):
            var fenced: Set<ShardKey> = []
            for save in saves {
                let token = token(save.key, save.epoch, worker)
                guard let saved = rows[save.key].flatMap({ token.saving(save.progress, in: $0) }) else {
                    fenced.insert(save.key)
                    continue
                }
                try checkTaken(token)
                try put(saved, now: now)
            }
            return .saved(fenced: fenced)
        case .settle(let key, let epoch, let settlement, let probe):
            return try settle(token(key, epoch, worker), settlement, probe, now: now)
        case .trip(let trip):
            try self.trip(trip, now: now)
            return .tripped
        case .stopped(let key, let epoch):
            stopped[key] = epoch
            return .stopMarked
        case .abandon(let key, let epoch, let progress):
            let token = token(key, epoch, worker)
            if let saved = rows[key].flatMap({ token.saving(progress, in: $0) }) {
                try checkTaken(token)
                try put(saved, now: now)
                try giveUp(token, now: now)
            }
            return .abandoned(key, epoch: epoch)
        case .giveUp(let key, let epoch):
            try giveUp(token(key, epoch, worker), now: now)
            return .givenUp
        case .setAside(let key, let epoch, let reason, let progress, let probe):
            return try setAside(token(key, epoch, worker), reason, progress, probe, now: now)
        }
    }

    private func settle(
        _ token: RunToken,
        _ asked: Settlement,
        _ probe: Breaker.ProbeResult?,
        now: Timestamp
    ) throws -> Answer {
        let campaign = facts(of: token.key)
        switch SettlementPlan(token, asked, row: rows[token.key], campaign: campaign, now: now) {
        case .fenced: return .settled(token.key, epoch: token.epoch, isOurs: false, children: [])
        case .parks(let row): throw Violation(description: "\(row.id): the law does not hold when it is settled")
        case .settles(let settled):
            try checkTaken(token)
            try checkHeld(settled.settling.settlement, asked: asked, campaign, now: now)
            if let probe { try endProbe(token.key, probe, now: now) }
            let children = try settle(settled.settling, now: now)
            try count(settled.guardCount, now: now)
            updateContentGuard(settled.contentCount)
            let published = SettlementPlan.published(children)
            try checkLeft(children, publishing: published, now: now)
            return .settled(token.key, epoch: token.epoch, isOurs: true, children: published.map(\.id.key))
        }
    }

    private func setAside(
        _ token: RunToken,
        _ reason: AsideReason,
        _ progress: Progress,
        _ probe: Breaker.ProbeResult?,
        now: Timestamp
    ) throws -> Answer {
        let (key, campaign) = (token.key, facts(of: token.key))
        switch try AsidePlan(token, reason, progress, row: rows[key], campaign: campaign, now: now) {
        case .fenced: return .asided(key, epoch: token.epoch, isOurs: false)
        case .waits(let row):
            try checkTaken(token)
            try checkLeft([row], now: now)
            try carryOut(.moves(row), now: now)
        case .ends(let settling, _): try carryOut(.settles(settling), now: now)
        }
        if let probe { try endProbe(key, probe, now: now) }
        return .asided(key, epoch: token.epoch, isOurs: true)
    }

    private func token(_ key: ShardKey, _ epoch: UInt32, _ worker: Int64) -> RunToken {
        if broken == .epochsIgnored, let row = rows[key], row.owner != 0 {
            return RunToken(key: key, epoch: row.epoch, worker: row.owner)
        }
        return RunToken(key: key, epoch: epoch, worker: worker)
    }

    private func giveUp(_ token: RunToken, now: Timestamp) throws {
        guard broken != .rowsNotGivenUp, let row = rows[token.key].flatMap(token.givingUp) else { return }
        try put(row, now: now)
    }

    private func claim(_ asked: Claim, now: Timestamp) throws -> Claim.Decision {
        var claim = asked
        if broken == .claimsAlwaysTakeOver { claim.redelivered = true }
        let facts = claimFacts(of: asked.key, now: now)
        let plan = try ClaimPlan(claim, facts, now: now)
        if case .park(let reason) = plan.decision {
            throw Violation(description: "\(claim.key) would be parked: \(reason)")
        }
        if case .quarantine = plan.decision { quarantines += 1 }
        if case .waits = plan.decision { owners.waits += 1 }
        if let row = facts.row {
            try checkDeaths(plan, before: facts.deaths, row)
            note(plan, row, facts.owner)
        }
        try carryOut(plan.write, now: now)
        switch plan.probe {
        case .stays: break
        case .isClaimed: breaker?.claimed(claim.key, by: claim.worker, now: now)
        case .ends(let result): try endProbe(claim.key, result, now: now)
        }
        return plan.decision
    }

    private func claimFacts(of key: ShardKey, now: Timestamp) -> ClaimPlan.Facts {
        var campaign = facts(of: key)
        if broken == .breakerIgnored { campaign.breaker = .closed(since: nil) }
        if broken == .marksIgnored { (campaign.stage, campaign.endedAs, campaign.supersededBy) = (.sending, nil, nil) }
        return ClaimPlan.Facts(
            row: rows[key],
            campaign: campaign,
            owner: owner(of: key, now: now),
            deaths: deaths[key, default: 0],
            isQuiet: broken != .quietIgnored && inQuiet(key)
        )
    }

    /// Counts a claim's effects on a run that had the row, for the bounds.
    private func note(_ plan: ClaimPlan, _ row: ShardRecord, _ owner: Claim.Owner) {
        let key = row.id.key
        owners.maybeSent += plan.maybeSent
        if plan.takesOver {
            takeovers += 1
            // A worker that gives up has reported everything that it knows.
            if owner != .nobody { atRisk += requestsInDoubt(row) }
        } else if case .runs(let next, _) = plan.write, opened[key]?.epoch == row.epoch {
            opened[key]?.epoch = next.epoch
        }
    }

    // MARK: The table

    /// Applies a plan's write of one row.
    func carryOut(_ write: RowWrite, now: Timestamp) throws {
        switch write {
        case .nothing: break
        case .runs(let row, let deaths):
            try put(row, now: now)
            self.deaths[row.id.key] = deaths
        case .moves(let row):
            if row.aside == .quiet { quieted += 1 }
            try put(row, now: now)
            deaths[row.id.key] = nil
        case .settles(let settling): _ = try settle(settling, now: now)
        }
    }

    /// Writes a row; an unpublished one is in the outbox.
    func put(_ row: ShardRecord, now: Timestamp) throws {
        let key = row.id.key
        var row = row
        row.progress = try Self.packedAndBack(row.progress)
        if let old = rows[key] { try checkStep(from: old, to: row) }
        rows[key] = row
        outbox[key] = row.state == .unpublished ? outbox[key] ?? now : nil
        if row.state == .running { savedAt[key] = now }
    }

    /// Settles a row and writes its children.
    func settle(_ settling: RowSettling, now: Timestamp) throws -> [ShardRecord] {
        let parent = settling.record
        let key = parent.id.key
        try put(settling.row, now: now)
        let last = rows.keys.filter { $0.part == key.part && $0.ordinal == key.ordinal }.map(\.child).max() ?? 0
        var children: [ShardRecord] = []
        for child in settling.children(behind: last, now: now) {
            var path = child.id.path
            if broken == .oneChildPerAttempt, child.rung != nil {
                path = parent.id.childPath(rung: .seconds5, attempt: child.attempt)
            }
            if !paths.insert("\(key.ordinal)\(path)").inserted {
                if broken == .oneChildPerAttempt { continue }  // the same id, treated as written already
                throw Violation(description: "\(parent.id) has two children \(path)")
            }
            try checkRetry(child)
            try put(child, now: now)
            children.append(child)
        }
        childrenOf[key] = children.map(\.id.key)
        try checkLaw(chunk: key.chunk)
        return children
    }

    /// Returns the children of a settled row that are not published yet.
    func children(of key: ShardKey) -> [ShardKey] {
        childrenOf[key, default: []].filter { rows[$0]?.state == .unpublished }
    }

    /// Counts answers for the error-ratio guard.
    private func updateContentGuard(_ count: SettlementPlan.GuardCount?) {
        guard let count else { return }
        contentAnswers += count.answers
        contentFaults += count.against
        let contentGuard = ContentGuard(answersMin: 8)
        switch contentGuard.judge(answers: contentAnswers, faults: contentFaults, trips: campaign.contentTrips) {
        case .wait: return
        case .trip:
            campaign.contentTrips += 1
            campaign.pausedBy.insert(.content)
        case .pass: break
        }
        (contentAnswers, contentFaults) = (0, 0)
    }

    /// Returns true if a shard's devices have quiet hours now.
    func inQuiet(_ key: ShardKey) -> Bool { isQuiet && key.chunk % 2 == 1 }

    // MARK: Publishing

    /// Returns the message of a shard's outbox row; nil when there is none any more.
    func message(_ key: ShardKey) throws -> (SimulatedBroker.Message, ShardRecord)? {
        guard let row = rows[key], outbox[key] != nil else { return nil }
        return (SimulatedBroker.Message(key: key, generation: row.generation, body: try shard(row).encoded()), row)
    }

    /// Returns the shard of a row.
    func shard(_ row: ShardRecord) -> Shard {
        let key = row.id.key
        var devices = DeviceBatch()
        let positions = row.positions.isEmpty ? (0..<UInt16(row.count)).map { $0 } : row.positions
        for position in positions {
            devices.append(token: [UInt8(truncatingIfNeeded: key.chunk), UInt8(truncatingIfNeeded: position)])
        }
        var facts = facts
        if share(key) == .second { facts.provider = ProviderName(rawValue: "fcm") }
        return Shard(
            id: row.id,
            generation: row.generation,
            attempt: row.attempt,
            facts: facts,
            notBefore: row.notBefore,
            slot: row.slot,
            firstIndex: key.chunk * UInt32(Self.devicesPerShard),
            positions: row.positions,
            devices: devices
        )
    }

    func published(_ key: ShardKey, now: Timestamp) {
        sentAt[key] = now
    }

    func confirmed(_ key: ShardKey, generation: UInt32) {
        guard rows[key]?.generation == generation else { return }
        guard rows[key]?.state == .unpublished else { return }
        rows[key]?.state = .out
        outbox[key] = nil
    }

    // MARK: Checks

    /// Records that a run opens a stream; a run whose shard was taken over unnoticed repeats the other run's requests.
    func streamOpened(_ key: ShardKey, epoch: UInt32, position: Int) {
        guard let row = rows[key] else { return }
        if row.state != .running || row.epoch != epoch {
            atRisk += 1
        } else if opened[key]?.epoch == epoch {
            opened[key]?.positions.insert(position)
        } else {
            opened[key] = (epoch, [position])
        }
    }

    func requestsInDoubt(_ row: ShardRecord) -> Int {
        guard let opened = opened[row.id.key], opened.epoch == row.epoch else { return 0 }
        // Held-back devices are tried again by a run that begins or is adopted.
        return opened.positions.count { [.pending, .held].contains(row.progress.state(at: $0)) }
    }

    static func packedAndBack(_ progress: Progress) throws -> Progress {
        guard let read = Progress(packed: progress.packed), read == progress else {
            throw Violation(description: "a progress is not what was packed")
        }
        return read
    }
}
