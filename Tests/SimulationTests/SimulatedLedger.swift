import Campaigns
import Delivery

/// The ledger in memory: rows, outbox, and one function per transaction of the design's section 7.
///
/// The rules are the real ones (`Claim`, `Settlement`, `Progress`); here is only what a database would do.
final class SimulatedLedger {
    enum Write {
        case claim(Claim, ShardDelivery)
        case save([LoopRuns.Save])
        case settle(ShardKey, epoch: UInt32, Settlement, Breaker.ProbeResult?)
        case setAside(ShardKey, epoch: UInt32, AsideReason, Progress, Breaker.ProbeResult?)
        case trip(Breaker.Trip)
        case stopped(ShardKey, epoch: UInt32)
        case abandon(ShardKey, epoch: UInt32, Progress)
        case giveUp(ShardKey, epoch: UInt32)
    }

    enum Answer {
        case claimed(ShardKey, ShardDelivery, Claim.Decision, ShardRecord?, isProbe: Bool, CampaignFacts)
        /// `fenced`: other runs have claimed these shards.
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
    var owners = Owners()
    /// Messages that are to be published, or whose confirm did not come, and since when.
    private(set) var outbox: [ShardKey: Timestamp] = [:]
    private var sentAt: [ShardKey: Timestamp] = [:]
    private var savedAt: [ShardKey: Timestamp] = [:]
    /// Claims granted for a shard that another run had not released.
    private(set) var takeovers = 0
    private(set) var breaker: Breaker?
    private(set) var openings = 0
    private(set) var guardTrips = 0
    private(set) var guardPasses = 0
    private var guardAnswers = 0
    private var guardSuspects = 0
    /// 24 devices are the whole campaign.
    private let environmentGuard = EnvironmentGuard(answersMin: 8, suspectsMin: 3)
    private(set) var closings = 0
    /// Requests whose answers were not in the ledger when their shard was taken over: they may be repeated.
    var atRisk = 0
    private var opened: [ShardKey: (epoch: UInt32, positions: Set<Int>)] = [:]
    private var childrenOf: [ShardKey: [ShardKey]] = [:]
    private var childCounts: [UInt32: UInt32] = [:]
    private var paths: Set<String> = []
    /// Whether the time zone of the shards with odd numbers has quiet hours.
    var isQuiet = false
    /// Shards that were set aside because of them.
    private(set) var quieted = 0
    /// Runs of the superseded campaign that open no stream any more, by the epoch that they said so with.
    private var stopped: [ShardKey: UInt32] = [:]
    /// See `Share`.
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
        }
    }

    // MARK: Transactions

    func commit(_ write: Write, now: Timestamp) throws -> Answer {
        switch write {
        case .claim(let claim, let delivery):
            let decision = try self.claim(claim, now: now)
            let facts = self.facts(of: claim.key)
            let isProbe = facts.breaker.isProbe(claim.key)
            return .claimed(claim.key, delivery, decision, rows[claim.key], isProbe: isProbe, facts)
        case .save(let saves):
            let fenced = saves.filter { !isOurs($0.key, $0.epoch) }.map(\.key)
            for save in saves where isOurs(save.key, save.epoch) {
                rows[save.key]?.progress = try Self.packedAndBack(save.progress)
                savedAt[save.key] = now
            }
            return .saved(fenced: Set(fenced))
        case .settle(let key, let epoch, let settlement, let probe):
            guard isOurs(key, epoch) else { return .settled(key, epoch: epoch, isOurs: false, children: []) }
            if let probe { endProbe(key, probe, now: now) }
            return .settled(key, epoch: epoch, isOurs: true, children: try settle(key, settlement, now: now))
        case .trip(let trip):
            self.trip(trip, now: now)
            return .tripped
        case .stopped(let key, let epoch):
            stopped[key] = epoch
            return .stopMarked
        case .abandon(let key, let epoch, let progress):
            try abandon(key, epoch, progress)
            return .abandoned(key, epoch: epoch)
        case .giveUp(let key, let epoch):
            giveUp(key, epoch)
            return .givenUp
        case .setAside(let key, let epoch, let reason, let progress, let probe):
            guard isOurs(key, epoch) else { return .asided(key, epoch: epoch, isOurs: false) }
            if let probe { endProbe(key, probe, now: now) }
            rows[key]?.progress = try Self.packedAndBack(progress)
            if let outcome = campaign.ending(at: now) {
                try end(key, outcome, now: now)
            } else {
                setAside(key, reason, now: now)
            }
            return .asided(key, epoch: epoch, isOurs: true)
        }
    }

    // MARK: The wrong-environment guard

    private func judge(isFinished: Bool) throws {
        guard !campaign.isGuardPassed, !campaign.pausedBy.contains(.wrongEnvironment) else { return }
        let verdict = environmentGuard.judge(
            answers: guardAnswers,
            suspects: guardSuspects,
            isFinished: isFinished
        )
        switch verdict {
        case .wait: return
        case .trip:
            guardTrips += 1
            campaign.pausedBy.insert(.wrongEnvironment)
            for key in heldKeys { rows[key]?.aside = .wrongEnvironment }
        case .pass:
            guardPasses += 1
            campaign.isGuardPassed = true
            for key in heldKeys {
                rows[key]?.progress.endHeld(.invalid)
                rows[key]?.state = .settled
                try checkLaw(ordinal: key.ordinal)
            }
        }
    }

    private var heldKeys: [ShardKey] {
        rows.values.filter { $0.state == .aside && $0.aside == .guard }.map(\.id.key).sorted()
    }

    func judgeIfFinished(now: Timestamp) throws {
        let isElse = rows.values.contains { $0.state != .settled && $0.aside != .guard }
        guard !isElse, guardSuspects > 0, campaign.asideReason == nil, campaign.ending(at: now) == nil else { return }
        try judge(isFinished: true)
    }

    /// A person has mended the environment, or looked and found it right.
    func resumeGuarded() {
        campaign.pausedBy.remove(.wrongEnvironment)
        (guardAnswers, guardSuspects) = (0, 0)
        if guardTrips >= EnvironmentGuard.tripsMax { campaign.isGuardPassed = true }
    }

    // MARK: The breaker

    private func trip(_ trip: Breaker.Trip, now: Timestamp) {
        if breaker == nil {
            breaker = Breaker(opening: trip, now: now)
        } else if breaker?.open(trip, now: now) != true {
            return
        }
        openings += 1
        showBreaker()
    }

    private func endProbe(_ key: ShardKey, _ result: Breaker.ProbeResult, now: Timestamp) {
        guard breaker?.ended(key, result, now: now) == true else { return }
        if breaker?.isOpen == false { closings += 1 }
        showBreaker()
    }

    private func showBreaker() {
        campaign.breaker = breaker?.gate ?? .closed(since: nil)
    }

    /// Chooses what waits as the probe when one is due.
    func beginProbe(now: Timestamp) {
        guard let due = breaker, due.isOpen else { return }
        var facts = campaign
        facts.breaker = .closed(since: nil)
        let waiting = rows.values.filter { row in
            row.state == .aside && share(row.id.key) == .first && due.isProbeDue(attempt: row.attempt, now: now)
                && !inQuiet(row.id.key)
                && AsideRelease.isDue(row.aside ?? .handOver, campaign: facts, knowsApp: true, now: now)
        }
        guard facts.mayPlan(at: now), let key = waiting.map(\.id.key).min() else { return }
        release(key, now: now)
        breaker?.begin(key, now: now)
        showBreaker()
    }

    func isOurs(_ key: ShardKey, _ epoch: UInt32) -> Bool {
        guard let row = rows[key], row.state == .running, row.owner != 0 else { return false }
        return row.epoch == epoch || broken == .epochsIgnored
    }

    private func claim(_ asked: Claim, now: Timestamp) throws -> Claim.Decision {
        var claim = asked
        if broken == .claimsAlwaysTakeOver { claim.redelivered = true }
        var facts = self.facts(of: asked.key)
        if broken == .breakerIgnored { facts.breaker = .closed(since: nil) }
        if broken == .marksIgnored { (facts.stage, facts.endedAs, facts.supersededBy) = (.sending, nil, nil) }
        let isQuiet = broken != .quietIgnored && inQuiet(claim.key)
        let owner = owner(of: claim.key, now: now)
        let decision = claim.decide(shard: rows[claim.key], campaign: facts, owner: owner, isQuiet: isQuiet, now: now)
        guard let row = rows[claim.key] else { return decision }
        switch decision {
        case .run, .end, .setAside:
            if row.state == .running, row.epoch != claim.adopting {
                takeovers += 1
                // Who gives up has told all that it knows.
                if owner != .nobody { atRisk += requestsInDoubt(row) }
                owners.maybeSent += claim.mayBeSent(row, owner: owner, now: now)
            }
            rows[claim.key]?.epoch += 1
            if row.epoch == claim.adopting, opened[claim.key]?.epoch == row.epoch { opened[claim.key]?.epoch += 1 }
        case .waits:
            owners.waits += 1
            return decision
        case .park, .quarantine, .settledAlready, .drop, .runAlone: break
        }
        switch decision {
        case .run:
            rows[claim.key]?.state = .running
            savedAt[claim.key] = now
            rows[claim.key]?.owner = claim.worker
        case .end(let outcome): try end(claim.key, outcome, now: now)
        case .setAside(let reason): setAside(claim.key, reason, now: now)
        case .park(let reason), .quarantine(let reason):
            throw Violation(description: "\(row.id) would be parked: \(reason)")
        // Deaths are not counted here: crashes of these workers are no shard's doing.
        case .settledAlready, .drop, .runAlone, .waits: break
        }
        if campaign.breaker.isProbe(claim.key) {
            switch decision {
            case .run: breaker?.claimed(claim.key, by: claim.worker, now: now)
            case .end, .setAside: endProbe(claim.key, .nothing, now: now)
            case .park, .quarantine, .settledAlready, .drop, .runAlone, .waits: break
            }
        }
        return decision
    }

    /// Whether a shard's devices have quiet hours now.
    func inQuiet(_ key: ShardKey) -> Bool { isQuiet && key.ordinal % 2 == 1 }

    private func setAside(_ key: ShardKey, _ reason: AsideReason, now: Timestamp) {
        if reason == .quiet { quieted += 1 }
        rows[key]?.generation += 1
        rows[key]?.epoch += 1
        rows[key]?.owner = 0
        rows[key]?.state = reason.rowState
        rows[key]?.aside = reason
        rows[key]?.rung = nil
        outbox[key] = reason.rowState == .unpublished ? now : nil
    }

    private func release(_ key: ShardKey, now: Timestamp) {
        rows[key]?.state = .unpublished
        rows[key]?.aside = nil
        rows[key]?.rung = nil
        rows[key]?.owner = 0
        outbox[key] = now
    }

    private func end(_ key: ShardKey, _ outcome: Outcome, now: Timestamp) throws {
        guard let row = rows[key] else { return }
        guard let settlement = row.ended(outcome) else {
            throw Violation(description: "\(row.id): the law does not hold when it ends")
        }
        _ = try settle(key, settlement, now: now)
    }

    private func settle(_ key: ShardKey, _ asked: Settlement, now: Timestamp) throws -> [ShardKey] {
        guard let parent = rows[key] else { return [] }
        let ending = campaign.ending(at: now)
        guard asked.isLawful(count: parent.count),
            let open = ending.map({ asked.endingRetries($0, attempt: parent.attempt) }) ?? asked,
            let settlement = campaign.isGuardPassed ? open.endingHeld(.invalid, attempt: parent.attempt) : open
        else { throw Violation(description: "\(parent.id): the law does not hold when it is settled") }
        rows[key]?.state = .settled
        rows[key]?.owner = 0
        rows[key]?.progress = try Self.packedAndBack(settlement.progress)
        outbox[key] = nil
        var children: [ShardKey] = []
        for retry in settlement.retries {
            let rungInPath = broken == .oneChildPerAttempt ? .seconds5 : retry.rung
            let path = parent.id.childPath(rung: rungInPath, attempt: retry.attempt)
            if !paths.insert("\(key.ordinal)\(path)").inserted {
                if broken == .oneChildPerAttempt { continue }  // the same id: taken for written already
                throw Violation(description: "\(parent.id) has two children \(path)")
            }
            childCounts[key.ordinal, default: 0] += 1
            let child = parent.child(retry, number: childCounts[key.ordinal, default: 0], now: now)
            rows[child.id.key] = child
            outbox[child.id.key] = now
            children.append(child.id.key)
        }
        childrenOf[key] = children
        if !settlement.held.isEmpty {
            childCounts[key.ordinal, default: 0] += 1
            let held = parent.heldChild(
                settlement.held,
                number: childCounts[key.ordinal, default: 0],
                reason: campaign.pausedBy.contains(.wrongEnvironment) ? .wrongEnvironment : .guard,
                notes: settlement.progress.notes
            )
            rows[held.id.key] = held
        }
        try checkLaw(ordinal: key.ordinal)
        guardAnswers += settlement.progress.answeredCount
        guardSuspects += settlement.held.count
        try judge(isFinished: false)
        return children
    }

    func children(of key: ShardKey) -> [ShardKey] { childrenOf[key, default: []] }

    // MARK: What needs no message

    /// The transaction from which on no claim is granted, after a cancel, a supersede, or when the end has passed.
    func markEnded(now: Timestamp) {
        if campaign.endedAs == nil { campaign.endedAs = campaign.ending(at: now) }
    }

    /// Settles some of what nobody runs, in a transaction of its own; returns whether there is more.
    func endPiece(rowsMax: Int, now: Timestamp) throws -> Bool {
        var left = rowsMax
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            guard let outcome = AsideRelease.ending(of: row.state, campaign: campaign, now: now) else { continue }
            guard left > 0 else { return true }
            left -= 1
            rows[key]?.epoch += 1
            try end(key, outcome, now: now)
        }
        for ordinal in Set(rows.keys.map(\.ordinal)) { try checkLaw(ordinal: ordinal) }
        return false
    }

    /// A newer campaign takes this one's place.
    func supersede(now: Timestamp) {
        campaign.supersededBy = 2
        markEnded(now: now)
    }

    /// Claimed rows whose runs have not written that they open no stream any more.
    var runningWithoutStop: Int {
        rows.values.count { $0.state == .running && $0.owner != 0 && stopped[$0.id.key] != $0.epoch }
    }

    func releaseAside(now: Timestamp) {
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            guard row.state == .aside, let reason = row.aside else { continue }
            let isDue = AsideRelease.isDue(
                reason,
                campaign: facts(of: key),
                knowsApp: true,
                isQuiet: inQuiet(key),
                now: now
            )
            if isDue { release(key, now: now) }
        }
    }

    func sweep(_ key: ShardKey, isLaneEmpty: Bool, now: Timestamp) -> Sweep.Action {
        guard let row = rows[key] else { return .leave }
        let dueAt = (sentAt[key] ?? now).advanced(by: row.rung?.delay ?? .zero)
        let action = Sweep.action(
            for: row,
            outboxWrittenAt: outbox[key],
            since: max(dueAt, savedAt[key] ?? dueAt),
            lane: isLaneEmpty ? .empty : .unknown,
            now: now
        )
        if action == .publishAnew {
            atRisk += row.state == .running ? requestsInDoubt(row) : 0
            if row.state == .running, row.owner != 0 { owners.maybeSent += row.progress.pendingCount }
            rows[key]?.generation += 1
            rows[key]?.epoch += 1
            release(key, now: now)
        }
        return action
    }

    // MARK: Publishing

    /// The message of a shard's outbox row; nil when there is none any more.
    func message(_ key: ShardKey) throws -> (SimulatedBroker.Message, ShardRecord)? {
        guard let row = rows[key], outbox[key] != nil else { return nil }
        var devices = DeviceBatch()
        let positions = row.positions.isEmpty ? (0..<UInt16(row.count)).map { $0 } : row.positions
        for position in positions {
            devices.append(token: [UInt8(truncatingIfNeeded: key.ordinal), UInt8(truncatingIfNeeded: position)])
        }
        var facts = facts
        if share(key) == .second { facts.provider = ProviderName(rawValue: "fcm") }
        let shard = Shard(
            id: row.id,
            generation: row.generation,
            attempt: row.attempt,
            facts: facts,
            notBefore: row.notBefore,
            firstIndex: key.ordinal * UInt32(Self.devicesPerShard),
            positions: row.positions,
            devices: devices
        )
        let body = try shard.encoded()
        return (SimulatedBroker.Message(key: key, generation: row.generation, body: body), row)
    }

    func published(_ key: ShardKey, now: Timestamp) {
        sentAt[key] = now
    }

    func confirmed(_ key: ShardKey, generation: UInt32) {
        guard rows[key]?.generation == generation else { return }
        outbox[key] = nil
        if rows[key]?.state == .unpublished { rows[key]?.state = .out }
    }

    // MARK: Checks

    /// A run opens a stream; one whose shard was taken over without its knowledge repeats what the other does.
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

    private func requestsInDoubt(_ row: ShardRecord) -> Int {
        guard let opened = opened[row.id.key], opened.epoch == row.epoch else { return 0 }
        // What was held back is asked again by a run that begins or is adopted.
        return opened.positions.count { [.pending, .held].contains(row.progress.state(at: $0)) }
    }

    static func packedAndBack(_ progress: Progress) throws -> Progress {
        guard let read = Progress(packed: progress.packed), read == progress else {
            throw Violation(description: "a progress is not what was packed")
        }
        return read
    }
}
