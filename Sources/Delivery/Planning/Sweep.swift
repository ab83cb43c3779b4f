public import Campaigns

/// The sweeper's rules (design, section 7): what is published again because nobody else will.
public enum Sweep {
    /// An outbox row that is older was left behind by whoever wrote it.
    public static let outboxAge = Duration.seconds(10)
    /// A shard whose message is this late, in an empty lane, has no message any more.
    public static let lostAfter = Duration.seconds(15 * 60)

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
        outboxWrittenAt.advanced(by: outboxAge) <= now
    }

    /// What is done about a row.
    ///
    /// Whether a running shard's worker still lives is not asked: one that lost its lease has ended its run and lives
    /// on, and its message came back, unless the broker lost it. A run with a lease holds a message of the lane, and at
    /// most for five minutes.
    ///
    /// - Parameters:
    ///   - shard: the row.
    ///   - outboxWrittenAt: when its outbox row was written; nil without one.
    ///   - since: when it was last published (for a retry plus the rung's time), claimed, or saved.
    ///   - isLaneEmpty: whether its lane's queue holds nothing, messages that are delivered and not acked included.
    ///   - now: the instant.
    public static func action(
        for shard: ShardRecord,
        outboxWrittenAt: Timestamp?,
        since: Timestamp,
        isLaneEmpty: Bool,
        now: Timestamp
    ) -> Action {
        switch shard.state {
        case .settled, .parked, .aside: return .leave
        case .unpublished, .out:
            if let outboxWrittenAt {
                // On a rung it is published when it is due, straight to its lane.
                let isWaiting = shard.dueAt.map { $0 > now } ?? false
                return isDue(outboxWrittenAt: outboxWrittenAt, now: now) && !isWaiting ? .publish : .leave
            }
        case .running: break
        }
        // The rung's `.b` queue keeps a message a quarter longer.
        let latest = since.advanced(by: shard.rung.map { $0.delay / 4 } ?? .zero)
        guard isLaneEmpty, latest.advanced(by: lostAfter) <= now else { return .leave }
        return .publishAnew
    }
}
