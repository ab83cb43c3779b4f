import Campaigns
import Delivery

/// A campaign's rate: its chunks in pieces, their turns, and the requests made in them.
struct SimulatedRate {
    /// The assigned slots.
    var line: PaceLine
    /// The instants of the last second's requests with a turn, oldest first.
    var requests: [Timestamp] = []
    /// The used turns, each by its row, the beginning of its slot and the position of its device.
    ///
    /// A run that takes over another's uses the same turns.
    var used: Set<String> = []
    /// The number of assigned slots.
    var slots = 0

    init(_ pace: Pace) {
        line = PaceLine(pace: pace)
    }

    /// The tolerated lateness in microseconds: for six devices at most, which take many steps, it equals 30 ms of a
    /// fleet's shards.
    static let lateness: Int64 = 200_000
}

extension ShardKey {
    /// The chunk of a row or of a piece of it (`ShardRecord.pieces`).
    var chunk: UInt32 { ordinal % (1 << 23) }
}

extension SimulatedLedger {
    /// Cuts waiting rows into the pieces of a campaign with a rate.
    func cut(at pace: Pace) {
        campaign.pace = pace
        rate = SimulatedRate(pace)
        let pieces = rows.values.flatMap { $0.pieces(devicesMax: Pacing.devicesMax([pace])) }
        (rows, outbox, planned) = ([:], [:], [])
        for row in pieces { rows[row.id.key] = row }
    }

    /// Assigns turns to waiting rows: retries that are due come first.
    func giveTurns(now: Timestamp) throws {
        guard var rate, campaign.mayPlan(at: now) else { return }
        let waiting = rows.values.filter { row in
            row.state == .aside && row.aside == .rate && FutureLimit.rung.isPassed(row.dueAt ?? now, now: now)
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

    /// The due time of the next retry, if nothing else is left to do.
    var nextDue: Timestamp? {
        guard rate != nil else { return nil }
        let open = rows.values.filter { $0.state != .settled }
        let dues = open.compactMap { row in row.aside == .rate ? row.dueAt.map { max($0, row.notBefore ?? $0) } : nil }
        return dues.count == open.count ? dues.min() : nil
    }

    /// Returns the rule that a request violates; nil when the rate allows it.
    ///
    /// A breaker's probe is sent at once, and a repeated request of a run has had its turn.
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
