import Campaigns
import Delivery
import Logging
import Store

/// What planners do for campaigns in pieces, between which everything else has its turn.
extension Planner {
    /// Does a piece of what campaigns that are over have left, whoever plans them; returns whether there is more.
    func endDue() async throws -> Bool {
        let isMore = try await ledger.write(.synced) { try $0.endDue(now: ledger.now()).isMore }
        outlet.eventsWritten()
        return isMore
    }

    /// Publishes what was set aside for reasons that have ended.
    func release(_ lease: LeasedCampaign) async throws {
        guard lease.facts.mayPlan(at: ledger.now()) else { return }
        let (campaign, isPaced, share) = (lease.facts.number, isPaced(lease), lease.facts.share)
        let hasAside = try await ledger.read {
            try !$0.openShards(campaign: campaign, states: [.aside], of: share.map { [$0] }, limit: 1).isEmpty
        }
        guard hasAside else { return }
        var left = lease.facts.breaker.pace(now: ledger.now())
        while left > 0 {
            let limit = left
            let shards = try await ledger.write(.synced) {
                try $0.releaseAside(
                    campaign: campaign,
                    share: share,
                    knowsApp: true,
                    isPaced: isPaced,
                    limit: limit,
                    now: ledger.now()
                )
            }
            await outlet.publish(shards)
            if shards.isEmpty { return }
            left -= shards.count
        }
    }

    /// Computes the quiet hours of campaigns further, before they are needed.
    func extendQuiet() async throws {
        let now = ledger.now()
        let parts = try await ledger.read { try $0.quietToExtend(now: now) }
        guard !parts.isEmpty else { return }
        let until = now.advanced(by: QuietHours.knownAhead)
        let known = parts.map { part in
            let zone = part.rule.timeZone.flatMap { ZoneFiles.rules($0) } ?? .utc
            return (part: part, windows: part.rule.hours.windows(from: now, to: until, in: zone), until: until)
        }
        try await ledger.write(.normal) { try $0.extendQuiet(known, now: now) }
    }
}
