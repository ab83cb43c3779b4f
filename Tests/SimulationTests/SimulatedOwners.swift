import Campaigns
import Delivery

/// The workers as the ledger knows them, and what claims made of that.
struct Owners {
    /// When a process last reported; its row lapses ten seconds later.
    var reportedAt: [Int64: Timestamp] = [:]
    /// Processes that were killed, or stood still: the truth, which the ledger does not know.
    var killed: Set<Int64> = []
    /// Processes that were stopped and have taken their rows away.
    var left: Set<Int64> = []
    /// Answers that a claim has to wait.
    var waits = 0
    /// Devices that were noted as maybe sent to.
    var maybeSent = 0

    static let silenceMax = Duration.seconds(10)
}

extension SimulatedLedger {
    /// Whose a row is.
    func owner(of key: ShardKey, now: Timestamp) -> Claim.Owner {
        guard let row = rows[key], row.state == .running, row.owner != 0 else { return .nobody }
        if broken == .livingOwnersIgnored || owners.left.contains(row.owner) { return .left }
        guard let reportedAt = owners.reportedAt[row.owner] else { return .dead }
        return reportedAt.advanced(by: Owners.silenceMax) < now ? .dead : .alive
    }

    /// Requests that the rows account for.
    var attempts: Int { rows.values.reduce(0) { $0 + $1.progress.attempts } }
}
