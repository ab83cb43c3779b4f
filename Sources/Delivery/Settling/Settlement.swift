public import Campaigns

/// The end of a shard: outcomes, and a retry shard for each rung, attempt and charge of the devices that failed.
public struct Settlement: Sendable, Equatable {
    /// The devices by outcome.
    public var counts: OutcomeCounts
    /// The outcomes by reason.
    public var reasons: [String: Int]
    /// The number of requests made.
    public var attempts: Int
    /// The retry shards; at most one per rung and attempt.
    public var retries: [Retry]
    /// The positions of devices that the guard holds back.
    public var held: [UInt16]
    /// The tokens that the provider called dead.
    public var dead: [DeadToken]
    /// The final progress.
    public var progress: Progress
    /// The number of devices that were refused in this run because of the content (`ContentGuard`).
    public var contentFaults = 0
    /// The number of answers of this shard's earlier runs, which `contentFaults` does not cover.
    public var answeredBefore = 0

    /// The devices that are tried again, by reason.
    public var retryReasons: [String: Int] {
        retries.reduce(into: [:]) { all, retry in all.merge(retry.reasons) { $0 + $1 } }
    }

    /// The devices that expired instead of another try, by the reason of their last one.
    public var expiredReasons: [String: Int] { progress.reasons(where: { $0 == .outcome(.expired) }) }

    /// A retry shard to be created, with only the devices that failed.
    public struct Retry: Sendable, Equatable {
        /// The rung on which it waits.
        public var rung: Rung
        /// The retry's attempt; the parent's own if the retry is not charged.
        public var attempt: UInt32
        /// The earliest instant of a request.
        public var notBefore: Timestamp?
        /// The positions in the parent shard.
        public var positions: [UInt16]
        /// The devices by the reason for which they are tried again.
        public var reasons: [String: Int] = [:]
    }

    /// A dead token, by its position in the shard.
    public struct DeadToken: Sendable, Equatable {
        /// The position in the shard.
        public var position: UInt16
        /// The instant of its death by the provider's clock; nil if the provider did not say.
        public var since: Timestamp?
    }

    /// Settles a shard whose devices all have an outcome or a rung.
    ///
    /// The law of section 7 is checked here, in release builds too. Nil means that devices ≠ outcomes + devices of the
    /// retry shards, and that the shard is to be parked with an alarm.
    public static func make(progress: Progress, attempt: UInt32) -> Settlement? {
        var groups: [Retry] = []
        var dead: [DeadToken] = []
        var held: [UInt16] = []
        for position in 0..<progress.count {
            let note = progress.notes[UInt16(position)]
            switch progress.state(at: position) {
            case .pending: return nil
            case .held: held.append(UInt16(position))
            case .outcome(let outcome):
                if outcome == .invalid, let note, note.requests > 0, let since = note.deadSince {
                    dead.append(DeadToken(position: UInt16(position), since: since))
                }
            case .retry(let rung):
                add(UInt16(position), rung, after: attempt, note, to: &groups)
            }
        }
        let counts = progress.counts
        let retried = groups.reduce(0) { $0 + $1.positions.count }
        guard counts.total + retried + held.count == progress.count else { return nil }
        return Settlement(
            counts: counts,
            reasons: progress.reasons,
            attempts: progress.attempts,
            retries: groups,
            held: held,
            dead: dead,
            progress: progress
        )
    }

    private static func add(
        _ position: UInt16,
        _ rung: Rung,
        after failed: UInt32,
        _ note: Progress.Note?,
        to groups: inout [Retry]
    ) {
        let attempt = note?.charged ?? true ? failed + 1 : failed
        let known = groups.firstIndex { $0.rung == rung && $0.attempt == attempt }
        if known == nil { groups.append(Retry(rung: rung, attempt: attempt, notBefore: nil, positions: [])) }
        let index = known ?? groups.count - 1
        groups[index].positions.append(position)
        // Retry-After is a lower bound, so the group waits for the latest.
        if let instant = note?.notBefore { groups[index].notBefore = max(instant, groups[index].notBefore ?? instant) }
        if let reason = note?.reason { groups[index].reasons[reason, default: 0] += 1 }
    }
}

extension Progress {
    /// Ends every device without an outcome, as a cancel, an expiry or a newer campaign does to a shard.
    ///
    /// `reason` is counted for each of them. Without it, a device that expires instead of another try keeps the reason
    /// of its last one.
    public mutating func endCooldown(_ outcome: Outcome, reason: String? = nil) {
        for position in 0..<count {
            var kept: String?
            switch state(at: position) {
            case .outcome: continue
            case .retry: kept = outcome == .expired ? notes[UInt16(position)]?.reason : nil
            case .pending, .held: break
            }
            end(position, outcome, Note(reason: reason ?? kept, requests: UInt8(clamping: requests(at: position))))
        }
    }
}
