import Delivery
import Operations
import Store

/// The operator of one campaign: gives its orders as the commands do, until each is carried out.
///
/// Safety: used by the process's only thread.
final class CampaignOperator: @unchecked Sendable {
    let campaign: FleetCampaign
    private let trace: Trace
    private var left: ArraySlice<FleetCampaign.Order>

    init(_ campaign: FleetCampaign, _ trace: Trace) {
        self.campaign = campaign
        self.trace = trace
        left = campaign.orders[...]
    }

    /// Gives the orders that are left; `give` carries one out.
    func run(_ give: (CampaignOrder) async throws -> LifeResult) async {
        while let next = left.first {
            try? await Task.sleep(for: .milliseconds(next.after))
            while !(await isDone(next, give)) { try? await Task.sleep(for: .milliseconds(200)) }
            left = left.dropFirst()
        }
    }

    private func isDone(
        _ next: FleetCampaign.Order,
        _ give: (CampaignOrder) async throws -> LifeResult
    ) async -> Bool {
        do {
            switch try await give(CampaignOrder(next.order)) {
            case .done(let facts):
                trace.note("operator", "\(next.order) of \(campaign.id): \(facts.stage)")
                return true
            case .over(let facts):
                trace.note("operator", "\(next.order) of \(campaign.id) comes too late: \(facts.stage)")
                return true
            case .unknown, .notHeld, .wrongEnd: return false
            }
        } catch {
            trace.note("operator", "no \(next.order) of \(campaign.id): \(error)")
            return false
        }
    }
}
