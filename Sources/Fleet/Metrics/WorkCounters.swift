import Campaigns
import Delivery
import Settings

/// Counts of what a worker has settled, set aside, retried and parked since the process began.
///
/// A shard is counted when the ledger has taken it. So each device's outcome is counted once in a fleet, by the worker
/// that settled its shard. A crash between commit and count loses counts, never devices; the ledger is exact. Confined
/// to the coordinator's loop.
struct WorkCounters: Sendable {
    /// The most distinct reasons per app and provider; they come from the peer, and a metric's labels must be limited.
    static let reasonsMax = 64
    private static let otherReason = "other"

    struct OutcomeKey: Hashable, Comparable, Sendable {
        var account: AccountKey
        var outcome: Outcome

        static func < (left: OutcomeKey, right: OutcomeKey) -> Bool {
            (left.account, left.outcome.rawValue) < (right.account, right.outcome.rawValue)
        }
    }

    struct NamedKey: Hashable, Comparable, Sendable {
        var account: AccountKey
        var name: String

        static func < (left: NamedKey, right: NamedKey) -> Bool {
            (left.account, left.name) < (right.account, right.name)
        }
    }

    /// The end of a run on this worker.
    enum RunEnd: String, Sendable, CaseIterable {
        case settled
        /// Given back with its progress: a pause, a breaker, a hand-over.
        case setAside = "set_aside"
        /// The broker gave its message to another worker.
        case leaseLost = "lease_lost"
        /// Another run had claimed the shard: this run's writes were refused.
        case fenced
        /// The law did not hold; the shard is parked.
        case violated
    }

    private(set) var outcomes: [OutcomeKey: Int] = [:]
    private(set) var reasons: [NamedKey: Int] = [:]
    private(set) var retries: [NamedKey: Int] = [:]
    private(set) var retryReasons: [NamedKey: Int] = [:]
    private(set) var claims: [String: Int] = [:]
    private(set) var maybeSent = 0
    private(set) var shards: [RunEnd: Int] = [:]
    private(set) var parked: [String: Int] = [:]
    private(set) var waits: [Urgency: WaitTimes] = [:]

    /// Counts a settlement that the ledger has.
    mutating func settled(_ settlement: Settlement, of shard: Shard) {
        shards[.settled, default: 0] += 1
        let account = AccountKey(app: shard.facts.app, provider: shard.facts.provider)
        for outcome in Outcome.allCases where settlement.counts[outcome] > 0 {
            outcomes[OutcomeKey(account: account, outcome: outcome), default: 0] += settlement.counts[outcome]
        }
        for (reason, count) in settlement.reasons { Self.add(count, account, LeftOut.kind(of: reason), to: &reasons) }
        for retry in settlement.retries {
            retries[NamedKey(account: account, name: retry.rung.name), default: 0] += retry.positions.count
        }
        for (reason, count) in settlement.retryReasons { Self.add(count, account, reason, to: &retryReasons) }
    }

    private static func add(_ count: Int, _ account: AccountKey, _ reason: String, to reasons: inout [NamedKey: Int]) {
        var key = NamedKey(account: account, name: reason)
        if reasons[key] == nil, reasons.keys.count(where: { $0.account == account }) >= reasonsMax {
            key.name = otherReason
        }
        reasons[key, default: 0] += count
    }

    /// Counts the verdict on a job that was published in this second.
    mutating func judged(_ urgency: Urgency, published second: Int64, now: Timestamp) {
        waits[urgency, default: WaitTimes()].add(published: second, now: now)
    }

    /// Counts the answer to a claim; `maybeSent` devices may have been sent to by the run that it replaced.
    mutating func claimed(_ decision: Claim.Decision, maybeSent devices: Int) {
        claims[decision.metricName, default: 0] += 1
        maybeSent += devices
    }

    /// Counts a run that ended without a settlement.
    mutating func ended(_ how: RunEnd) { shards[how, default: 0] += 1 }

    /// Counts a parked message or shard; the reasons are our own, so their number is limited.
    mutating func parked(_ reason: String) { parked[reason, default: 0] += 1 }
}

extension Claim.Decision {
    /// The value of the label `decision`.
    fileprivate var metricName: String {
        switch self {
        case .park: "park"
        case .settledAlready: "settled_already"
        case .drop: "drop"
        case .end: "end"
        case .setAside: "set_aside"
        case .quarantine: "quarantine"
        case .runAlone: "run_alone"
        case .waits: "waits"
        case .run: "run"
        }
    }
}
