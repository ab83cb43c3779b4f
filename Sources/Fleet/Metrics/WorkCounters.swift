import Campaigns
import Delivery

/// What a worker's desk has settled, set aside, retried and parked since the process began.
///
/// Counted when the ledger has taken it, a shard at a time: in a fleet each device's outcome is counted by the one
/// worker that settled its shard. A crash between commit and count loses counts, never devices; the ledger is what is
/// exact. Confined to the desk's loop.
struct WorkCounters: Sendable {
    /// Different reasons kept per app and provider; they come from the far side, and a metric's labels must have an end.
    static let reasonsMax = 64
    private static let otherReason = "other"

    struct OutcomeKey: Hashable, Comparable, Sendable {
        var account: ProviderMetrics.Key
        var outcome: Outcome

        static func < (left: OutcomeKey, right: OutcomeKey) -> Bool {
            (left.account, left.outcome.rawValue) < (right.account, right.outcome.rawValue)
        }
    }

    struct NamedKey: Hashable, Comparable, Sendable {
        var account: ProviderMetrics.Key
        var name: String

        static func < (left: NamedKey, right: NamedKey) -> Bool {
            (left.account, left.name) < (right.account, right.name)
        }
    }

    /// How a run ended here.
    enum RunEnd: String, Sendable, CaseIterable {
        case settled
        /// Given back with what it had: a pause, a breaker, a hand-over.
        case setAside = "set_aside"
        /// The broker gave its message to somebody else.
        case leaseLost = "lease_lost"
        /// Somebody else had claimed it: what this run wrote was refused.
        case fenced
        /// The law did not hold; it is parked.
        case violated
    }

    private(set) var outcomes: [OutcomeKey: Int] = [:]
    private(set) var reasons: [NamedKey: Int] = [:]
    private(set) var retries: [NamedKey: Int] = [:]
    private(set) var claims: [String: Int] = [:]
    private(set) var maybeSent = 0
    private(set) var shards: [RunEnd: Int] = [:]
    private(set) var parked: [String: Int] = [:]
    private(set) var waits: [Urgency: WaitTimes] = [:]

    /// A settlement that the ledger has.
    mutating func settled(_ settlement: Settlement, of shard: Shard) {
        shards[.settled, default: 0] += 1
        let account = ProviderMetrics.Key(app: shard.facts.app, provider: shard.facts.provider)
        for outcome in Outcome.allCases where settlement.counts[outcome] > 0 {
            outcomes[OutcomeKey(account: account, outcome: outcome), default: 0] += settlement.counts[outcome]
        }
        for (reason, count) in settlement.reasons { refused(account, LeftOut.kind(of: reason), count) }
        for retry in settlement.retries {
            retries[NamedKey(account: account, name: retry.rung.name), default: 0] += retry.positions.count
        }
    }

    private mutating func refused(_ account: ProviderMetrics.Key, _ reason: String, _ count: Int) {
        var key = NamedKey(account: account, name: reason)
        if reasons[key] == nil, reasons.keys.count(where: { $0.account == account }) >= Self.reasonsMax {
            key.name = Self.otherReason
        }
        reasons[key, default: 0] += count
    }

    /// The verdict about a job that was published in this second.
    mutating func judged(_ urgency: Urgency, published second: Int64, now: Timestamp) {
        waits[urgency, default: WaitTimes()].add(published: second, now: now)
    }

    /// A claim's answer; `maybeSent` devices may have been sent to by the run that it ended.
    mutating func claimed(_ decision: Claim.Decision, maybeSent devices: Int) {
        claims[decision.metricName, default: 0] += 1
        maybeSent += devices
    }

    /// A run that ended otherwise than settled.
    mutating func ended(_ how: RunEnd) { shards[how, default: 0] += 1 }

    /// A message or shard that was parked; the reasons are ours, so they have an end.
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
