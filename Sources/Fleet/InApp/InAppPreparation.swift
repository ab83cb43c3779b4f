import Campaigns
import Delivery
import Store

/// Writes the tokens of an in-app campaign's lists where sessions find them, a step at a time.
///
/// Fenced by the planner's lease; whoever has it next begins anew. Confined to the planner's task.
final class InAppPreparation {
    /// Rows of a transaction: half a megabyte.
    private static let rowsMax = 64

    private let ledger: Ledger
    let campaign: UInt32
    let leaseEpoch: UInt32
    private let worker: Int64
    private let app: String
    private var lists: [UInt32]
    private var position: Int64 = -1
    private var tokens: InAppTokens
    private var rows: [InAppTokens.Row]?
    private var isFirst = true

    init(_ lease: (campaign: UInt32, app: String, epoch: UInt32), worker: Int64, lists: [UInt32], ledger: Ledger) {
        (campaign, app, leaseEpoch) = lease
        (self.worker, self.lists, self.ledger) = (worker, lists, ledger)
        tokens = InAppTokens(app: lease.app)
    }

    /// Works for about so long.
    func step(upTo limit: Duration) async throws -> PlannerSteps.Work {
        let end = ContinuousClock.now + limit
        let (campaign, leaseEpoch, worker) = (campaign, leaseEpoch, worker)
        while let list = lists.first {
            if let left = rows {
                let (piece, isFirst) = (Array(left.prefix(Self.rowsMax)), isFirst)
                let isOurs = try await ledger.write(.normal, haste: .withOthers) {
                    try $0.writeInAppTokens(
                        piece,
                        campaign: campaign,
                        list: list,
                        isFirst: isFirst,
                        leaseEpoch: leaseEpoch,
                        worker: worker
                    )
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
        let isOurs = try await ledger.write(.normal) {
            try $0.finishInAppTokens(campaign: campaign, leaseEpoch: leaseEpoch, worker: worker)
        }
        return isOurs ? .done : .fenced
    }

    private func next() {
        lists.removeFirst()
        (position, rows, isFirst) = (-1, nil, true)
        tokens = InAppTokens(app: app)
    }
}
