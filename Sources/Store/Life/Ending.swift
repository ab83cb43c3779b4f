public import Campaigns
import Delivery

/// The result of a piece of ending.
public struct EndingStep: Sendable, Equatable {
    /// Campaigns that this piece found expired, with devices left that nobody has sent to.
    public var expired: [UInt32] = []
    /// True if more is to be settled: call again.
    public var isMore = false
}

/// The end of campaigns before all is sent (design, section 7: settled without a message).
///
/// One transaction marks a campaign, and from then on no claim is granted. The mark is its stage, the campaign that
/// superseded it, or the outcome of the devices that are in no shard. Whoever comes next settles the rows that no
/// worker runs in pieces, and each piece keeps the law. So a planner that dies midway leaves nothing to repair.
extension LedgerTransaction {
    /// Does a piece of ending: marks expired campaigns, settles rows that no worker runs, and completes campaigns that
    /// have none left.
    public func endDue(now: Timestamp) throws(LedgerError) -> EndingStep {
        var piece = Piece()
        return try endDue(now: now, &piece)
    }

    /// Does a piece of ending, measured with a given clock.
    public func endDue(now: Timestamp, _ piece: inout Piece) throws(LedgerError) -> EndingStep {
        var step = EndingStep()
        for number in try reader.endingCampaigns(now: now) {
            guard piece.allowance > 0 else {
                step.isMore = true
                break
            }
            guard let facts = try reader.campaign(number), let outcome = facts.ending(at: now) else { continue }
            // Nobody can tell afterwards what the devices waited for.
            let isExpiring = outcome == .expired && facts.endedAs == nil
            let reasons = isExpiring ? try reader.status(campaign: number, now: now)?.stateReasons ?? [] : []
            if try markEnded(facts, outcome), outcome == .expired {
                step.expired.append(number)
                try noteExpiry(of: number, reasons, now: now)
            }
            if try !settleWaiting(facts, &piece, now: now) { step.isMore = true }
            _ = try completeIfDone(campaign: number, now: now)
            piece.did(Self.rowsOfCampaign)
        }
        return step
    }

    /// Writes the expiry with the codes of what held the devices back, except for those that waited for another try:
    /// their rows have the reasons.
    private func noteExpiry(of campaign: UInt32, _ reasons: [StateReason], now: Timestamp) throws(LedgerError) {
        let codes = StateReason.codes(reasons.filter { if case .retry = $0 { false } else { true } })
        let data: KeyValuePairs<String, JSONValue?> = [
            "reason": codes.first.map(JSONValue.string),
            "reasons": codes.isEmpty ? nil : .array(codes.map(JSONValue.string)),
        ]
        try note(.expired, campaign: campaign, data, now: now)
    }

    /// The cost of marking and completing a campaign, in rows.
    private static let rowsOfCampaign = 10

    /// Does a piece of one campaign's end; returns true if there is more.
    public func endCampaign(_ number: UInt32, now: Timestamp) throws(LedgerError) -> Bool {
        guard let facts = try reader.campaign(number), facts.ending(at: now) != nil else { return false }
        var piece = Piece()
        let isMore = try !settleWaiting(facts, &piece, now: now)
        _ = try completeIfDone(campaign: number, now: now)
        return isMore
    }

    /// Marks a campaign as over: stores the outcome and the number of the devices that are in no shard.
    ///
    /// Has no effect a second time. Returns true if devices are left that nobody has sent to or is sending to.
    @discardableResult
    func markEnded(_ campaign: CampaignFacts, _ outcome: Outcome) throws(LedgerError) -> Bool {
        let number = campaign.number
        guard campaign.endedAs == nil else {
            // A worker of an earlier version has marked it, and left what it does not know of.
            _ = try endFlow(number)
            return false
        }
        let isFrozen = try abandonFrozen(number)
        if campaign.isInApp { try endInApp(number) }
        if campaign.hasShares {
            try db.run(
                "UPDATE campaign_providers SET rest_devices = \(UnplannedChunks.devicesOfShare) WHERE campaign = ?1",
                .int(number)
            )
        }
        let hasRest = try db.number("SELECT 1 FROM campaigns WHERE number = ?1 AND cursor < chunks", .int(number)) == 1
        // A campaign without chunks has no shards either, so nobody needs this mark.
        try db.run(
            """
            UPDATE campaigns SET rest_outcome = ?2, cursor = chunks,
                rest_devices = \(UnplannedChunks.devices(of: "campaigns"))
            WHERE number = ?1 AND rest_outcome IS NULL AND chunks > 0
            """,
            .int(number),
            .int(outcome.rawValue)
        )
        if hasRest || isFrozen { return true }
        return try reader.hasWaiting(number)
    }

    /// Settles rows of a campaign that no worker runs, as many as the piece allows; returns true if none is left.
    func settleWaiting(
        _ campaign: CampaignFacts,
        _ piece: inout Piece,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        guard campaign.ending(at: now) != nil else { return true }
        for state in AsideRelease.waitingStates {
            while true {
                let room = piece.allowance
                guard room > 0 else { return try !reader.hasWaiting(campaign.number) }
                let rows = try reader.waiting(campaign.number, in: state, limit: room)
                for row in rows { try end(row, of: campaign, now: now) }
                if !rows.isEmpty { piece.did(rows.count) }
                if rows.count < room { break }
            }
        }
        return try settleParked(campaign, &piece, now: now)
    }

    /// Settles parked rows of a campaign and removes their entries; returns true if none is left.
    private func settleParked(
        _ campaign: CampaignFacts,
        _ piece: inout Piece,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        guard try reader.hasWaiting(campaign.number, in: [.parked]) else { return true }
        let filter = ParkedFilter(app: campaign.app, campaign: campaign.id)
        var (last, ended): (Int64, Int) = (0, 0)
        while true {
            guard piece.allowance > 0 else { break }
            // Bodies are read one by one, so an entry counts as several rows.
            let page = try reader.parkedIDs(filter, after: last, limit: 10)
            for id in page {
                if try endParked(id, of: campaign, now: now) { ended += 1 }
            }
            piece.did(page.count)
            guard let end = page.last else { break }
            last = end
        }
        // Rows without an entry. At least one row is settled, even if the entries used up the piece without settling
        // any.
        while ended == 0 || piece.allowance > 0 {
            let room = max(1, piece.allowance)
            let rows = try reader.waiting(campaign.number, in: .parked, limit: room)
            for row in rows { try end(row, of: campaign, now: now) }
            if rows.isEmpty { return true }
            ended += rows.count
            piece.did(rows.count)
        }
        return try !reader.hasWaiting(campaign.number, in: [.parked])
    }

    private func end(_ row: ShardRecord, of campaign: CampaignFacts, now: Timestamp) throws(LedgerError) {
        guard let outcome = AsideRelease.ending(of: row.state, campaign: campaign, now: now) else { return }
        try end(row, outcome, of: campaign, now: now)
    }

    private func endParked(
        _ entry: Int64,
        of campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        guard let message = try reader.parked(id: entry), let shard = message.shard,
            shard.id.key.campaign == campaign.number, let row = try reader.shard(shard.id.key), row.state == .parked
        else { return false }
        try end(row, of: campaign, now: now)
        _ = try removeParked(message)
        return true
    }
}

extension LedgerReader {
    /// Campaigns that are over and not completed; unmarked ones come first.
    fileprivate func endingCampaigns(now: Timestamp) throws(LedgerError) -> [UInt32] {
        let rows = try db.rows(
            """
            SELECT number FROM campaigns c WHERE completed_at IS NULL AND \(EndingRows.isEnding("c", at: 1))
            ORDER BY rest_outcome IS NOT NULL, number
            """,
            .time(now)
        )
        return try rows.map { $0.uint32("number") }
    }

    /// Returns true if a campaign has rows that are not settled and that no worker runs.
    fileprivate func hasWaiting(
        _ campaign: UInt32,
        in states: [ShardState] = AsideRelease.waitingStates + [.parked]
    ) throws(LedgerError) -> Bool {
        for state in states {
            if try !waiting(campaign, in: state, limit: 1).isEmpty { return true }
        }
        return false
    }

    /// Some rows of a campaign in one state, found by the index alone.
    fileprivate func waiting(
        _ campaign: UInt32,
        in state: ShardState,
        limit: Int
    ) throws(LedgerError) -> [ShardRecord] {
        let rows = try db.rows(
            """
            SELECT \(ShardRows.columns) FROM \(ShardRows.open)
            WHERE s.state = ?2 AND \(ShardRows.isNotSettled) AND s.campaign = ?1 LIMIT ?3
            """,
            .int(campaign),
            .int(state.rawValue),
            .int(limit)
        )
        return try rows.map(ShardRows.record)
    }
}
