/// What the writer of a process has done since it was made.
public struct LedgerMetrics: Sendable, Equatable {
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
    /// The longest body of each kind, without the commit.
    public internal(set) var longest = LongestBodies()

    /// No work yet.
    public init() {}

    mutating func committed(_ bodies: Int, nanoseconds: UInt64) {
        commits += 1
        self.bodies += bodies
        self.nanoseconds += nanoseconds
    }
}

/// How long the longest bodies of a writer took, by who submitted them: the control plane's are pieces
/// (`WorkPiece.longest`).
public struct LongestBodies: Sendable, Equatable {
    /// What took less is not kept: 1 ms.
    private static let least: UInt64 = 1_000_000

    /// Nanoseconds by the function of the caller.
    public private(set) var nanoseconds: [String: UInt64] = [:]

    /// The longest of all, with its name; nil when none took a millisecond.
    public var first: (caller: String, nanoseconds: UInt64)? {
        nanoseconds.max { $0.value < $1.value }.map { (caller: $0.key, nanoseconds: $0.value) }
    }

    mutating func note(_ caller: StaticString, nanoseconds time: UInt64) {
        guard time >= Self.least else { return }
        nanoseconds["\(caller)", default: 0] = max(nanoseconds["\(caller)"] ?? 0, time)
    }

    mutating func add(_ others: LongestBodies) {
        nanoseconds.merge(others.nanoseconds) { max($0, $1) }
    }
}
