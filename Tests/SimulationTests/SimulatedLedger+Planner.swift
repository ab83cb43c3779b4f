import Campaigns
import Delivery

/// What planners, persons and the end of the campaign change in the table.
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

    /// A person has mended the environment, or looked and found it right.
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

    /// Chooses what waits as the probe when one is due; all shards are cut from the beginning.
    func beginProbe(now: Timestamp) throws {
        guard let choice = ProbeChoice(breaker, of: campaign, now: now) else { return }
        // Each time that a row is set aside its generation is raised: a probe that failed comes last.
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

    // MARK: What needs no message

    /// The transaction from which on no claim is granted, after a cancel, a supersede, or when the end has passed.
    func markEnded(now: Timestamp) {
        if campaign.endedAs == nil { campaign.endedAs = campaign.ending(at: now) }
    }

    /// Settles some of what nobody runs, in a transaction of its own; returns whether there is more.
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

    /// A newer campaign takes this one's place.
    func supersede(now: Timestamp) {
        campaign.supersededBy = 2
        markEnded(now: now)
    }

    /// Claimed rows whose runs have not written that they open no stream any more.
    var runningWithoutStop: Int {
        rows.values.count { $0.state == .running && $0.owner != 0 && stopped[$0.id.key] != $0.epoch }
    }

    /// A person has looked at what killed workers, and lets it go.
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
