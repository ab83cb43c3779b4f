import Campaigns
import Delivery

/// A campaign's rate: its chunks in pieces, their turns, and the requests that go out in them.
struct SimulatedRate {
    /// What was given away.
    var line: PaceLine
    /// The instants of the requests that had a turn, oldest first, those of the last second.
    var requests: [Timestamp] = []
    /// The turns that were used, by their rows, the beginnings of their slots and the places of their devices.
    ///
    /// A run that takes over another's asks within the same turns.
    var used: Set<String> = []
    /// Slots that were given away.
    var slots = 0

    init(_ pace: Pace) {
        line = PaceLine(pace: pace)
    }

    /// Of six devices at most, which take many steps: as late as this is what 30 ms are to a fleet's shards.
    static let lateness: Int64 = 200_000
}

extension ShardKey {
    /// The chunk of a row or a piece of it (`ShardRecord.pieces`).
    var chunk: UInt32 { ordinal % (1 << 23) }
}

extension SimulatedLedger {
    /// Cuts what waits as a campaign under a rate has it cut.
    func cut(at pace: Pace) {
        campaign.pace = pace
        rate = SimulatedRate(pace)
        let pieces = rows.values.flatMap { $0.pieces(devicesMax: Pacing.devicesMax([pace])) }
        (rows, outbox, planned) = ([:], [:], [])
        for row in pieces { rows[row.id.key] = row }
    }

    /// Gives turns to what waits for one: retries that are due first.
    func giveTurns(now: Timestamp) throws {
        guard var rate, campaign.mayPlan(at: now) else { return }
        let waiting = rows.values.filter { row in
            row.state == .aside && row.aside == .rate && Ahead.rung.isPassed(row.dueAt ?? now, now: now)
                && row.notBefore ?? now <= now && !inQuiet(row.id.key)
        }
        var lines = [rate.line]
        for row in waiting.sorted(by: { ($1.attempt, $0.id.key) < ($0.attempt, $1.id.key) }) {
            guard let slot = Pacing.slot(devices: row.count, lines: &lines, now: now) else { break }
            var turn = row.released()
            turn.slot = slot
            try carryOut(.moves(turn), now: now)
            planned.insert(row.id.key)
            rate.slots += 1
        }
        rate.line = lines[0]
        self.rate = rate
    }

    /// When the next retry is due, if nothing else is left to do.
    var nextDue: Timestamp? {
        guard rate != nil else { return nil }
        let open = rows.values.filter { $0.state != .settled }
        let dues = open.compactMap { row in row.aside == .rate ? row.dueAt.map { max($0, row.notBefore ?? $0) } : nil }
        return dues.count == open.count ? dues.min() : nil
    }

    /// What a request breaks of its campaign's rate; nil when it may be made.
    ///
    /// A breaker's probe goes at once, and what a run asks for again has had its turn.
    func broken(by shard: Shard, position: Int, isProbe: Bool, now: Timestamp) -> String? {
        guard var rate, !isProbe else { return nil }
        guard let slot = shard.slot else { return "opened a stream without a turn" }
        if now.milliseconds * 1000 < slot.begins { return "opened a stream before its slot" }
        guard rate.used.insert("\(shard.id) \(slot.begins) \(position)").inserted else { return nil }
        rate.requests.append(now)
        rate.requests.removeAll { now.since($0) >= .seconds(1) }
        self.rate = rate
        let most = Double(rate.line.pace.perSecond) * (1 + Double(SimulatedRate.lateness) / 1_000_000) + 1
        return Double(rate.requests.count) > most ? "is the \(rate.requests.count)th request in a second" : nil
    }
}
