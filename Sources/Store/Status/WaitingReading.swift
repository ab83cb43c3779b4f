public import Campaigns
public import Delivery

extension LedgerReader {
    /// The devices that wait in campaigns which may be sent now, an element for each campaign that has some.
    ///
    /// Paused and held ones are left out, and those that begin after `begin`. Of an audience that is being frozen and
    /// sent, what is to come is estimated.
    ///
    /// - Parameters:
    ///   - app: The app of a campaign that does not count.
    ///   - id: Its id.
    ///   - begin: The instant from which somebody else wants to send.
    ///   - now: The clock that all workers share.
    public func waitingDevices(
        exceptApp app: String,
        id: String,
        begin: Timestamp,
        now: Timestamp
    ) throws(LedgerError) -> [WaitingDevices] {
        var waiting: [WaitingDevices] = []
        for summary in try campaigns(app: nil, isOpen: true, limit: .max) {
            let facts = summary.facts
            guard facts.mayPlan(at: max(begin, now)), !facts.isInApp, facts.app != app || facts.id != id,
                let status = try status(campaign: facts.number, now: now)
            else { continue }
            let devices = status.waiting
            if !devices.isEmpty {
                waiting.append(WaitingDevices(app: facts.app, urgency: status.lane.urgency, devices: devices))
            }
        }
        return waiting
    }

    /// The number of a list's devices by provider.
    public func deviceCounts(list: UInt32) throws(LedgerError) -> [ProviderName: Int] {
        let rows = try db.rows(
            "SELECT provider, sum(count) AS devices FROM chunks WHERE list = ?1 GROUP BY provider",
            .int(list)
        )
        var counts: [ProviderName: Int] = [:]
        while try rows.next() { counts[rows.provider("provider")] = rows.int("devices") }
        return counts
    }
}

extension CampaignStatus {
    /// The devices without an outcome that may be sent to, by provider, with those that its estimate still expects.
    fileprivate var waiting: [ProviderName: Int] {
        let toCome = max(0, (estimate?.devices ?? 0) - audience)
        let known = max(1, providers.reduce(0) { $0 + $1.audience })
        var devices: [ProviderName: Int] = [:]
        for share in providers where share.pausedBy.isEmpty {
            let open = share.pending.total - share.pending.held - share.pending.parked
            let more = Int(Double(toCome) * Double(share.audience) / Double(known))
            if open + more > 0 { devices[share.provider] = open + more }
        }
        return devices
    }
}
