public import Campaigns

/// The transitions of a row.
///
/// The epoch is raised to reject a run that may still exist, the generation to reject a message that may still exist.
extension ShardRecord {
    /// The row after a granted claim: nobody else's writes count from now on.
    public func claimed(by worker: Int64) -> ShardRecord {
        var row = self
        row.state = .running
        row.epoch += 1
        row.owner = worker
        return row
    }

    /// The row outside the queues until the reason ends.
    public func setAside(_ reason: AsideReason) -> ShardRecord {
        var row = self
        row.state = reason.rowState
        row.generation += 1
        row.epoch += 1
        row.owner = 0
        row.aside = reason.rowState == .aside ? reason : nil
        return row
    }

    /// The row that waited for a verdict and now waits for another reason.
    public func keptBack(for reason: AsideReason) -> ShardRecord {
        var row = self
        row.aside = reason
        return row
    }

    /// The row that waits for a person's decision.
    ///
    /// Its message waits for the person as well: the generation stays, so that the message can be matched to the row.
    public func parked() -> ShardRecord {
        var row = self
        row.state = .parked
        row.epoch += 1
        row.owner = 0
        row.aside = nil
        return row
    }

    /// The row that a person let go: it waits only for its planner, which publishes it when the campaign may run.
    public func handedToPlanner() -> ShardRecord {
        var row = setAside(.handOver)
        (row.state, row.aside) = (.aside, .handOver)
        return row
    }

    /// The row that the planner publishes after it was set aside; the generation was raised then.
    ///
    /// Any turn that it had has passed.
    public func released() -> ShardRecord {
        var row = self
        row.state = .unpublished
        row.aside = nil
        row.slot = nil
        return row
    }

    /// The row as a breaker's probe: one of its devices is sent to at once.
    ///
    /// It keeps its former turn, so that the other devices, which have missed theirs, get another.
    public func probing() -> ShardRecord {
        var row = released()
        row.slot = slot
        return row
    }

    /// True if it waits for its turn under a rate.
    var isWaitingForTurn: Bool { state == .aside && aside == .rate }

    /// The row with a turn, whose message is published; the generation was raised when it began to wait.
    public func given(_ slot: Slot) -> ShardRecord {
        var row = released()
        row.slot = slot
        return row
    }

    /// The row after its message was given up, together with a run that may have it.
    public func publishedAnew() -> ShardRecord {
        var row = self
        row.state = .unpublished
        row.generation += 1
        row.epoch += 1
        row.owner = 0
        row.aside = nil
        return row
    }
}
