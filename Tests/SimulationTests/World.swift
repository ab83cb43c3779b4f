import Campaigns
import Delivery
import Seeds

/// A campaign in a simulated world: three workers, a broker, a ledger, a provider, a clock and faults.
final class World {
    struct Report {
        var seed: UInt64
        var steps = 0
        var crashes = 0
        var disconnects = 0
        var clockSteps = 0
        var terminations = 0
        var adoptions = 0
        var takeovers = 0
        var lostAnswers = 0
        var extraSends = 0
        var atRisk = 0
        /// The number of claims that had to wait for a live worker.
        var waits = 0
        var maybeSent = 0
        var outcomes = OutcomeCounts()
        var openings = 0
        var closings = 0
        var guardTrips = 0
        var guardPasses = 0
        var asked = 0
        /// The number of superseded campaigns, and of those that had to wait for a run to stop.
        var superseded = 0
        var quieted = 0
        var awaited = 0
        /// Streams of the second provider during the first's outage, and of the first during the second's pause.
        var besideOutage = 0
        var besidePause = 0
        /// The number of pieces of an end that left rows for another piece.
        var piecesLeft = 0
        /// The number of assigned turns, and of requests in one.
        var slots = 0
        var contentTrips = 0
        var standstills = 0
        var turns = 0
    }

    static let shardCount = 4
    static let stepsWithFaults = 800
    static let stepsMax = 10_000

    var random: SeededRandom
    var broker = SimulatedBroker()
    var ledger: SimulatedLedger
    var violation: String?
    var adoptions = 0
    /// The number of times that devices were tried to learn if the provider is out.
    var asked = 0
    let broken: BrokenRule?
    private(set) var now: Timestamp
    var provider = SimulatedProvider()
    var workers: [SimulatedWorker] = []
    private var processes: Int64 = 0
    /// The frozen workers, with the end of the freeze.
    private var frozenUntil: [Int: Timestamp] = [:]
    var faults: Faults
    var report: Report
    /// The time from which no stream of a provider may be opened: a pause or a cancel, plus the poll.
    var quietFrom: [Share: Timestamp] = [:]
    /// The same for shards whose devices have quiet hours.
    var quietHoursFrom: Timestamp?
    var credentialsUntil: [Share: Timestamp] = [:]
    /// The last time that an operator changed the campaign's end.
    var endChangedAt: Timestamp?
    var outageUntil: Timestamp?
    /// The failed probes by their shards and epochs: one request decides.
    var failedProbes: Set<String> = []
    private var fixAt: Timestamp?
    private var ledgerAwayUntil: Timestamp?
    /// The time at which a person lets a campaign with refused content go on.
    private var contentLookAt: Timestamp?
    /// The time at which the newer campaign marked this one, and a flag for its begin.
    private var markedAt: Timestamp?
    var hasNewerBegun = false
    /// The host whose time is the ledger's, if its clock is set, and the time that had passed there at the start.
    private var host: SimulatedHost?

    init(seed: UInt64, faults: Faults, broken: BrokenRule? = nil) {
        var random = SeededRandom(seed: seed)
        // Keeps the random sequences of the recorded failing seeds.
        _ = random.next()
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        let end = faults.expiry ? [20, 600, 9_000][random.below(3)] : 30 * 86_400
        let facts = Shard.Facts(
            app: "news",
            campaignID: "derby",
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(maxAttempts: [8, 8, 2][random.below(3)], dropUnknown: faults.dropUnknown),
            pushType: .alert,
            priority: 10,
            expiresAt: start.advanced(by: .seconds(end)),
            collapseID: "score",
            payload: [0x7B, 0x7D]
        )
        self.random = random
        self.faults = faults
        self.broken = broken
        now = start
        report = Report(seed: seed)
        if faults.clockStep > 0 { host = SimulatedHost(at: start, broken: broken) }
        ledger = SimulatedLedger(
            facts: facts,
            shardCount: Self.shardCount,
            isMixed: faults.isMixed,
            broken: broken,
            now: start
        )
        for ordinal in 0..<UInt32(Self.shardCount) {
            for position in 0..<UInt16(SimulatedLedger.devicesPerShard) {
                provider.plan(.init(ordinal: ordinal, position: position), faults: faults, random: &self.random)
            }
        }
        ledger.begin(with: provider.known)
        if faults.isUrgent {
            ledger.takeFastPath()
            let key = ShardKey(campaign: 1, part: 0, ordinal: 0)
            let message = SimulatedBroker.Message(key: key, generation: 1, body: [], isCampaign: true)
            broker.publish(message, to: nil, now: now)
        }
        if faults.perSecond > 0 { ledger.cut(at: Pace(perSecond: faults.perSecond)) }
        for _ in 0..<3 { workers.append(SimulatedWorker(process: newProcess(), world: self)) }
    }

    /// The longest life of a stream; nobody needs to wait longer for another worker's run.
    var streamDeadline: Duration { faults.isPatient ? .seconds(86_400) : .seconds(10) }

    func newProcess() -> Int64 {
        processes += 1
        return processes
    }

    // MARK: The run

    /// Runs until everything is settled and every message is acked; throws the first violation.
    func run() throws -> Report {
        do {
            while !isOver {
                report.steps += 1
                if report.steps == Self.stepsWithFaults { stopFaults() }
                guard report.steps < Self.stepsMax else {
                    throw Violation(description: "not alive: \(ledger.rows.values.filter { $0.state != .settled })")
                }
                try step()
                if let violation { throw Violation(description: violation) }
            }
            try checkEnd()
        } catch {
            throw Violation(description: "seed \(report.seed), step \(report.steps): \(error)")
        }
        return report
    }

    private var isOver: Bool {
        ledger.unaccepted.isEmpty && ledger.isDone && ledger.outbox.isEmpty && workers.allSatisfy(\.isIdle)
    }

    private func stopFaults() {
        var last = Faults.none
        (last.unknown, last.dropUnknown, last.expiry) = (faults.unknown, faults.dropUnknown, faults.expiry)
        (last.wrongEnvironment, last.isContentFixed) = (faults.wrongEnvironment, faults.isContentFixed)
        (last.supersede, last.blind) = (faults.supersede, faults.blind)
        (last.isPatient, last.stride) = (faults.isPatient, faults.stride)
        faults = last
        last.isMixed = faults.isMixed
        (outageUntil, ledgerAwayUntil) = (nil, nil)
        ledger.isSecondSuspended = false
        setPaused(false)
        setQuietHours(false)
    }

    private func step() throws {
        let isIdle = broker.isEmpty && workers.allSatisfy(\.isIdle)
        advanceClock(isIdle: isIdle)
        broker.release(now: now, duplicate: faults.duplicate, random: &random)
        ledgerStep()
        if !isLedgerAway {
            try operatorStep()
            try newerStep()
        }
        if isIdle || random.chance(0.05), !isLedgerAway { try plannerStep() }
        let index = random.below(workers.count)
        let worker = workers[index]
        if try standsStill(index, worker) { return }
        if random.chance(faults.crash) {
            report.crashes += 1
            ledger.owners.killed.insert(worker.process)
            return worker.crash(process: newProcess())
        }
        if random.chance(faults.disconnect) {
            report.disconnects += 1
            worker.disconnect()
            return random.chance(0.5) ? try worker.comeBack() : ()
        }
        if random.chance(faults.terminate) {
            report.terminations += 1
            worker.terminate()
        }
        if ledger.unaccepted.isEmpty, random.chance(faults.purge) { broker.purgeOne(random: &random) }
        try worker.step()
    }

    /// Freezes and thaws a worker; its uncommitted writes go on afterwards.
    private func standsStill(_ index: Int, _ worker: SimulatedWorker) throws -> Bool {
        if let until = frozenUntil[index] {
            guard until <= now else { return true }
            frozenUntil[index] = nil
        } else if faults.freeze > 0, random.chance(faults.freeze) {
            // It learns of the freeze only when it goes on.
            worker.disconnect()
            report.disconnects += 1
            ledger.owners.killed.insert(worker.process)
            frozenUntil[index] = now.advanced(by: .seconds([2, 12, 40][random.below(3)]))
            return true
        }
        return false
    }

    /// Advances the real time, and with it the time that all workers share.
    private func advanceClock(isIdle: Bool) {
        let before = now
        passTime(isIdle: isIdle)
        guard host != nil else { return }
        let passed = now.since(before)
        host?.pass(passed)
        if random.chance(faults.clockStep) {
            report.clockSteps += 1
            host?.step(random: &random)
        }
        now = host?.now ?? now
        // The shared time may catch up by a hundredth; a larger difference is time that nobody waited for or lost.
        let off = now.since(before) - passed
        if abs(off / .milliseconds(1)) > passed / .milliseconds(100) + 2 {
            violation = "the shared time went \(now.since(before)) while \(passed) passed"
        }
    }

    private func passTime(isIdle: Bool) {
        if isIdle, let due = broker.nextDue ?? ledger.nextDue, ledger.outbox.isEmpty, due > now {
            now = due
        } else if isIdle {
            now = now.advanced(by: .seconds(20))
        } else if random.chance(0.01) {
            now = now.advanced(by: .seconds(1 + random.below(8)))
        } else {
            now = now.advanced(by: .milliseconds(random.below(faults.stride)))
        }
    }

    private func operatorStep() throws {
        let isPaused = ledger.campaign.pausedBy.contains(.paused)
        if random.chance(isPaused ? 0.05 : faults.pause) { setPaused(!isPaused) }
        for share in Share.allCases {
            guard let until = credentialsUntil[share], until <= now else { continue }
            credentialsUntil[share] = nil
            ledger.credentialsRefused(share, isRefused: false)
            settleQuiet()
        }
        if faults.pauseShare > 0, random.chance(ledger.isSecondSuspended ? 0.05 : faults.pauseShare) {
            ledger.isSecondSuspended.toggle()
            settleQuiet()
        }
        if random.chance(ledger.isQuiet ? 0.05 : faults.quiet) { setQuietHours(!ledger.isQuiet) }
        if let until = outageUntil, until <= now { outageUntil = nil }
        if outageUntil == nil, random.chance(faults.outage) {
            outageUntil = now.advanced(by: .seconds([2, 20, 200][random.below(3)]))
        }
        if ledger.campaign.pausedBy.contains(.wrongEnvironment), fixAt == nil {
            fixAt = now.advanced(by: .seconds(30))
            settleQuiet()
        }
        if let at = fixAt, at <= now {
            fixAt = nil
            provider.isFixed = faults.wrongEnvironment
            ledger.resumeGuarded()
            settleQuiet()
        }
        if let at = contentLookAt, at <= now {
            contentLookAt = nil
            provider.isContentFixed = faults.isContentFixed
            ledger.campaign.pausedBy.remove(.content)
            settleQuiet()
        } else if contentLookAt == nil, ledger.campaign.pausedBy.contains(.content) {
            contentLookAt = now.advanced(by: .seconds(30))
            settleQuiet()
        }
        if faults.endChange > 0, random.chance(faults.endChange), ledger.campaign.ending(at: now) == nil {
            ledger.campaign.endChanges += 1
            ledger.campaign.expiresAt = now.advanced(by: .seconds([40, 600, 9_000][random.below(3)]))
            endChangedAt = now
        }
        if random.chance(0.02) { try ledger.replayParked(now: now) }
        if random.chance(faults.cancel), ledger.campaign.stage == .sending {
            ledger.campaign.stage = .cancelled
            settleQuiet()
            ledger.markEnded(now: now)
        }
        // A worker may die after a piece: another one comes some steps later.
        if ledger.campaign.endedAs != nil, random.chance(0.1), try ledger.endPiece(rowsMax: 1, now: now) {
            report.piecesLeft += 1
        }
    }

    /// Lets a newer campaign supersede this one, and begin when `Supersession` allows it.
    private func newerStep() throws {
        if markedAt == nil, faults.supersede > 0, random.chance(faults.supersede) {
            markedAt = now
            report.superseded += 1
            ledger.supersede(now: now)
            if ledger.runningWithoutStop > 0 { report.awaited += 1 }
        }
        guard let markedAt, !hasNewerBegun else { return }
        let running = broken == .runsNotAwaited ? 0 : ledger.runningWithoutStop
        hasNewerBegun = Supersession.mayBegin(markedAt: markedAt, running: running, now: now)
        let mayBeSlow = markedAt.advanced(by: Supersession.answersAwaited) <= now
        if hasNewerBegun, !mayBeSlow, workers.contains(where: \.hasStreams) {
            violation = "the newer campaign began while a request of the older one was under way"
        }
    }

    /// Stops the ledger for a while, in which it processes nothing.
    private func ledgerStep() {
        if let until = ledgerAwayUntil, until <= now { ledgerAwayUntil = nil }
        guard ledgerAwayUntil == nil, random.chance(faults.away) else { return }
        ledgerAwayUntil = now.advanced(by: .seconds([2, 12, 30][random.below(3)]))
        report.standstills += 1
    }

    var isLedgerAway: Bool { ledgerAwayUntil != nil }

    /// Returns true if the ledger saves a progress.
    func takesSave() -> Bool { faults.lostSave == 0 || !random.chance(faults.lostSave) }

    /// Returns true if a worker can read the ledger when it wants to.
    func readsLedger() -> Bool { !isLedgerAway && (faults.blind == 0 || !random.chance(faults.blind)) }

    private func setPaused(_ isPaused: Bool) {
        if isPaused { ledger.campaign.pausedBy.insert(.paused) } else { ledger.campaign.pausedBy.remove(.paused) }
        settleQuiet()
    }

    private func setQuietHours(_ isQuiet: Bool) {
        ledger.isQuiet = isQuiet
        quietHoursFrom = isQuiet ? now.advanced(by: SimulatedWorker.pollEvery) : nil
    }

    func settleQuiet() {
        for share in Share.allCases {
            let isSuspended = share == .second && ledger.isSecondSuspended
            let ownReasons = share == .second ? ledger.secondPausedBy : ledger.campaign.pausedBy
            let isPaused = isSuspended || !ownReasons.isEmpty || ledger.campaign.pausedBy.contains(.paused)
            let isQuiet = isPaused || ledger.campaign.stage == .cancelled
            let poll = now.advanced(by: SimulatedWorker.pollEvery)
            quietFrom[share] = isQuiet ? quietFrom[share] ?? poll : nil
        }
    }

    /// Does the planner's share: first publishes, rows set aside, and the sweep.
    private func plannerStep() throws {
        if now >= ledger.campaign.expiresAt { ledger.markEnded(now: now) }
        try ledger.judgeIfFinished(now: now)
        try ledger.beginProbe(now: now)
        try ledger.releaseAside(now: now)
        try ledger.giveTurns(now: now)
        let isLaneEmpty = broker.isEmpty && !workers.contains(where: \.holdsMessages)
        for key in ledger.rows.keys.sorted() {
            let action = try ledger.sweep(key, isLaneEmpty: isLaneEmpty, now: now)
            let isPlanned = ledger.planned.remove(key) != nil
            if action == .publish || isPlanned { _ = try publish(key) }
        }
    }

    // MARK: The workers' view of the world

    /// Publishes a shard's outbox row; returns true if it was confirmed.
    func publish(_ key: ShardKey) throws -> Bool {
        guard let (message, row) = try ledger.message(key) else { return true }
        if random.chance(faults.lostPublish) { return false }
        var queue: RungQueue?
        if let rung = row.rung, let dueAt = row.dueAt, dueAt > now {
            let (isLonger, expiresAt) = (random.below(2) == 1, ledger.campaign.expiresAt)
            queue = RungQueue.choose(rung, dueAt: dueAt, random: isLonger, now: now, expiresAt: expiresAt)
            // The shard waits in the ledger.
            if queue == nil { return false }
        }
        broker.publish(message, to: queue, now: now)
        ledger.published(key, now: now)
        if random.chance(faults.lostConfirm) { return false }
        ledger.confirmed(key, generation: message.generation)
        return true
    }
}
