/// What the writer of a process has done since it was made.
public struct LedgerFigures: Sendable, Equatable {
    /// Transactions that were committed.
    public internal(set) var commits = 0
    /// Bodies in them.
    public internal(set) var bodies = 0
    /// Time in them, commits included.
    public internal(set) var nanoseconds: UInt64 = 0
    /// Transactions that failed, whose bodies wait or were refused.
    public internal(set) var failures = 0
    /// Bodies that wait at this instant.
    public internal(set) var waiting = 0

    /// No work yet.
    public init() {}

    mutating func committed(_ bodies: Int, nanoseconds: UInt64) {
        commits += 1
        self.bodies += bodies
        self.nanoseconds += nanoseconds
    }
}
