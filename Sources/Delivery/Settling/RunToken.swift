public import Campaigns

/// A run's right to write: the row, the epoch of its claim, and the worker that claimed it.
public struct RunToken: Hashable, Sendable {
    /// The row.
    public var key: ShardKey
    /// The epoch that the claim raised.
    public var epoch: UInt32
    /// The worker.
    public var worker: Int64

    /// A token from what a claim returned.
    public init(key: ShardKey, epoch: UInt32, worker: Int64) {
        self.key = key
        self.epoch = epoch
        self.worker = worker
    }

    /// The state of a row that a run owns.
    public static let state = ShardState.running

    /// Returns true if a row is still this run's: the single rule that fences all writes of runs.
    ///
    /// If many runs write at once, it is the condition of the statement, with the same four values.
    public func holds(_ row: ShardRecord, count: Int? = nil) -> Bool {
        row.id.key == key && row.state == Self.state && row.epoch == epoch && row.owner == worker
            && row.count == count ?? row.count
    }

    /// The row with this run's progress; nil if the row is not this run's.
    public func saving(_ progress: Progress, in row: ShardRecord) -> ShardRecord? {
        guard holds(row, count: progress.count) else { return nil }
        var row = row
        row.progress = progress
        return row
    }

    /// The row after this run has given it up, so that the next claim need not wait; nil if the row is not this run's.
    ///
    /// It keeps its state and epoch: only a claim gives it to another run.
    public func givingUp(_ row: ShardRecord) -> ShardRecord? {
        guard holds(row) else { return nil }
        var row = row
        row.owner = 0
        return row
    }

    /// The row that waits for a person, because its run broke the law; nil if the row is not this run's.
    public func parking(_ row: ShardRecord) -> ShardRecord? {
        holds(row) ? row.parked() : nil
    }
}
