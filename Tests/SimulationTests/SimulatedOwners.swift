import Campaigns
import Delivery

/// The workers known to the ledger, and the effects of claims on them.
struct Owners {
    /// The time of each process's last report; its row lapses ten seconds later.
    var reportedAt: [Int64: Timestamp] = [:]
    /// The processes that were really killed or frozen, which the ledger does not know.
    var killed: Set<Int64> = []
    /// The processes that were stopped and have given up their rows.
    var left: Set<Int64> = []
    /// The number of claims that were told to wait.
    var waits = 0
    /// The number of devices that were recorded as possibly sent to.
    var maybeSent = 0

    static let silenceMax = Duration.seconds(10)
}

extension SimulatedLedger {
    /// Returns the owner of a row.
    func owner(of key: ShardKey, now: Timestamp) -> Claim.Owner {
        guard let row = rows[key], row.state == .running, row.owner != 0 else { return .nobody }
        if broken == .livingOwnersIgnored || owners.left.contains(row.owner) { return .left }
        guard let reportedAt = owners.reportedAt[row.owner] else { return .dead }
        return reportedAt.advanced(by: Owners.silenceMax) < now ? .dead : .alive
    }

    /// The number of requests that the rows record.
    var attempts: Int { rows.values.reduce(0) { $0 + $1.progress.attempts } }
}
