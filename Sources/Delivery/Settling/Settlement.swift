public import Campaigns

/// How a shard ends: outcomes, and one retry shard per rung, attempt and charge for the devices that failed.
public struct Settlement: Sendable, Equatable {
    /// Devices by outcome.
    public var counts: OutcomeCounts
    /// Outcomes by reason.
    public var reasons: [String: Int]
    /// Requests made.
    public var attempts: Int
    /// What follows; at most one per rung and attempt.
    public var retries: [Retry]
    /// Positions of devices that the guard holds back.
    public var held: [UInt16]
    /// Tokens that the provider called dead.
    public var dead: [DeadToken]
    /// The final progress.
    public var progress: Progress
    /// Devices that were refused in this run for the content's sake (`ContentGuard`).
    public var contentFaults = 0
    /// Answers that runs of this shard before this one had, of which `contentFaults` says nothing.
    public var answeredBefore = 0

    /// A retry shard to be: only the devices that failed.
    public struct Retry: Sendable, Equatable {
        /// The rung it waits on.
        public var rung: Rung
        /// Its attempt; the parent's own when the retry is not charged.
        public var attempt: UInt32
        /// Not before this instant.
        public var notBefore: Timestamp?
        /// Positions in the parent shard.
        public var positions: [UInt16]
    }

    /// A dead token, by its place in the shard.
    public struct DeadToken: Sendable, Equatable {
        /// Position in the shard.
        public var position: UInt16
        /// Since when, by the provider's clock; nil when it did not say.
        public var since: Timestamp?
    }

    /// Settles a shard whose devices all have an outcome or a rung.
    ///
    /// The law of section 7 is checked here, in release builds too: nil means that devices ≠ outcomes + devices of
    /// the retry shards, and the shard is to be parked with an alarm.
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
                let charged = note?.charged ?? true
                add(UInt16(position), rung, charged ? attempt + 1 : attempt, note?.notBefore, to: &groups)
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
        _ attempt: UInt32,
        _ notBefore: Timestamp?,
        to groups: inout [Retry]
    ) {
        if let index = groups.firstIndex(where: { $0.rung == rung && $0.attempt == attempt }) {
            groups[index].positions.append(position)
            // Retry-After is a floor, so the group waits for the latest.
            if let notBefore { groups[index].notBefore = max(notBefore, groups[index].notBefore ?? notBefore) }
        } else {
            groups.append(Retry(rung: rung, attempt: attempt, notBefore: notBefore, positions: [position]))
        }
    }
}

extension Progress {
    /// Ends every device that has no outcome: what a cancel, an expiry or a newer campaign does to a shard.
    public mutating func endCooldown(_ outcome: Outcome) {
        for position in 0..<count {
            if case .outcome = state(at: position) { continue }
            end(position, outcome, Note(requests: UInt8(clamping: requests(at: position))))
        }
    }
}
