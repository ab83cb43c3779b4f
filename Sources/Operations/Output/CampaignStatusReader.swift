import Campaigns
package import Delivery
package import Store

/// Reads campaigns for `campaign status`, `campaign list` and the HTTP API: twice, to measure their rates.
package enum CampaignStatusReader {
    /// The time between the two reads; a shorter one says little about a rate.
    private static let pause = Duration.milliseconds(300)
    /// The number of campaigns in a list whose rates are measured at most.
    private static let sendingMax = 20
    /// The number of devices whose outcomes are counted at most for a list: 40,000 shards' rows.
    private static let countedMax = 20_000_000
    /// The number of campaigns whose histories one read looks into.
    private static let readMax = 200

    /// Returns a campaign's status; nil when the ledger does not have it.
    ///
    /// Throws `LedgerError`, or when the task is cancelled. Without an app it throws `LedgerError.ambiguous` when two
    /// apps have the id. When nothing goes out, `fleet` is asked once: only the broker knows of its queues.
    package static func status(
        app: String?,
        id: String,
        in ledger: Ledger,
        fleet: () async throws -> StateFacts.FleetState
    ) async throws -> CampaignStatusView? {
        var meter = RateMeter()
        guard let first = try await once(app: app, id: id, in: ledger) else { return nil }
        guard first.state == "sending" else { return first }
        _ = meter.rate(total: first.outcomes.total, now: ledger.now())
        try await Task.sleep(for: pause)
        guard var view = try await once(app: app, id: id, in: ledger) else { return first }
        let now = ledger.now()
        view.note(rate: meter.rate(total: view.outcomes.total, now: now), now: now)
        if view.state == "sending", view.sendsPushes, view.rate == 0 { view.note(fleet: try await fleet()) }
        return view
    }

    private static func once(app: String?, id: String, in ledger: Ledger) async throws -> CampaignStatusView? {
        let now = ledger.now()
        if let status = try await ledger.read({ try $0.status(app: app, id: id, now: now) }) {
            return CampaignStatusView(status)
        }
        return try await ledger.read { try $0.refusedJob(app: app, id: id) }.map { CampaignStatusView($0) }
    }

    /// Returns the rows of a list; the first twenty campaigns that are being sent have their rates.
    package static func rows(_ found: [CampaignSummary], in ledger: Ledger) async throws -> [CampaignRow] {
        var rows = found.map { CampaignRow($0) }
        try await measure(&rows, found, in: ledger)
        try await count(&rows, found, in: ledger)
        return rows
    }

    private static func measure(
        _ rows: inout [CampaignRow],
        _ found: [CampaignSummary],
        in ledger: Ledger
    ) async throws {
        let sending = rows.indices.filter { rows[$0].state == "sending" }.prefix(sendingMax)
        guard !sending.isEmpty else { return }
        let numbers = sending.map { found[$0].facts.number }
        var meters = sending.map { _ in RateMeter() }
        for round in 0..<2 {
            if round > 0 { try await Task.sleep(for: pause) }
            for (offset, index) in sending.enumerated() {
                let now = ledger.now()
                let number = numbers[offset]
                guard let status = try await ledger.read({ try $0.status(campaign: number, now: now) }) else {
                    continue
                }
                var view = CampaignStatusView(status)
                view.note(rate: meters[offset].rate(total: view.outcomes.total, now: now), now: now)
                (rows[index].rate, rows[index].etaAt, rows[index].outcomes) = (view.rate, view.etaAt, view.outcomes)
                if view.rate == 0 { rows[index].reasons = view.stateCodes }
            }
        }
    }

    /// Adds the outcomes that are missing: from the history where a campaign is completed, else counted while its
    /// devices are not too many for one list.
    private static func count(
        _ rows: inout [CampaignRow],
        _ found: [CampaignSummary],
        in ledger: Ledger
    ) async throws {
        let missing = rows.indices.filter { rows[$0].outcomes == nil }
        for first in stride(from: 0, to: missing.count, by: readMax) {
            let piece = missing[first..<min(first + readMax, missing.count)]
            let numbers = piece.map { found[$0].facts.number }
            let ended = try await ledger.read { reader throws(LedgerError) in
                try numbers.map { number throws(LedgerError) in try reader.completedOutcomes(of: number) }
            }
            for (index, outcomes) in zip(piece, ended) { rows[index].outcomes = outcomes }
        }
        var left = countedMax
        for index in missing where rows[index].outcomes == nil && left > 0 {
            left -= rows[index].audience
            let facts = found[index].facts
            rows[index].outcomes = try await ledger.read { try $0.countedOutcomes(of: facts) }
        }
    }

    /// The states that a list can be filtered by: those that campaigns have.
    package static let states =
        ["paused"] + CampaignStage.allCases.map(\.rawValue).filter { $0 != CampaignStage.refused.rawValue }
}
