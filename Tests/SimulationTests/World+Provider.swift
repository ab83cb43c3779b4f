import Campaigns
import Delivery

/// The requests of all workers, and the provider's answers.
extension World {
    func streamOpened(_ shard: Shard, epoch: UInt32, position: Int, isProbe: Bool, isLeaseLost: Bool) {
        ledger.streamOpened(shard.id.key, epoch: epoch, position: position)
        // A worker learns of a change half a second later by its poll of the ledger, unless the poll fails.
        let isSeen = faults.blind + faults.away == 0
        if hasNewerBegun { violation = "\(shard.id) opened a stream after the newer campaign began" }
        if isLeaseLost { violation = "\(shard.id) opened a stream without its lease" }
        if let quietHoursFrom, now > quietHoursFrom, isSeen, ledger.inQuiet(shard.id.key) {
            violation = "\(shard.id) opened a stream in quiet hours"
        }
        if let broken = ledger.broken(by: shard, position: position, isProbe: isProbe, now: now) {
            violation = "\(shard.id) \(broken)"
        }
        let share = ledger.share(shard.id.key)
        if let from = quietFrom[share], now > from, isSeen {
            violation = "\(shard.id) opened a stream after a pause or cancel"
        }
        if share == .second, outageUntil != nil { report.besideOutage += 1 }
        if share == .first, ledger.isSecondSuspended { report.besidePause += 1 }
        if isSeen, share == .first, case .open(let probe) = ledger.campaign.breaker, let breaker = ledger.breaker,
            now > breaker.since.advanced(by: SimulatedWorker.pollEvery), !(isProbe && probe == shard.id.key)
        {
            violation = "\(shard.id) opened a stream behind an open breaker"
        }
        if now >= shard.facts.expiresAt { violation = "\(shard.id) opened a stream after the end" }
        if let endChangedAt, isSeen, now > endChangedAt.advanced(by: SimulatedWorker.pollEvery),
            now >= ledger.campaign.expiresAt
        {
            violation = "\(shard.id) opened a stream after the campaign's new end"
        }
        if let notBefore = shard.notBefore, now < notBefore { violation = "\(shard.id) opened a stream too early" }
    }

    private func key(_ shard: Shard, _ position: Int) -> SimulatedProvider.DeviceKey {
        let token = shard.devices.tokens[shard.devices.tokenRange(at: position)]
        return SimulatedProvider.DeviceKey(ordinal: UInt32(token.first ?? .max), position: UInt16(token.last ?? .max))
    }

    /// Returns true if a device's content drops it, which is the same at each attempt.
    func isLeftOut(_ shard: Shard, _ position: Int) -> Bool { provider.leftOut.contains(key(shard, position)) }

    /// Returns the answer to a request; `probe` is the epoch of a run that is a breaker's probe.
    func answer(_ shard: Shard, _ position: Int, probe: UInt32?) -> SimulatedProvider.Reply {
        let key = key(shard, position)
        if provider.leftOut.contains(key) { violation = "\(shard.id) sends to a device that its content drops" }
        if provider.known[key] != nil { violation = "\(shard.id) sends to a device that has an outcome" }
        // A killed worker may leave answers that nobody else receives.
        if report.crashes + report.disconnects == 0,
            let broken = provider.broken(by: key, maxAttempts: shard.facts.policy.maxAttempts, now: now)
        {
            violation = "\(shard.id) \(broken)"
        }
        if key.ordinal != shard.id.key.chunk || key.position != shard.chunkPosition(at: position) {
            violation = "\(shard.id) carries a device that is not its own"
        }
        if outageUntil != nil, ledger.share(shard.id.key) == .first {
            if let probe, !failedProbes.insert("\(shard.id) \(probe)").inserted {
                violation = "\(shard.id) asks as a probe once more after a fault"
            }
            provider.charge(key)
            ledger.faultedAt = now
            return SimulatedProvider.outage
        }
        let reply = provider.answer(key, now: now)
        if case .silence = reply { ledger.faultedAt = now }
        if reply == SimulatedProvider.credentialRefused {
            let share = ledger.share(shard.id.key)
            ledger.credentialsRefused(share, isRefused: true)
            credentialsUntil[share] = now.advanced(by: .seconds(30))
            settleQuiet()
        }
        return reply
    }
}
