import Campaigns
import Delivery

/// The counts for a status, and the law over them.
struct Counters {
    var counts = OutcomeCounts()
    var pending = CampaignStatus.PendingDetail()
    var attempts = 0
    var maybeSent = 0
    var unknownResent = 0
    var reasons: [String: Int] = [:]
    var nextRetryAt: Timestamp?
    /// Devices that wait for another try, by rung.
    var rungs: [Rung: Int] = [:]
    /// Devices of settled rows, their outcomes, and the devices that went on to retry rows.
    var settledDevices = 0
    var settledOutcomes = 0
    var retried = 0
    /// Devices of retry rows.
    var childDevices = 0

    /// Counts devices of a row without an answer.
    ///
    /// Under a rate, devices that wait for a turn count as on their way, like those in a queue.
    mutating func wait(_ count: Int, in state: ShardState, aside: AsideReason?, isRetry: Bool, rung: Rung? = nil) {
        switch state {
        case .aside where aside == .rate, .unpublished, .out:
            if isRetry { pending.retrying += count } else { pending.queued += count }
            if isRetry, let rung { rungs[rung, default: 0] += count }
        case .running: pending.sending += count
        case .aside: pending.held += count
        case .parked: pending.parked += count
        case .settled: break
        }
    }

    /// Counts a row that is not settled, by its progress.
    mutating func add(
        _ progress: Progress,
        in state: ShardState,
        aside: AsideReason?,
        isRetry: Bool,
        rung: Rung? = nil
    ) {
        counts += progress.counts
        attempts += progress.attempts
        for (reason, count) in progress.reasons { reasons[reason, default: 0] += count }
        wait(progress.pendingCount, in: state, aside: aside, isRetry: isRetry, rung: rung)
        if state == .parked {
            pending.parked += progress.retryCount + progress.heldCount
        } else {
            pending.retrying += progress.retryCount
            for position in 0..<progress.count {
                if case .retry(let rung) = progress.state(at: position) { rungs[rung, default: 0] += 1 }
            }
            pending.held += progress.heldCount
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
