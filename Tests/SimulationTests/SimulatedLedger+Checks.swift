import Campaigns
import Delivery

/// Invariants of the rows.
extension SimulatedLedger {
    /// Checks a change of a row: settled rows stay settled, and a previous owner is fenced off.
    func checkStep(from old: ShardRecord, to new: ShardRecord) throws {
        guard broken == nil else { return }  // the end of the run must detect it
        if old.state == .settled, new != old { throw Violation(description: "\(old.id) is settled and changes") }
        if new.state != .running, new.owner != 0 { throw Violation(description: "\(old.id) waits and has an owner") }
        let leavesRun = old.state == .running && new.state != .settled && (new.state != .running || isTaken(old, new))
        if leavesRun || new.state == .running && old.state != .running, new.epoch <= old.epoch {
            throw Violation(description: "\(old.id) goes to other hands in the same epoch")
        }
        let losesMessage = [.out, .running, .parked].contains(old.state) && [.unpublished, .aside].contains(new.state)
        if losesMessage, new.generation <= old.generation {
            throw Violation(description: "\(old.id) gets another message of the same generation")
        }
        if new.epoch < old.epoch || new.generation < old.generation {
            throw Violation(description: "\(old.id) goes back")
        }
    }

    private func isTaken(_ old: ShardRecord, _ new: ShardRecord) -> Bool { new.owner != 0 && new.owner != old.owner }

    /// Checks that an accepted write of a run came from the row's current run.
    func checkTaken(_ token: RunToken) throws {
        guard broken == nil, let row = rows[token.key] else { return }
        guard row.state == .running, row.epoch == token.epoch, row.owner == token.worker else {
            throw Violation(description: "a write of \(token) is taken by \(row)")
        }
    }

    /// Checks that held-back devices stay held until the guard has decided, or nothing more is sent.
    func checkHeld(_ final: Settlement, asked: Settlement, _ campaign: CampaignFacts, now: Timestamp) throws {
        if !campaign.isGuardPassed, campaign.ending(at: now) == nil, final.held != asked.held {
            throw Violation(description: "devices end that the guard holds back")
        }
    }

    /// Checks the rows that a run leaves: a finished campaign's do not wait, and published ones are in the outbox.
    func checkLeft(_ rows: [ShardRecord], publishing: [ShardRecord] = [], now: Timestamp) throws {
        if campaign.ending(at: now) != nil, let row = rows.first(where: { $0.state != .settled }) {
            throw Violation(description: "\(row.id) is left of a campaign that is over")
        }
        if let row = publishing.first(where: { outbox[$0.id.key] == nil && broken == nil }) {
            throw Violation(description: "\(row.id) is published and waits in the ledger")
        }
    }

    /// Checks that each device of a planned shard occurs once: as an outcome of a settled row, or in an open row.
    func checkLaw(chunk: UInt32) throws {
        guard broken != .oneChildPerAttempt else { return }  // the end of the run must detect it
        var seen = Array(repeating: 0, count: Self.devicesPerShard)
        for row in rows.values where row.id.key.chunk == chunk {
            for position in 0..<row.count {
                if row.state == .settled, case .retry = row.progress.state(at: position) { continue }
                if row.state == .settled, row.progress.state(at: position) == .held { continue }
                seen[row.positions.isEmpty ? position : Int(row.positions[position])] += 1
            }
        }
        guard seen.allSatisfy({ $0 == 1 }) else { throw Violation(description: "the law of chunk \(chunk): \(seen)") }
    }

    /// Checks that no run has changed an outcome that was known before the shard was first sent.
    func checkKnown(_ known: [SimulatedProvider.DeviceKey: Outcome]) throws {
        for row in rows.values where row.id.key.child == 0 {
            for position in 0..<row.count {
                let index = row.positions.isEmpty ? UInt16(position) : row.positions[position]
                guard let outcome = known[.init(ordinal: row.id.key.chunk, position: index)] else { continue }
                if row.progress.state(at: position) != .outcome(outcome) {
                    throw Violation(description: "a device that was \(outcome) is \(row.progress.state(at: position))")
                }
            }
        }
    }

    /// Checks that a worker's death is counted only for a row that a killed worker had.
    func checkDeaths(_ plan: ClaimPlan, before: Int, _ row: ShardRecord) throws {
        if plan.deaths > before, !owners.killed.contains(row.owner) {
            throw Violation(description: "\(row.id) counts a death though worker \(row.owner) was not killed")
        }
    }

    /// Checks that a breaker opens only for faults after it was closed.
    func checkOpening(_ trip: Breaker.Trip) throws {
        guard let closedAt, broken == nil else { return }
        if faultedAt.map({ $0 < closedAt }) ?? true {
            throw Violation(description: "a breaker opens that no fault has followed since it was closed")
        }
        if trip.since < closedAt {
            throw Violation(description: "a breaker opens for an outage of before it was closed")
        }
    }

    /// Checks the cooldown after each failed probe: twice as long each time, up to a minute.
    func checkRest(now: Timestamp) throws {
        guard let failedAt = probeFailedAt, let failures = breaker?.failures, failures > 0 else { return }
        let rest = min(Duration.seconds(1 << min(failures, 6)), .seconds(60))
        if now.since(failedAt) < rest {
            throw Violation(description: "a probe \(now.since(failedAt)) after the last of \(failures) that failed")
        }
    }

    /// Checks that no retry can only come back after the end.
    ///
    /// Writing to the ledger takes less than two minutes, even if the worker freezes in between.
    func checkRetry(_ row: ShardRecord) throws {
        guard campaign.endChanges == 0, let dueAt = row.dueAt else { return }
        if max(dueAt, row.notBefore ?? dueAt) >= facts.expiresAt.advanced(by: .seconds(120)) {
            throw Violation(description: "\(row.id) is to come back after the end")
        }
    }

    /// Returns the number of devices without an outcome in a settled row, and of outcomes beyond one per device.
    func accounts(shardCount: Int) -> (lost: Int, twice: Int) {
        var outcomes: [SimulatedProvider.DeviceKey: Int] = [:]
        for row in rows.values where row.state == .settled {
            for position in 0..<row.count {
                guard case .outcome = row.progress.state(at: position) else { continue }
                let chunkPosition = row.positions.isEmpty ? UInt16(position) : row.positions[position]
                outcomes[.init(ordinal: row.id.key.chunk, position: chunkPosition), default: 0] += 1
            }
        }
        let lost = shardCount * Self.devicesPerShard - outcomes.count
        return (lost, outcomes.values.reduce(0) { $0 + $1 - 1 })
    }

    var isDone: Bool { rows.values.allSatisfy { $0.state == .settled } }
}
