import Campaigns
import Delivery

/// Changes to the table by planners, by operators and at the end of the campaign.
extension SimulatedLedger {
    // MARK: The wrong-environment guard

    func count(_ count: SettlementPlan.GuardCount?, now: Timestamp) throws {
        guard let count else { return }
        guardAnswers += count.answers
        guardSuspects += count.against
        try judge(isFinished: false, now: now)
    }

    private func judge(isFinished: Bool, now: Timestamp) throws {
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
            for row in held { try carryOut(.moves(row.keptBack(for: .wrongEnvironment)), now: now) }
        case .pass:
            guardPasses += 1
            campaign.isGuardPassed = true
            for row in held { try carryOut(.settles(RowSettling(row, endingHeldAs: .invalid)), now: now) }
        }
    }

    private var held: [ShardRecord] {
        rows.values.filter { $0.state == .aside && $0.aside == .guard }.sorted { $0.id.key < $1.id.key }
    }

    func judgeIfFinished(now: Timestamp) throws {
        let isElse = rows.values.contains { $0.state != .settled && $0.aside != .guard }
        guard !isElse, guardSuspects > 0, campaign.asideReason == nil, campaign.ending(at: now) == nil else { return }
        try judge(isFinished: true, now: now)
    }

    /// Resumes the campaign after an operator has fixed the environment, or found it correct.
    func resumeGuarded() {
        campaign.pausedBy.remove(.wrongEnvironment)
        (guardAnswers, guardSuspects) = (0, 0)
        if guardTrips >= EnvironmentGuard.tripsMax { campaign.isGuardPassed = true }
    }

    // MARK: The breaker

    func trip(_ trip: Breaker.Trip, now: Timestamp) throws {
        if breaker == nil {
            breaker = Breaker(opening: trip, now: now)
        } else if breaker?.open(trip, now: now) != true {
            return
        }
        try checkOpening(trip)
        openings += 1
        showBreaker()
    }

    func endProbe(_ key: ShardKey, _ result: Breaker.ProbeResult, now: Timestamp) throws {
        let isProbe = breaker?.probe?.key == key
        guard breaker?.ended(key, result, now: now) == true else { return }
        if !isProbe { throw Violation(description: "the end of \(key) is taken for a probe's") }
        if breaker?.isOpen == false {
            closings += 1
            closedAt = now
        } else if result == .failed {
            probeFailedAt = now
        }
        showBreaker()
    }

    private func showBreaker() {
        campaign.breaker = breaker?.gate ?? .closed(since: nil)
    }

    /// Chooses a waiting row as the probe when one is due; all shards are cut from the beginning.
    func beginProbe(now: Timestamp) throws {
        guard let choice = ProbeChoice(breaker, of: campaign, now: now) else { return }
        // Setting a row aside raises its generation, so a row whose probe failed comes last.
        let waiting = rows.values.filter { $0.state == .aside && share($0.id.key) == .first }
            .sorted { ($0.generation, $0.id.key) < ($1.generation, $1.id.key) }
        let row: ShardRecord
        switch choice.choose(among: waiting, isQuiet: { inQuiet($0.id.key) }) {
        case .publishes(let chosen): row = chosen
        case .cuts(let retry):
            guard let retry else { return }
            row = retry
        }
        try checkRest(now: now)
        try carryOut(.moves(row), now: now)
        planned.insert(row.id.key)
        breaker = choice.begun(row.id.key)
        showBreaker()
    }

    // MARK: Changes that need no message

    /// Marks the end after a cancel, a supersede or the expiry; from this transaction on no claim is granted.
    func markEnded(now: Timestamp) {
        if campaign.endedAs == nil { campaign.endedAs = campaign.ending(at: now) }
    }

    /// Settles some rows that nobody runs, in its own transaction; returns true if there are more.
    func endPiece(rowsMax: Int, now: Timestamp) throws -> Bool {
        var left = rowsMax
        for (_, row) in rows.sorted(by: { $0.key < $1.key }) {
            guard let outcome = AsideRelease.ending(of: row.state, campaign: campaign, now: now) else { continue }
            guard left > 0 else { return true }
            left -= 1
            try carryOut(.settles(RowSettling(row, endingAs: outcome)), now: now)
        }
        for chunk in Set(rows.keys.map(\.chunk)) { try checkLaw(chunk: chunk) }
        return false
    }

    /// Lets a newer campaign supersede this one.
    func supersede(now: Timestamp) {
        campaign.supersededBy = 2
        markEnded(now: now)
    }

    /// The number of claimed rows whose runs have not recorded that they open no more streams.
    var runningWithoutStop: Int {
        rows.values.count { $0.state == .running && $0.owner != 0 && stopped[$0.id.key] != $0.epoch }
    }

    /// Replays the parked rows that killed workers, as after a person's decision.
    func replayParked(now: Timestamp) throws {
        for row in rows.values where row.state == .parked { try carryOut(.moves(row.handedToPlanner()), now: now) }
    }

    // MARK: The planner

    func releaseAside(now: Timestamp) throws {
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            guard row.state == .aside, let reason = row.aside else { continue }
            let isDue = AsideRelease.isDue(
                reason,
                dueAt: row.dueAt,
                campaign: facts(of: key),
                knowsApp: true,
                isPaced: rate != nil,
                isQuiet: inQuiet(key),
                now: now
            )
            guard isDue else { continue }
            if reason == .breaker, breaker?.isOpen == true {
                throw Violation(description: "\(row.id) is to go out behind an open breaker")
            }
            try release(row, now: now)
        }
    }

    private func release(_ row: ShardRecord, now: Timestamp) throws {
        try carryOut(.moves(row.released()), now: now)
        planned.insert(row.id.key)
    }

    func sweep(_ key: ShardKey, isLaneEmpty: Bool, now: Timestamp) throws -> Sweep.Action {
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
            owners.maybeSent += Sweep.maybeSent(row)
            try carryOut(.moves(row.publishedAnew()), now: now)
            planned.insert(key)
        }
        return action
    }
}
