/// The write to one shard's row in a transaction of the ledger.
public enum RowWrite: Sendable, Equatable {
    /// The row stays as it is.
    case nothing
    /// A worker runs the row; `deaths` workers have died with it.
    case runs(ShardRecord, deaths: Int)
    /// The row goes to another state without an owner, and its count of dead workers starts again.
    case moves(ShardRecord)
    /// The row is settled.
    case settles(RowSettling)

    /// The row afterwards; nil if it stays as it is.
    public var row: ShardRecord? {
        switch self {
        case .nothing: nil
        case .runs(let row, _), .moves(let row): row
        case .settles(let settling): settling.row
        }
    }
}
