public import Campaigns

/// The sweeper's rules (design, section 7): what is published again because nobody else will.
public enum Sweep {
    /// An outbox row that is older was left behind by whoever wrote it.
    public static let outboxAge = Duration.seconds(10)
    /// A shard whose message is this late, in an empty lane, has no message any more.
    public static let lostAfter = Duration.seconds(15 * 60)

    /// In a lane that moves, a message that has not come although one that was published this much later has.
    ///
    /// So long a message that was delivered may be held, and a full work queue keeps back what comes off a rung.
    public static let overtakenBy = Duration.seconds(5 * 60)

    /// What is known of the messages of a lane.
    public enum LaneProbe: Equatable, Sendable {
        /// Nothing.
        case unknown
        /// Its queue holds nothing, messages that are delivered and not acked included.
        case empty
        /// A message that was published at this instant has been claimed, at its first delivery.
        ///
        /// A queue hands its messages out in their order, and what comes back before all others: what was published
        /// before and is still to come was lost, or somebody holds it.
        case movedPast(Timestamp)
    }

    /// What is done about a shard's row.
    public enum Action: Equatable, Sendable {
        /// Nothing.
        case leave
        /// Publish the outbox row as it is: the same message again.
        case publish
        /// The message is lost: generation + 1, state `unpublished`, an outbox row, and a report.
        case publishAnew
    }

    /// Whether an outbox row, of a shard or an event, is published again.
    public static func isDue(outboxWrittenAt: Timestamp, now: Timestamp) -> Bool {
        outboxWrittenAt.advanced(by: outboxAge) <= now || outboxWrittenAt > Ahead.done.limit(now)
    }

    /// Devices that may have been sent to by a run whose message is given up: nobody knows what it has done.
    public static func maybeSent(_ shard: ShardRecord) -> Int {
        shard.state == .running && shard.owner != 0 ? shard.progress.pendingCount : 0
    }

    /// The row with a new message, in place of the one that was given up; nil when it has moved on since it was looked at.
    ///
    /// What waits, and what is settled, has no message that could be lost. What is not confirmed yet is published again as
    /// it is.
    public static func renewed(_ row: ShardRecord?, from old: ShardRecord) -> ShardRecord? {
        guard let row, (row.generation, row.epoch) == (old.generation, old.epoch), row.state == old.state else {
            return nil
        }
        switch row.state {
        case .out, .running, .parked: return row.publishedAnew()
        case .unpublished, .aside, .settled: return nil
        }
    }

    /// What is done about a row.
    ///
    /// In an empty lane it is not asked whether a running shard's worker still lives: one that lost its lease has ended
    /// its run and lives on, and its message came back, unless the broker lost it. A run with a lease holds a message of
    /// the lane, and at most for five minutes. A lane that is never empty proves it otherwise (`movedPast`); there a row
    /// whose worker lives and has not given it up is left, because the worker may hold its message.
    ///
    /// A message that was not lost after all is a superseded copy from then on, and harmless: nobody had claimed it.
    ///
    /// - Parameters:
    ///   - shard: the row.
    ///   - outboxWrittenAt: when its outbox row was written; nil without one.
    ///   - since: when it was last published (for a retry plus the rung's time), claimed, or saved.
    ///   - lane: what is known of its lane.
    ///   - owner: whose a running row is.
    ///   - now: the instant.
    public static func action(
        for shard: ShardRecord,
        outboxWrittenAt: Timestamp?,
        since: Timestamp,
        lane: LaneProbe,
        owner: Claim.Owner = .nobody,
        now: Timestamp
    ) -> Action {
        switch shard.state {
        case .settled, .parked, .aside: return .leave
        case .unpublished, .out:
            if let outboxWrittenAt {
                // On a rung it is published when it is due, straight to its lane.
                let isWaiting = shard.dueAt.map { !Ahead.rung.isPassed($0, now: now) } ?? false
                return isDue(outboxWrittenAt: outboxWrittenAt, now: now) && !isWaiting ? .publish : .leave
            }
        case .running: break
        }
        // The rung's `.b` queue keeps a message a quarter longer. An instant that no rung reaches was written by a clock
        // that was wrong: nobody knows when that was, but it has passed.
        let latest =
            since > Ahead.rung.limit(now)
            ? now.advanced(by: .zero - lostAfter) : since.advanced(by: shard.rung.map { $0.delay / 4 } ?? .zero)
        guard latest.advanced(by: lostAfter) <= now else { return .leave }
        switch lane {
        case .unknown: return .leave
        case .empty: return .publishAnew
        case .movedPast(let published):
            guard owner != .alive, latest.advanced(by: overtakenBy) < published else { return .leave }
            return .publishAnew
        }
    }
}
