import Delivery
import Store

/// What a planner does on a host whose wall clock is far from the shared time: nothing.
extension Planner {
    /// Whether it may plan, expire and give up what is old.
    var isInTime: Bool { ledger.standing.verdict != .lost }

    /// Gives its leases back, so that others have its campaigns at once.
    func giveUp(_ leases: inout [LeasedCampaign]) async throws {
        guard !leases.isEmpty else { return }
        leases = []
        let worker = worker
        try await ledger.write(.normal) { try $0.releaseLeases(worker: worker) }
    }
}
