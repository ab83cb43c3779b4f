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

    /// The state of a row that is a run's.
    public static let state = ShardState.running

    /// Whether a row is still this run's: the one rule that all writes of runs are fenced by.
    ///
    /// Where many runs write at once it is the condition of the statement, with the same four values.
    public func holds(_ row: ShardRecord, count: Int? = nil) -> Bool {
        row.id.key == key && row.state == Self.state && row.epoch == epoch && row.owner == worker
            && row.count == count ?? row.count
    }

    /// A row with what this run knows of its devices; nil when it is not this run's.
    public func saving(_ progress: Progress, in row: ShardRecord) -> ShardRecord? {
        guard holds(row, count: progress.count) else { return nil }
        var row = row
        row.progress = progress
        return row
    }

    /// A row that this run gives up, so that whoever claims it next need not wait; nil when it is not this run's.
    ///
    /// It stays a run's with its epoch: only a claim makes it another's.
    public func givingUp(_ row: ShardRecord) -> ShardRecord? {
        guard holds(row) else { return nil }
        var row = row
        row.owner = 0
        return row
    }

    /// A row that waits for a person, because its run broke the law; nil when it is not this run's.
    public func parking(_ row: ShardRecord) -> ShardRecord? {
        holds(row) ? row.parked() : nil
    }
}
