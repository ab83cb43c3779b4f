public import Campaigns

/// The sweeper's rules (design, section 7): they publish again what nobody else will.
public enum Sweep {
    /// The age from which an outbox row counts as abandoned by its writer.
    public static let outboxAge = Duration.seconds(10)
    /// The lateness from which a shard in an empty lane has lost its message.
    public static let lostAfter = Duration.seconds(15 * 60)

    /// The lead by which a later message must have overtaken one that counts as lost, in a lane that moves.
    ///
    /// A delivered message may be held for that long, and a full work queue keeps back what comes off a rung.
    public static let overtakenBy = Duration.seconds(5 * 60)

    /// The facts about the messages of a lane.
    public enum LaneProbe: Equatable, Sendable {
        /// Nothing.
        case unknown
        /// The lane's queue holds nothing, delivered and unacked messages included.
        case empty
        /// A message that was published at this instant has been claimed, at its first delivery.
        ///
        /// A queue delivers its messages in order, and returned messages before all others. So a message that was
        /// published earlier and has not come was lost, or somebody holds it.
        case movedPast(Timestamp)
    }

    /// The action for a shard's row.
    public enum Action: Equatable, Sendable {
        /// Nothing.
        case leave
        /// Publish the outbox row as it is: the same message again.
        case publish
        /// The message is lost: generation + 1, state `unpublished`, an outbox row, and a report.
        case publishAnew
    }

    /// Returns true if an outbox row, of a shard or an event, is due to be published again.
    public static func isDue(outboxWrittenAt: Timestamp, now: Timestamp) -> Bool {
        outboxWrittenAt.advanced(by: outboxAge) <= now || outboxWrittenAt > FutureLimit.done.limit(now)
    }

    /// Returns the number of devices that may have been sent to by a run whose message is given up: its progress is
    /// unknown.
    public static func maybeSent(_ shard: ShardRecord) -> Int {
        shard.state == .running && shard.owner != 0 ? shard.progress.pendingCount : 0
    }

    /// The row with a new message instead of the one that was given up; nil if the row has changed since it was read.
    ///
    /// A row that waits or is settled has no message that could be lost. An unconfirmed message is published again as
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

    /// Decides about a row.
    ///
    /// In an empty lane it does not matter if a running shard's worker is still alive. A worker that lost its lease has
    /// ended its run and lives on, and its message came back, unless the broker lost it. A run with a lease holds a
    /// message of the lane, for at most five minutes. In a lane that is never empty, `movedPast` proves the loss. There
    /// a row is left alone if its worker is alive and has not given it up, because the worker may hold its message.
    ///
    /// A message that was not lost after all is a superseded copy from then on, and harmless: nobody had claimed it.
    ///
    /// - Parameters:
    ///   - shard: The row.
    ///   - outboxWrittenAt: The instant at which its outbox row was written; nil without one.
    ///   - since: The instant at which it was last published (for a retry plus the rung's time), claimed, or saved.
    ///   - lane: The facts about its lane.
    ///   - owner: The owner of a running row.
    ///   - now: The instant.
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
                // A row on a rung is published when it is due, straight to its lane.
                let isWaiting = shard.dueAt.map { !FutureLimit.rung.isPassed($0, now: now) } ?? false
                return isDue(outboxWrittenAt: outboxWrittenAt, now: now) && !isWaiting ? .publish : .leave
            }
        case .running: break
        }
        // The rung's `.b` queue keeps a message a quarter longer. An instant that no rung reaches was written by a
        // wrong clock: the true instant is unknown, but it has passed.
        let latest =
            since > FutureLimit.rung.limit(now)
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
