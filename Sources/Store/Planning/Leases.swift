public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Leases campaigns that are not over, whose app is known here and that have no planner; renews this worker's
    /// leases.
    ///
    /// Urgent campaigns come first, then older ones. Call this at least once a second, and four times a second with
    /// campaigns under a limit (`isPaced`: their own, their app's or their provider's). A campaign whose lease ran out
    /// at another worker comes with a higher epoch. The shares of a campaign of several providers have one lease, and
    /// the result contains each share.
    public func leaseCampaigns(
        worker: Int64,
        apps: Set<String>,
        isPaced: (CampaignFacts, ProviderName, Urgency) -> Bool = { facts, _, _ in facts.pace != nil },
        now: Timestamp
    ) throws(LedgerError) -> [LeasedCampaign] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.urgency, c.provider, c.lease_epoch,
                \(UnplannedChunks.released(by: 2)) AS unplanned_chunks,
                c.lease_owner, c.lease_until, \(Self.isIdle) AS is_idle
            FROM campaigns c
            WHERE c.completed_at IS NULL
                AND (c.lease_owner IN (0, ?1) OR c.lease_until <= ?2 OR c.lease_until > ?3 OR \(Self.isIdle))
            ORDER BY c.urgency = \(Urgency.bulk.sql), c.number
            """,
            .int(worker),
            .time(now),
            .time(FutureLimit.lease.limit(now))
        )
        var leased: [LeasedCampaign] = []
        var renewals: [(facts: CampaignFacts, lease: PlannerLease)] = []
        while try rows.next() {
            let facts = try CampaignRows.facts(rows)
            guard apps.contains(facts.app), let urgency: Urgency = rows.value("urgency") else { continue }
            let provider = rows.provider("provider")
            let isPaced = isPaced(facts, provider, urgency)
            let last = PlannerLease(
                owner: rows.int64("lease_owner"),
                epoch: rows.uint32("lease_epoch"),
                until: Timestamp(milliseconds: rows.int64("lease_until"))
            )
            let isIdle = rows.bool("is_idle")
            guard let lease = last.taken(by: worker, isPaced: isPaced, isIdle: isIdle, now: now) else { continue }
            if lease != last { renewals.append((facts, lease)) }
            leased.append(
                LeasedCampaign(
                    facts: facts,
                    urgency: urgency,
                    provider: provider,
                    leaseEpoch: lease.epoch,
                    worker: worker,
                    unplannedChunks: rows.int("unplanned_chunks"),
                    isPaced: isPaced
                )
            )
        }
        for renewal in renewals {
            try db.run(
                "UPDATE campaigns SET lease_owner = ?2, lease_epoch = ?3, lease_until = ?4 WHERE number = ?1",
                .int(renewal.facts.number),
                .int(worker),
                .int(renewal.lease.epoch),
                .time(renewal.lease.until)
            )
            guard renewal.facts.isFlowing else { continue }
            try db.run(
                "UPDATE audience_flows SET holder = ?2 WHERE campaign = ?1",
                .int(renewal.facts.number),
                .int(worker)
            )
        }
        guard leased.contains(where: \.facts.hasShares) else { return leased }
        var shares: [LeasedCampaign] = []
        for lease in leased {
            shares += lease.facts.hasShares ? try self.shares(of: lease, isPaced, now: now) : [lease]
        }
        return shares
    }

    /// Leases ranges of audiences that flow, of apps that are known here, and renews this worker's leases of them
    /// (`RangeLease`).
    ///
    /// Whoever has the lease of the campaign cuts what is frozen. Call this whenever campaigns are leased.
    public func leaseRanges(
        worker: Int64,
        apps: Set<String>,
        now: Timestamp
    ) throws(LedgerError) -> [LeasedAudience] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.urgency, r.range_number, r.owner, r.epoch AS range_epoch, r.lease_until,
                (r.last & 4294967295) - r.position AS unseen
            FROM audience_ranges r JOIN campaigns c ON c.number = r.campaign
            WHERE c.completed_at IS NULL AND c.flows = 1
            ORDER BY c.urgency = \(Urgency.bulk.sql), c.number, r.range_number
            """
        )
        var (known, last): ([AudienceKey: LeasedAudience], [RangeLease]) = ([:], [])
        while try rows.next() {
            let facts = try CampaignRows.facts(rows)
            guard apps.contains(facts.app), facts.mayFreeze(at: now), let urgency: Urgency = rows.value("urgency")
            else {
                continue
            }
            let range = RangeLease(
                campaign: facts.number,
                range: rows.int("range_number"),
                isUrgent: urgency == .urgent,
                lease: PlannerLease(
                    owner: rows.int64("owner"),
                    epoch: rows.uint32("range_epoch"),
                    until: Timestamp(milliseconds: rows.int64("lease_until"))
                )
            )
            last.append(range)
            let token = LeaseToken(campaign: facts.number, range: range.range, epoch: range.lease.epoch, worker: worker)
            known[AudienceKey(token)] = LeasedAudience(
                facts: facts,
                urgency: urgency,
                token: token,
                left: rows.int64("unseen")
            )
        }
        let taken = RangeLease.taken(last, by: worker, now: now)
        for range in taken where !last.contains(range) {
            try db.run(
                """
                UPDATE audience_ranges SET owner = ?3, epoch = ?4, lease_until = ?5
                WHERE campaign = ?1 AND range_number = ?2
                """,
                .int(range.campaign),
                .int(range.range),
                .int(worker),
                .int(range.lease.epoch),
                .time(range.lease.until)
            )
        }
        return taken.compactMap { range in
            let token = LeaseToken(
                campaign: range.campaign,
                range: range.range,
                epoch: range.lease.epoch,
                worker: worker
            )
            guard var audience = known[AudienceKey(token)] else { return nil }
            audience.token = token
            return audience
        }
    }

    /// The condition that a worker of an earlier version leases a campaign whose audience flows: it does nothing for
    /// it, and does not write itself into `audience_flows`.
    fileprivate static let isIdle = """
        (c.flows = 1 AND c.stage = \(CampaignStage.planning.sql) AND EXISTS (
            SELECT 1 FROM audience_flows w WHERE w.campaign = c.number AND w.holder <> c.lease_owner
        ))
        """

    private func shares(
        of lease: LeasedCampaign,
        _ isPaced: (CampaignFacts, ProviderName, Urgency) -> Bool,
        now: Timestamp
    ) throws(LedgerError) -> [LeasedCampaign] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.shareColumns), \(UnplannedChunks.releasedOfShare(by: 2)) AS unplanned_chunks
            FROM campaigns c JOIN campaign_providers v ON v.campaign = c.number WHERE c.number = ?1 ORDER BY v.provider
            """,
            .int(lease.facts.number),
            .time(now)
        )
        var shares: [LeasedCampaign] = []
        while try rows.next() {
            var share = lease
            share.facts = try CampaignRows.facts(rows)
            share.provider = share.facts.share ?? lease.provider
            share.isPaced = isPaced(share.facts, share.provider, share.urgency)
            share.unplannedChunks = rows.int("unplanned_chunks")
            shares.append(share)
        }
        return shares
    }

    /// Releases all leases of a worker, so that others need not wait for their end.
    public func releaseLeases(worker: Int64) throws(LedgerError) {
        try db.run(
            "UPDATE campaigns SET lease_owner = 0, lease_until = 0 WHERE lease_owner = ?1 AND completed_at IS NULL",
            .int(worker)
        )
        try db.run("UPDATE audience_ranges SET owner = 0, lease_until = 0 WHERE owner = ?1", .int(worker))
    }

    /// Returns true if the token's worker still holds the lease.
    func holdsLease(_ lease: LeaseToken) throws(LedgerError) -> Bool {
        if let range = lease.range {
            return try db.number(
                """
                SELECT 1 FROM audience_ranges WHERE campaign = ?1 AND range_number = ?2 AND owner = ?3 AND epoch = ?4
                """,
                .int(lease.campaign),
                .int(range),
                .int(lease.worker),
                .int(lease.epoch)
            ) == 1
        }
        return try db.number(
            "SELECT 1 FROM campaigns WHERE number = ?1 AND lease_owner = ?2 AND lease_epoch = ?3",
            .int(lease.campaign),
            .int(lease.worker),
            .int(lease.epoch)
        ) == 1
    }
}

extension LedgerReader {
    /// The work of these apps that a planner may take from others, now and later.
    public func leaseOutlook(
        of worker: Int64,
        apps: Set<String>,
        now: Timestamp
    ) throws(LedgerError) -> LeaseOutlook {
        LeaseOutlook(
            isAnyFree: try isAnyFree(for: worker, apps: apps, now: now),
            nextEnd: try nextLeaseEnd(notOf: worker, now: now),
            isSweeper: try isPurger(worker, now: now)
        )
    }

    /// Returns true if a campaign of these apps, a range of its audience, or any campaign's end has no planner, or one
    /// that no longer renews its lease: this one, too, if an app that was gone for a while is back.
    private func isAnyFree(for worker: Int64, apps: Set<String>, now: Timestamp) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT c.app, \(EndingRows.isEnding("c", at: 2)) AS is_ending FROM campaigns c
            WHERE c.completed_at IS NULL AND (
                c.lease_owner = 0 OR c.lease_until <= ?2 OR c.lease_until > ?3
                OR c.lease_owner <> ?1 AND \(LedgerTransaction.isIdle)
                OR c.flows = 1 AND EXISTS (
                    SELECT 1 FROM audience_ranges r WHERE r.campaign = c.number
                        AND (r.owner = 0 OR r.lease_until <= ?2 OR r.lease_until > ?3)
                )
            )
            """,
            .int(worker),
            .time(now),
            .time(FutureLimit.lease.limit(now))
        )
        while try rows.next() {
            // Any planner ends what is due, also of an app that it does not know.
            if apps.contains(rows.text("app")) || rows.bool("is_ending") { return true }
        }
        return false
    }

    /// The first instant at which a lease of another worker lapses unless it is renewed; nil if none has one.
    private func nextLeaseEnd(notOf worker: Int64, now: Timestamp) throws(LedgerError) -> Timestamp? {
        try db.number(
            """
            SELECT min(ends.lease_until) FROM (
                SELECT lease_owner AS owner, lease_until FROM campaigns WHERE completed_at IS NULL
                UNION ALL
                SELECT r.owner, r.lease_until FROM audience_ranges r JOIN campaigns c ON c.number = r.campaign
                WHERE c.completed_at IS NULL AND c.flows = 1
            ) ends
            WHERE ends.owner NOT IN (0, ?1) AND ends.lease_until > ?2 AND ends.lease_until <= ?3
            """,
            .int(worker),
            .time(now),
            .time(FutureLimit.lease.limit(now))
        ).map { Timestamp(milliseconds: $0) }
    }
}
