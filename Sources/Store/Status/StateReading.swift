import Campaigns
import Delivery

/// The facts in the ledger from which `StateReason` makes the reasons of a campaign's state.
extension LedgerReader {
    /// The facts of a status whose numbers are counted.
    func stateFacts(
        _ status: CampaignStatus,
        _ campaign: CampaignFacts,
        _ counters: Counters,
        now: Timestamp
    ) throws(LedgerError) -> StateFacts {
        var facts = StateFacts(app: status.app, stage: status.stage)
        guard status.stage.isLive else {
            facts.end = try end(status, campaign)
            return facts
        }
        (facts.pausedBy, facts.sendsPushes) = (status.pausedBy, status.sendsPushes)
        facts.pending = status.pending
        facts.waitingForTurn = counters.waitingForTurn
        facts.held = counters.held
        facts.retries = counters.retries
        facts.perSecond = campaign.pace?.perSecond
        facts.isReleased = campaign.isReleased
        facts.awaitedUpload = status.stage == .planning ? try awaitedUpload(of: status.number) : nil
        let waiting = status.parts.filter { $0.unplanned > 0 }.map { $0.opens(after: now) }
        if !waiting.isEmpty, waiting.allSatisfy({ $0 != nil }) {
            let first = waiting.compactMap(\.self).min { $0.at < $1.at }
            (facts.partsOpenAt, facts.isQuiet) = (first?.at, first?.isQuiet ?? false)
        }
        let workers = try knownWorkers(now: now).filter { $0.isLive(now: now) }
        let accounts = workers.reduce(into: AppAccounts()) { $0.formUnion($1.accounts) }
        let health = FleetHealth(workers: workers, clockSource: .host)
        facts.fleet.problems = health.problems(now: now).filter { HealthProblem.Code.stoppingAll.contains($0.code) }
        facts.isAppServed = accounts.providers[status.app] != nil
        facts.shares = status.providers.filter { $0.pending.total > 0 }.map { share in
            StateFacts.Share(
                lane: Lane(provider: share.provider, urgency: status.lane.urgency),
                pausedBy: share.pausedBy,
                isServed: accounts.has(status.app, share.provider)
            )
        }
        return facts
    }

    private func end(_ status: CampaignStatus, _ campaign: CampaignFacts) throws(LedgerError) -> StateFacts.End {
        var end = StateFacts.End(expiresAt: status.expiresAt)
        (end.counts, end.supersededBy) = (status.counts, status.supersededBy)
        let rows = try db.rows(
            "SELECT failure, hold = 1 AND fired_at IS NULL AS is_unfired FROM campaigns WHERE number = ?1",
            .int(status.number)
        )
        if try rows.next() {
            end.failure = rows.optionalText("failure")
            end.isUnfired = status.stage == .completed && rows.bool("is_unfired")
        }
        if end.counts.expired > 0 { end.expired = try expiredReasons(status.number) }
        (end.cancelledBy, end.pausedBy) = try notesOfEnd(status.number)
        return end
    }

    /// The expired devices that had been tried before, by the reason of their last try.
    private func expiredReasons(_ number: UInt32) throws(LedgerError) -> [String: Int] {
        let rows = try db.rows(
            """
            SELECT s.retry_reasons, count(*) AS rows, coalesce(sum(s.expired), 0) AS expired FROM shards s
            WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled)) AND s.expired > 0 AND s.retry_reasons IS NOT NULL
            GROUP BY s.retry_reasons
            """,
            .int(number)
        )
        var reasons: [String: Int] = [:]
        while try rows.next() {
            let some = ReasonCounts.counts(
                rows.text("retry_reasons"),
                times: rows.int("rows"),
                of: rows.int("expired")
            )
            reasons.merge(some) { $0 + $1 }
        }
        return reasons
    }
}

extension PartStatus {
    /// The instant at which its devices may be sent to; nil if they may be now.
    fileprivate func opens(after now: Timestamp) -> (at: Timestamp, isQuiet: Bool)? {
        // A part that was accepted in its quiet hours is released when they end.
        if let quietUntil, quietUntil > now, !hasOwnTimes || quietUntil >= releaseAt { return (quietUntil, true) }
        return hasOwnTimes && releaseAt > now ? (releaseAt, false) : nil
    }
}
