public import Campaigns

/// What becomes of one shard's row in a transaction of the ledger.
public enum RowWrite: Sendable, Equatable {
    /// It stays as it is.
    case nothing
    /// A worker runs it; so many workers have died with it.
    case runs(ShardRecord, deaths: Int)
    /// It goes to another state, in nobody's hand, and no worker has died with it any more.
    case moves(ShardRecord)
    /// It is settled.
    case settles(RowSettling)

    /// The row as it stands afterwards; nil when it stays as it is.
    public var row: ShardRecord? {
        switch self {
        case .nothing: nil
        case .runs(let row, _), .moves(let row): row
        case .settles(let settling): settling.row
        }
    }
}

/// A shard whose devices cannot be counted: neither outcomes nor retry shards for all of them.
public struct UnlawfulShard: Error, Equatable, CustomStringConvertible {
    /// Who it is.
    public var id: ShardID

    /// A word for people.
    public var description: String { "shard \(id) cannot be ended" }
}

/// The states that a row goes to.
///
/// An epoch is raised whenever a run that may still exist is to be refused from then on, a generation whenever a message
/// that may still exist is.
extension ShardRecord {
    /// A claim is granted: nobody else's writes count from now on.
    public func claimed(by worker: Int64) -> ShardRecord {
        var row = self
        row.state = .running
        row.epoch += 1
        row.owner = worker
        return row
    }

    /// Out of the queues until the reason ends.
    public func setAside(_ reason: AsideReason) -> ShardRecord {
        var row = self
        row.state = reason.rowState
        row.generation += 1
        row.epoch += 1
        row.owner = 0
        row.aside = reason.rowState == .aside ? reason : nil
        return row
    }

    /// What waits for a verdict waits for another reason from now on.
    public func keptBack(for reason: AsideReason) -> ShardRecord {
        var row = self
        row.aside = reason
        return row
    }

    /// A person decides about it.
    ///
    /// Its message is the person's as well: the generation stays, so that it can be told whose row it is.
    public func parked() -> ShardRecord {
        var row = self
        row.state = .parked
        row.epoch += 1
        row.owner = 0
        row.aside = nil
        return row
    }

    /// A person let it go: it waits for nothing but its planner, which publishes it when the campaign may run.
    public func handedToPlanner() -> ShardRecord {
        var row = setAside(.handOver)
        (row.state, row.aside) = (.aside, .handOver)
        return row
    }

    /// The planner publishes what was set aside; the generation was raised then.
    ///
    /// Whatever turn it had has passed.
    public func released() -> ShardRecord {
        var row = self
        row.state = .unpublished
        row.aside = nil
        row.slot = nil
        return row
    }

    /// It asks for a breaker whether the provider is well again: one of its devices at once.
    ///
    /// It keeps the turn that it had, so that the others, who have missed theirs, get another.
    public func probing() -> ShardRecord {
        var row = released()
        row.slot = slot
        return row
    }

    /// Whether it waits for its turn under a rate.
    var isWaitingForTurn: Bool { state == .aside && aside == .rate }

    /// It has a turn, and its message is published; the generation was raised when it began to wait.
    public func given(_ slot: Slot) -> ShardRecord {
        var row = released()
        row.slot = slot
        return row
    }

    /// Its message is given up, and with it a run that may have it.
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
