public import Campaigns
public import Delivery

/// The result of an operator's order.
public enum LifeResult: Sendable, Equatable {
    /// The order took effect, now or before.
    case done(CampaignFacts)
    /// The campaign is over; nothing was changed.
    case over(CampaignFacts)
    /// `fire` of a campaign that was never held; nothing was changed.
    case notHeld(CampaignFacts)
    /// The campaign cannot end at that instant; nothing was changed.
    case wrongEnd(CampaignFacts, ExpiryRule.EndProblem)
    /// The campaign does not exist.
    case unknown
}

extension LedgerTransaction {
    /// Pauses a campaign for a reason; running shards learn of it at the next poll (use `synced`).
    ///
    /// `detail` and `actor` go to the history: for example the provider's own words, and the person who ordered it.
    /// `share` limits the pause to this provider's devices in a campaign of several providers.
    public func pause(
        campaign: UInt32,
        share: ProviderName? = nil,
        reason: AsideReason = .paused,
        detail: String? = nil,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign, share: share) else { return .unknown }
        guard facts.stage.isLive else { return .over(facts) }
        let wasPaused = try reader.isPaused(campaign)
        let isNew = try !reader.ownReasons(facts).contains(reason)
        if isNew {
            try writePause(facts, try reader.ownReasons(facts).union([reason]))
            facts.pausedBy.insert(reason)
            if reason.pausingGuard == .content { try countContentTrip(&facts) }
            try note(
                .paused,
                campaign: campaign,
                by: actor,
                [
                    "reason": .string(reason.rawValue), "detail": detail.map(JSONValue.string),
                    "provider": share.map { .string($0.rawValue) }, "reasons": facts.reasonWords,
                ],
                now: now
            )
        }
        try bumpRevision()
        if !wasPaused, try reader.isPaused(campaign) { try addLifeEvent(.paused, campaign: campaign, now: now) }
        return .done(facts)
    }

    /// Pauses the campaign of a shard, or only the shard's provider in a campaign of several; returns the facts before.
    public func pause(
        of key: ShardKey,
        reason: AsideReason,
        detail: String,
        now: Timestamp
    ) throws(LedgerError) -> CampaignFacts? {
        guard let row = try reader.shard(key), let before = try reader.campaign(of: row) else { return nil }
        _ = try pause(campaign: key.campaign, share: before.share, reason: reason, detail: detail, now: now)
        return before
    }

    /// Removes one reason to pause, from all providers; the campaign runs when no reason remains (use `synced`).
    ///
    /// Removing `wrongEnvironment` a second time lifts the guard: the provider's verdict on those tokens is then
    /// believed.
    public func resume(
        campaign: UInt32,
        reason: AsideReason = .paused,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign) else { return .unknown }
        guard facts.stage.isLive else { return .over(facts) }
        let wasPaused = try reader.isPaused(campaign)
        let isCampaigns = facts.pausedBy.remove(reason) != nil
        if isCampaigns { try writePause(facts, facts.pausedBy) }
        var wasThere = isCampaigns
        for share in try reader.shares(of: facts) {
            if facts.hasShares {
                let own = try reader.ownReasons(share)
                guard own.contains(reason) else { continue }
                try writePause(share, own.subtracting([reason]))
                wasThere = true
            } else if !isCampaigns {
                continue
            }
            if let pausing = reason.pausingGuard { try restart(pausing, share) }
        }
        try bumpRevision()
        if wasThere {
            let data: KeyValuePairs<String, JSONValue?> = [
                "reason": .string(reason.rawValue), "reasons": facts.reasonWords,
            ]
            try note(.resumed, campaign: campaign, by: actor, data, now: now)
        }
        if wasPaused, try !reader.isPaused(campaign) { try addLifeEvent(.resumed, campaign: campaign, now: now) }
        try expediteProbe(facts, now: now)
        return .done(facts)
    }

    /// Cancels a campaign: no further claim is granted, and the unplanned devices are counted (use `synced`).
    ///
    /// Settles one piece of the rows that no worker runs, which is all rows of a small campaign; `endCampaign` or any
    /// planner settles the others. Running shards learn of it at the next poll. Shards in queues and on rungs find
    /// their rows settled, or end with their claims.
    public func cancel(
        campaign: UInt32,
        by actor: String = HistoryEntry.fleet,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        var piece = Piece()
        return try cancel(campaign: campaign, by: actor, &piece, now: now)
    }

    /// Cancels a campaign, measuring the piece of work with a given clock.
    public func cancel(
        campaign: UInt32,
        by actor: String = HistoryEntry.fleet,
        _ piece: inout Piece,
        now: Timestamp
    ) throws(LedgerError) -> LifeResult {
        guard var facts = try reader.campaign(campaign) else { return .unknown }
        if facts.stage == .cancelled { return .done(facts) }
        guard facts.stage.isLive else { return .over(facts) }
        facts.stage = .cancelled
        try db.run("UPDATE campaigns SET stage = \(CampaignStage.cancelled.sql) WHERE number = ?1", .int(campaign))
        try markEnded(facts, .cancelled)
        _ = try settleWaiting(facts, &piece, now: now)
        if facts.isRepeated { try endRepeating(campaign, &piece, now: now) }
        try addLifeEvent(.cancelled, campaign: campaign, now: now)
        try note(.cancelled, campaign: campaign, by: actor, now: now)
        try bumpRevision()
        _ = try completeIfDone(campaign: campaign, now: now)
        return .done(facts)
    }

    /// Completes a campaign once all its devices have an outcome, with its event; returns the final stage if it did.
    public func completeIfDone(campaign: UInt32, now: Timestamp) throws(LedgerError) -> CampaignStage? {
        try judgeIfFinished(campaign: campaign, now: now)
        guard let facts = try reader.campaign(campaign), try reader.isDone(campaign: campaign) else { return nil }
        let stage = facts.stageWhenDone
        try db.run(
            "UPDATE campaigns SET stage = ?2, completed_at = ?3, lease_owner = 0 WHERE number = ?1",
            .int(campaign),
            .text(stage.rawValue),
            .time(now)
        )
        if facts.supersededBy != nil { try db.run("DELETE FROM stopped_runs WHERE campaign = ?1", .int(campaign)) }
        let counts = try reader.countedOutcomes(of: facts)
        if stage == .completed { try addLifeEvent(.completed, campaign: campaign, counts, now: now) }
        if stage == .completed { try endActivity(of: facts) }
        if stage == .completed, !facts.isInApp, facts.supersededBy == nil, facts.expiresAt > now {
            try noteUnnotified(campaign)
        }
        // The cancellation is in the history already; this entry comes when the running shards have their answers.
        try noteCompletion(of: campaign, stage, counts, now: now)
        try bumpRevision()
        return stage
    }

    private func countContentTrip(_ facts: inout CampaignFacts) throws(LedgerError) {
        facts.contentTrips += 1
        try update(facts, "content_trips = content_trips + 1")
    }

    private func writePause(_ facts: CampaignFacts, _ reasons: Set<AsideReason>) throws(LedgerError) {
        try update(facts, "paused_by = ?3", .text(CampaignRows.text(reasons)))
    }
}

extension LedgerReader {
    /// Returns true if all devices of a campaign have an outcome and it is not completed yet.
    public func isDone(campaign: UInt32) throws(LedgerError) -> Bool {
        let isOpen = try db.number(
            """
            SELECT 1 FROM campaigns c WHERE c.number = ?1 AND (
                c.completed_at IS NOT NULL OR c.cursor < c.chunks OR c.stage = \(CampaignStage.planning.sql)
                OR c.in_app = 1 AND EXISTS (
                    SELECT 1 FROM in_app_campaigns i WHERE i.campaign = c.number AND i.ended = 0
                )
                OR c.repeats = 1 AND (
                    EXISTS (SELECT 1 FROM repeats r WHERE r.campaign = c.number AND r.next_at IS NOT NULL)
                    OR EXISTS (
                        SELECT 1 FROM runs u JOIN campaigns k ON k.number = u.campaign
                        WHERE u.parent = c.number AND k.completed_at IS NULL
                    )
                )
                OR EXISTS (
                    SELECT 1 FROM \(ShardRows.open)
                    WHERE \(ShardRows.isOpen) AND s.campaign = ?1
                )
            )
            """,
            .int(campaign)
        )
        return isOpen == nil
    }

    /// Returns true if `completeIfDone` may have work: nothing is left of the campaign, or only devices that the guard
    /// holds back.
    public func mayBeDone(campaign: UInt32) throws(LedgerError) -> Bool {
        if try isDone(campaign: campaign) { return true }
        return try !leftToGuard(campaign: campaign).isEmpty
    }

    /// The reasons why a share alone, or a campaign as a whole, is paused.
    fileprivate func ownReasons(_ facts: CampaignFacts) throws(LedgerError) -> Set<AsideReason> {
        guard let share = facts.share else { return facts.pausedBy }
        let rows = try db.rows(
            "SELECT paused_by FROM campaign_providers WHERE campaign = ?1 AND provider = ?2",
            .int(facts.number),
            .text(share.rawValue)
        )
        return try rows.next() ? Set(rows.words("paused_by").compactMap { AsideReason(rawValue: $0) }) : []
    }

    /// Returns true if a campaign is paused; with several providers, if each of its shares is.
    fileprivate func isPaused(_ campaign: UInt32) throws(LedgerError) -> Bool {
        guard let facts = try self.campaign(campaign) else { return false }
        return try shares(of: facts).allSatisfy { !$0.pausedBy.isEmpty }
    }
}

extension CampaignFacts {
    /// The present reasons to pause, in the contract's words.
    fileprivate var reasonWords: JSONValue { .array(pausedBy.map(\.rawValue).sorted().map(JSONValue.string)) }
}
