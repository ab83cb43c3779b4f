import Campaigns
import Delivery
import Store

/// Writes the tokens of an in-app campaign's lists where sessions find them, step by step.
///
/// Fenced by the planner's lease; the next holder starts again. Confined to the planner's task.
final class InAppPreparation {
    /// The rows of a transaction: half a megabyte.
    private static let rowsMax = 64

    private let ledger: Ledger
    let lease: LeaseToken
    private let app: String
    private var lists: [UInt32]
    private var position: Int64 = -1
    private var tokens: InAppTokens
    private var rows: [InAppTokens.Row]?
    private var isFirst = true

    init(_ lease: LeaseToken, app: String, lists: [UInt32], ledger: Ledger) {
        (self.lease, self.app, self.lists, self.ledger) = (lease, app, lists, ledger)
        tokens = InAppTokens(app: app)
    }

    /// Works for about this long.
    func step(upTo limit: Duration) async throws -> PlannerSteps.Work {
        let end = ContinuousClock.now + limit
        let lease = lease
        while let list = lists.first {
            if let left = rows {
                let (piece, isFirst) = (Array(left.prefix(Self.rowsMax)), isFirst)
                let isOurs = try await ledger.write(.normal, priority: .withOthers) {
                    try $0.writeInAppTokens(piece, list: list, isFirst: isFirst, by: lease)
                }
                guard isOurs else { return .fenced }
                self.isFirst = false
                rows = Array(left.dropFirst(Self.rowsMax))
                if left.count <= Self.rowsMax { next() }
            } else {
                let after = position
                let chunks = try await ledger.read { try $0.listChunks(list, after: after) }
                for chunk in chunks { tokens.add(chunk) }
                if let last = chunks.last { position = Int64(last.ordinal) } else { rows = tokens.finish() }
            }
            if ContinuousClock.now >= end { return .goesOn }
        }
        // Nothing is published; what goes live (`beginInApp`) is synced, and this before it in the same log.
        let isOurs = try await ledger.write(.normal) { try $0.finishInAppTokens(by: lease) }
        return isOurs ? .done : .fenced
    }

    private func next() {
        lists.removeFirst()
        (position, rows, isFirst) = (-1, nil, true)
        tokens = InAppTokens(app: app)
    }
}
