import Campaigns
public import Delivery

/// Reading what claims and polls need of `campaigns`.
enum CampaignRows {
    /// What `facts(_:)` reads, in its order.
    static let columns = """
        c.number, c.app, c.id, c.stage, c.paused_by, c.expires_at, \(ProbeKey.gateColumn), c.guard_passed, \
        c.cursor >= c.chunks AND c.stage <> 'planning', c.per_second, c.ramp_up, \
        EXISTS (SELECT 1 FROM pauses z WHERE z.app IN ('', c.app) AND z.provider IN ('', c.provider) \
        AND z.urgency IN ('', c.urgency)), c.send_at, c.superseded_by, \
        c.collapse_key IS NULL OR c.released_at IS NOT NULL, c.end_changes, c.content_trips, c.has_quiet_hours, c.repeats
        """
    /// The first column behind them.
    static let next: Int32 = 19

    /// One campaign; a constant, because it is asked for at every claim.
    static let selectOne = "SELECT \(columns) FROM campaigns c WHERE c.number = ?1"

    static func facts(_ rows: borrowing Rows) throws(LedgerError) -> CampaignFacts {
        guard let stage = CampaignStage(rawValue: rows.text(3)) else {
            throw .failed("campaign \(rows.int64(0)) is in a stage that this version does not know")
        }
        return CampaignFacts(
            number: rows.uint32(0),
            app: rows.text(1),
            id: rows.text(2),
            stage: stage,
            pausedBy: Set(rows.words(4).compactMap { AsideReason(rawValue: $0) }),
            sendAt: rows.optionalTime(12),
            expiresAt: rows.time(5),
            breaker: ProbeKey.gate(rows.optionalText(6)),
            isGuardPassed: rows.bool(7),
            isPlanned: rows.bool(8),
            isSuspended: rows.bool(11),
            pace: rows.optionalInt64(9).map { Pace(perSecond: Int($0), rampUp: rows.int(10)) },
            supersededBy: rows.optionalInt64(13).map { UInt32(truncatingIfNeeded: $0) },
            isReleased: rows.bool(14),
            endChanges: rows.uint32(15),
            contentTrips: rows.int(16),
            hasQuietHours: rows.bool(17),
            isRepeated: rows.bool(18)
        )
    }

    static func text(_ reasons: Set<AsideReason>) -> String {
        reasons.map(\.rawValue).sorted().joined(separator: ",")
    }
}

extension LedgerReader {
    /// What a claim, a planner and a poll need to know of a campaign; nil when there is none of that number.
    public func campaign(_ number: UInt32) throws(LedgerError) -> CampaignFacts? {
        let rows = try db.rows(CampaignRows.selectOne, .int(number))
        return try rows.next() ? try CampaignRows.facts(rows) : nil
    }

    /// The facts of several campaigns: what a sender polls for those that it runs.
    public func campaigns(_ numbers: some Sequence<UInt32>) throws(LedgerError) -> [CampaignFacts] {
        var facts: [CampaignFacts] = []
        for number in numbers {
            if let found = try campaign(number) { facts.append(found) }
        }
        return facts
    }

    /// The number of a campaign; nil when there is none.
    ///
    /// Without an app the id alone must say it: `LedgerError.ambiguous` when two apps have it.
    public func campaignNumber(app: String?, id: String) throws(LedgerError) -> UInt32? {
        let rows = try db.rows(
            "SELECT number, app FROM campaigns WHERE id = ?2 AND (?1 IS NULL OR app = ?1) ORDER BY app",
            .text(app),
            .text(id)
        )
        var found: [(number: UInt32, app: String)] = []
        while try rows.next() { found.append((rows.uint32(0), rows.text(1))) }
        if found.count > 1 { throw .ambiguous(id: id, apps: found.map(\.app)) }
        return found.first?.number
    }
}
