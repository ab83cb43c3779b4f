/// Metrics of a process's writer since its creation.
public struct LedgerMetrics: Sendable, Equatable {
    /// Committed transactions.
    public internal(set) var commits = 0
    /// Bodies in the committed transactions.
    public internal(set) var bodies = 0
    /// Time in the committed transactions, commits included.
    public internal(set) var nanoseconds: UInt64 = 0
    /// Failed transactions; their bodies wait or were refused.
    public internal(set) var failures = 0
    /// Bodies that are waiting at this instant.
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

/// The durations of a writer's longest bodies by caller; the control plane's bodies are pieces (`WorkPiece.longest`).
public struct LongestBodies: Sendable, Equatable {
    /// Shorter bodies are not kept: 1 ms.
    private static let least: UInt64 = 1_000_000

    /// Nanoseconds by the caller's function.
    public private(set) var nanoseconds: [String: UInt64] = [:]

    mutating func note(_ caller: StaticString, nanoseconds time: UInt64) {
        guard time >= Self.least else { return }
        nanoseconds["\(caller)", default: 0] = max(nanoseconds["\(caller)"] ?? 0, time)
    }

    mutating func add(_ others: LongestBodies) {
        nanoseconds.merge(others.nanoseconds) { max($0, $1) }
    }
}
