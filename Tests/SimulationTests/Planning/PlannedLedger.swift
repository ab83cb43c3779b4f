import Campaigns
import Delivery

/// The planners' data in memory: campaigns with their leases, and rows of shards.
///
/// The rules are the shipping ones.
final class PlannedLedger {
    struct Campaign {
        var facts: CampaignFacts
        var urgency = Urgency.bulk
        var lease = PlannerLease(owner: 0, epoch: 0, until: Timestamp(milliseconds: 0))
        var isPaced = false
        var chunks = 0
        var cursor = 0
        /// The audience that is sent while it is frozen; nil for others.
        var flow: PlannedFlow?
        /// The steps until the audience is known, and until an in-app campaign's lists are written.
        var freezing = 0
        var lists = 0
        var isOver = false
        /// The time at which a person fired it, while nothing else kept it.
        var firedAt: Timestamp?
        /// The time at which it marked the older campaign.
        var markedAt: Timestamp?
        /// The last turn: the lease's epoch, the time, and how long there was nothing to assign.
        var turn: (epoch: UInt32, at: Timestamp, rest: Duration)?
    }

    struct Row {
        var record: ShardRecord
        var since: Timestamp
    }

    var campaigns: [UInt32: Campaign] = [:]
    var rows: [ShardKey: Row] = [:]
    /// Chunks that are cut; each is cut once.
    private(set) var cut: Set<ShardKey> = []

    // MARK: Leases and ends

    /// Renews or takes leases and returns a worker's campaigns; `lapsed` is called for each lease that has run out.
    ///
    /// To a worker of an earlier version, a campaign whose audience flows is one that is still planned.
    func lease(
        by worker: Int64,
        isOld: Bool = false,
        now: Timestamp,
        lapsed: (PlannerLease) throws -> Void
    ) throws -> [LeasedCampaign] {
        var leases: [LeasedCampaign] = []
        for number in campaigns.keys.sorted() {
            guard var campaign = campaigns[number], !campaign.isOver else { continue }
            markEnded(&campaign, now: now)
            let last = campaign.lease
            let isIdle = campaign.facts.isFlowing && campaign.flow?.holder != last.owner && !isOld
            guard let lease = last.taken(by: worker, isPaced: campaign.isPaced, isIdle: isIdle, now: now) else {
                campaigns[number] = campaign
                continue
            }
            if last.owner != worker, last.owner != 0, !isIdle { try lapsed(last) }
            campaign.lease = lease
            if lease != last, !isOld { campaign.flow?.holder = worker }
            campaigns[number] = campaign
            var facts = campaign.facts
            if isOld, facts.isFlowing { (facts.stage, facts.isFlowing) = (.planning, false) }
            leases.append(
                LeasedCampaign(
                    facts: facts,
                    urgency: campaign.urgency,
                    provider: .apns,
                    leaseEpoch: lease.epoch,
                    worker: worker,
                    unplannedChunks: campaign.chunks - campaign.cursor,
                    isPaced: campaign.isPaced
                )
            )
        }
        return leases.sorted {
            ($0.urgency == .bulk ? 1 : 0, $0.facts.number) < ($1.urgency == .bulk ? 1 : 0, $1.facts.number)
        }
    }

    func releaseLeases(of worker: Int64) {
        for number in campaigns.keys where campaigns[number]?.lease.owner == worker {
            campaigns[number]?.lease.owner = 0
        }
        for number in campaigns.keys {
            for range in (campaigns[number]?.flow?.ranges ?? []).indices
            where campaigns[number]?.flow?.ranges[range].lease.owner == worker {
                campaigns[number]?.flow?.ranges[range].lease.owner = 0
            }
        }
    }

    /// The work that a worker may take from others, now and later.
    func outlook(of worker: Int64, isOld: Bool, isSweeper: Bool, now: Timestamp) -> LeaseOutlook {
        var outlook = LeaseOutlook(isAnyFree: false, nextEnd: nil, isSweeper: isSweeper)
        for campaign in campaigns.values where !campaign.isOver {
            let isIdle = campaign.facts.isFlowing && campaign.flow?.holder != campaign.lease.owner && !isOld
            let ranges = campaign.facts.isFlowing ? (campaign.flow?.ranges ?? []).filter { !$0.isOver } : []
            for (lease, isIdle) in [(campaign.lease, isIdle)] + ranges.map({ ($0.lease, false) })
            where lease.owner != worker {
                if lease.taken(by: worker, isPaced: campaign.isPaced, isIdle: isIdle, now: now) != nil {
                    outlook.isAnyFree = true
                } else {
                    outlook.nextEnd = min(outlook.nextEnd ?? lease.until, lease.until)
                }
            }
        }
        return outlook
    }

    func holds(_ lease: LeasedCampaign, _ worker: Int64) -> Bool {
        campaigns[lease.facts.number].map { $0.lease.owner == worker && $0.lease.epoch == lease.leaseEpoch } ?? false
    }

    func holds(_ token: LeaseToken) -> Bool {
        campaigns[token.campaign].map { $0.lease.owner == token.worker && $0.lease.epoch == token.epoch } ?? false
    }

    private func markEnded(_ campaign: inout Campaign, now: Timestamp) {
        if campaign.facts.endedAs == nil { campaign.facts.endedAs = campaign.facts.ending(at: now) }
        guard campaign.facts.endedAs != nil else { return }
        // The remaining chunks are counted with the mark.
        (campaign.cursor, campaign.freezing, campaign.lists) = (campaign.chunks, 0, 0)
        campaign.facts.isFlowing = false
    }

    /// Settles one row of a campaign that is over; returns true if there are more.
    func endPiece(now: Timestamp) -> Bool {
        let due = rows.values.filter { row in
            guard let campaign = campaigns[row.record.id.key.campaign] else { return false }
            return AsideRelease.ending(of: row.record.state, campaign: campaign.facts, now: now) != nil
        }
        guard let row = due.min(by: { $0.record.id.key < $1.record.id.key }) else { return false }
        settle(row.record.id.key)
        return due.count > 1
    }

    var isEnding: Bool { campaigns.values.contains { !$0.isOver && $0.facts.endedAs != nil } }

    func complete(_ number: UInt32) throws {
        guard let campaign = campaigns[number], campaign.freezing == 0, campaign.lists == 0 else { return }
        // Asked in the same transaction: what is still frozen may bring more.
        if campaign.facts.isFlowing || (campaign.flow != nil && campaign.facts.stage == .planning) {
            guard campaign.facts.endedAs != nil else { return }
        }
        let isCut = campaign.cursor == campaign.chunks || campaign.facts.endedAs != nil
        let isSettled = rows.values.allSatisfy { $0.record.id.key.campaign != number || $0.record.state == .settled }
        if isCut, isSettled, !campaign.facts.isInApp || campaign.facts.stage == .sending {
            campaigns[number]?.isOver = true
            if campaign.facts.endedAs == nil { try campaign.flow?.checkEverybodyIsCut(number) }
        }
    }

    // MARK: Rows

    /// Cuts the next shards, or takes a held campaign's shards that were cut already.
    ///
    /// Returns nil when another planner has the lease or nothing may be planned.
    func cut(
        _ lease: LeasedCampaign,
        _ count: Int,
        by worker: Int64,
        isHeld: Bool,
        now: Timestamp
    ) throws -> [ShardToPublish]? {
        let number = lease.facts.number
        guard holds(lease, worker), let campaign = campaigns[number] else { return nil }
        guard isHeld ? campaign.facts.stage == .held : campaign.facts.mayPlan(at: now) else { return nil }
        let held = rows.values.map(\.record).filter { $0.id.key.campaign == number && $0.aside == .held }
        if isHeld, !held.isEmpty { return held.sorted { $0.id.key < $1.id.key }.map(message) }
        var shards: [ShardToPublish] = []
        for _ in 0..<min(count, campaign.chunks - campaign.cursor) {
            let ordinal = UInt32(campaigns[number]?.cursor ?? 0)
            let key = ShardKey(campaign: number, part: 0, ordinal: ordinal)
            guard cut.insert(key).inserted else { throw Violation(description: "chunk \(key) is cut twice") }
            campaigns[number]?.cursor += 1
            try campaigns[number]?.flow?.cut(Int(ordinal), of: number)
            put(Self.record(key, isHeld ? .aside : .unpublished, isHeld ? .held : nil), now: now)
            if let row = rows[key] { shards.append(message(row.record)) }
        }
        if !isHeld { campaigns[number]?.facts.stage = .sending }
        return shards
    }

    /// Releases rows that were set aside and may be sent again.
    func release(_ lease: LeasedCampaign, limit: Int, now: Timestamp) -> [ShardToPublish] {
        guard let campaign = campaigns[lease.facts.number] else { return [] }
        let due = rows.values.filter { row in
            row.record.id.key.campaign == campaign.facts.number && row.record.state == .aside
                && AsideRelease.isDue(
                    row.record.aside ?? .handOver,
                    campaign: campaign.facts,
                    knowsApp: true,
                    isPaced: campaign.isPaced,
                    now: now
                )
        }
        return due.sorted { $0.record.id.key < $1.record.id.key }.prefix(limit).map { row in
            put(row.record.released(), now: now)
            return message(row.record.released())
        }
    }

    func put(_ record: ShardRecord, now: Timestamp) { rows[record.id.key] = Row(record: record, since: now) }

    func settle(_ key: ShardKey) {
        rows[key]?.record.state = .settled
        rows[key]?.record.aside = nil
    }

    func message(_ record: ShardRecord) -> ShardToPublish {
        var facts = Self.facts
        facts.policy.urgency = campaigns[record.id.key.campaign]?.urgency ?? .bulk
        return ShardToPublish(record: record, facts: facts, firstIndex: 0, devices: [])
    }

    /// Returns the number of first attempts per campaign that are published or about to be, and not claimed.
    func unclaimed() -> [UInt32: Int] {
        rows.values.reduce(into: [:]) { counts, row in
            if [.unpublished, .out].contains(row.record.state) { counts[row.record.id.key.campaign, default: 0] += 1 }
        }
    }

    private static func record(_ key: ShardKey, _ state: ShardState, _ aside: AsideReason?) -> ShardRecord {
        ShardRecord(
            id: ShardID(key: key),
            state: state,
            generation: 1,
            epoch: 0,
            owner: 0,
            attempt: 1,
            rung: nil,
            notBefore: nil,
            dueAt: nil,
            chunk: key.ordinal,
            positions: [],
            count: 1,
            progress: Progress(count: 1),
            aside: aside
        )
    }

    private static let facts = Shard.Facts(
        app: "news",
        campaignID: "derby",
        provider: .apns,
        environment: nil,
        policy: DeliveryPolicy(maxAttempts: 3),
        pushType: .alert,
        priority: 10,
        expiresAt: Timestamp(milliseconds: 0),
        collapseID: "score",
        payload: []
    )
}
