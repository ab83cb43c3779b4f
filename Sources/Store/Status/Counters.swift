import Campaigns
import Delivery

/// The counts for a status, and the law over them.
struct Counters {
    var counts = OutcomeCounts()
    var pending = PendingDevices()
    var attempts = 0
    var maybeSent = 0
    var unknownResent = 0
    var reasons: [String: Int] = [:]
    var nextRetryAt: Timestamp?
    /// Devices that wait for another try, by rung.
    var rungs: [Rung: Int] = [:]
    /// The same devices, with the reasons of their last try.
    var retries = RetryWait()
    /// Pending devices that wait for their turn under a rate.
    var waitingForTurn = 0
    /// Held devices by the reason for which their shards are aside.
    var held: [AsideReason: Int] = [:]
    /// Devices of settled rows, their outcomes, and the devices that went on to retry rows.
    var settledDevices = 0
    var settledOutcomes = 0
    var retried = 0
    /// Devices of retry rows.
    var childDevices = 0

    /// A row that is not settled, without its devices.
    struct OpenRow {
        var state: ShardState
        var aside: AsideReason?
        var isRetry: Bool
        var rung: Rung?
        var dueAt: Timestamp?
        /// The reasons for which its devices are tried again, as the row has them.
        var reasons: String?
    }

    /// Counts devices of a row without an answer.
    ///
    /// Under a rate, devices that wait for a turn count as on their way, like those in a queue.
    mutating func wait(_ count: Int, in row: OpenRow) {
        switch row.state {
        case .aside where row.aside == .rate, .unpublished, .out:
            if row.aside == .rate { waitingForTurn += count }
            guard row.isRetry else { return pending.queued += count }
            pending.retrying += count
            if let rung = row.rung { rungs[rung, default: 0] += count }
            retries.add(count, reasons: ReasonCounts.counts(row.reasons, of: count), due: row.dueAt)
        case .running: pending.sending += count
        case .aside: hold(count, in: row)
        case .parked: pending.parked += count
        case .settled: break
        }
    }

    private mutating func hold(_ count: Int, in row: OpenRow) {
        pending.held += count
        if let reason = row.aside, count > 0 { held[reason, default: 0] += count }
    }

    /// Counts a row that is not settled, by its progress.
    mutating func add(_ progress: Progress, in row: OpenRow) {
        counts += progress.counts
        attempts += progress.attempts
        for (reason, count) in progress.reasons { reasons[reason, default: 0] += count }
        wait(progress.pendingCount, in: row)
        if row.state == .parked {
            pending.parked += progress.retryCount + progress.heldCount
        } else {
            pending.retrying += progress.retryCount
            let why = progress.reasons(where: { if case .retry = $0 { true } else { false } })
            retries.add(progress.retryCount, reasons: why, due: nil)
            for position in 0..<progress.count {
                if case .retry(let rung) = progress.state(at: position) { rungs[rung, default: 0] += 1 }
            }
            var guarded = row
            if row.state != .aside { guarded.aside = .guard }
            hold(progress.heldCount, in: guarded)
        }
    }

    func law(audience: Int) -> CampaignStatus.Law {
        if settledDevices != settledOutcomes + retried {
            return .violated(
                "settled shards have \(settledDevices) devices, \(settledOutcomes) outcomes and \(retried) retries"
            )
        }
        if retried != childDevices {
            return .violated("settled shards retry \(retried) devices, retry shards have \(childDevices)")
        }
        if audience != counts.total + pending.total {
            return .violated("audience \(audience), outcomes \(counts.total), pending \(pending.total)")
        }
        return .holds
    }
}
