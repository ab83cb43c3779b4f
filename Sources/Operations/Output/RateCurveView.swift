package import Campaigns
package import Delivery
package import Store

/// A campaign's devices by the time of their outcome, with what was done and what happened meanwhile.
package struct RateCurveView: Sendable {
    /// The number of marks at most: the latest.
    package static let marksMax = 200

    private let app: String
    private let campaign: String
    private let curve: RateCurve
    private let history: [HistoryEntry]

    /// Creates a view; of the history the latest entries are shown.
    package init(app: String, campaign: String, curve: RateCurve, history: [HistoryEntry]) {
        (self.app, self.campaign, self.curve) = (app, campaign, curve)
        self.history = Array(history.suffix(Self.marksMax))
    }

    /// Reads a campaign's curve and history; nil if there is no such campaign.
    ///
    /// Throws `LedgerError`.
    package static func read(app: String, id: String, in ledger: Ledger) async throws -> RateCurveView? {
        let now = ledger.now()
        return try await ledger.read { reader throws(LedgerError) in
            guard let number = try reader.campaignNumber(app: app, id: id),
                let curve = try reader.rateCurve(campaign: number, now: now)
            else { return nil }
            let history = try reader.history(campaign: number, now: now)
            return RateCurveView(app: app, campaign: id, curve: curve, history: history)
        }
    }

    /// The document of the HTTP API: the numbers of each interval as columns, and the marks as `campaign events --json`
    /// has them.
    package var json: JSONValue {
        func column(_ count: (OutcomeCounts) -> Int) -> JSONValue {
            .array(curve.points.map { .number(JSONNumber(count($0))) })
        }
        return .object([
            "id": .string(campaign), "app": .string(app), "begins_at": .string(curve.beginsAt.rfc3339),
            "ends_at": .string(curve.endsAt.rfc3339), "step_seconds": .number(JSONNumber(curve.step)),
            "devices": column(\.total),
            "outcomes": .object(Outcome.allCases.map { outcome in JSONMember(outcome.name, column { $0[outcome] }) }),
            "marks": .array(history.map { HistoryView($0, app: app, campaign: campaign).json }),
        ])
    }
}
