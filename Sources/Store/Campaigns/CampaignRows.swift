public import Campaigns
public import Delivery

/// The columns of `campaigns` that claims and polls need.
enum CampaignRows {
    /// The columns that `facts(_:)` reads.
    ///
    /// `campaigns.provider` is empty for a campaign of several providers. No breaker has that name, and only pauses
    /// that name no provider hold such a campaign back.
    static let columns = columns(
        own: "c",
        provider: "c.provider",
        pausedBy: "c.paused_by",
        isCut: "c.cursor >= c.chunks"
    )

    /// The same columns for a share, in a query with the rows `campaign_providers v`.
    static let shareColumns = columns(
        own: "v",
        provider: "v.provider",
        pausedBy: "c.paused_by || ',' || v.paused_by",
        isCut: """
            (c.cursor >= c.chunks OR NOT EXISTS (SELECT 1 FROM parts p WHERE p.campaign = c.number \
            AND p.provider = v.provider AND p.cursor < p.end_chunk))
            """
    )

    /// The query for one campaign; a constant, because every claim runs it.
    static let selectOne = "SELECT \(columns) FROM campaigns c WHERE c.number = ?1"
    /// The query for one share.
    static let selectShare = """
        SELECT \(shareColumns) FROM campaigns c JOIN campaign_providers v ON v.campaign = c.number
        WHERE c.number = ?1 AND v.provider = ?2
        """
    /// The query for all shares of a campaign.
    static let selectShares = """
        SELECT \(shareColumns) FROM campaigns c JOIN campaign_providers v ON v.campaign = c.number
        WHERE c.number = ?1 ORDER BY v.provider
        """

    /// - Parameters:
    ///   - own: The table with the columns that each provider has of its own.
    ///   - provider: The provider's name.
    ///   - pausedBy: The reasons to pause.
    ///   - isCut: The condition that no chunk is left.
    private static func columns(own: String, provider: String, pausedBy: String, isCut: String) -> String {
        """
        c.stage, c.number, c.app, c.id, \(pausedBy) AS paused_by, c.send_at, c.expires_at, \
        \(ProbeKey.gateColumn(provider)) AS gate, \(own).guard_passed, \
        \(isCut) AND c.stage <> \(CampaignStage.planning.sql) AS is_planned, \
        EXISTS (SELECT 1 FROM pauses z WHERE z.app IN ('', c.app) AND z.provider IN ('', \(provider)) \
        AND z.urgency IN ('', c.urgency)) AS is_suspended, c.per_second, c.ramp_up, c.superseded_by, \
        c.collapse_key IS NULL OR c.released_at IS NOT NULL AS is_released, c.end_changes, \(own).content_trips, \
        c.has_quiet_hours, c.repeats, c.provider = '' AS has_shares, \(own == "c" ? "''" : provider) AS share, \
        (SELECT e.events FROM asked_events e WHERE e.app = c.app) AS asked_events, c.in_app, c.rest_outcome, \
        c.flows, c.started_at IS NOT NULL AS is_started
        """
    }

    static func facts(_ rows: borrowing Rows) throws(LedgerError) -> CampaignFacts {
        guard var stage: CampaignStage = rows.value("stage") else {
            throw .failed("campaign \(rows.int64("number")) is in a stage that this version does not know")
        }
        // The stored stage keeps earlier versions away until the audience is complete.
        let isFlowing = stage == .planning && rows.bool("flows")
        if isFlowing { stage = rows.bool("is_started") ? .sending : .scheduled }
        return CampaignFacts(
            number: rows.uint32("number"),
            app: rows.text("app"),
            id: rows.text("id"),
            stage: stage,
            pausedBy: Set(rows.words("paused_by").compactMap { AsideReason(rawValue: $0) }),
            sendAt: rows.optionalTime("send_at"),
            expiresAt: rows.time("expires_at"),
            breaker: ProbeKey.gate(rows.optionalText("gate")),
            isGuardPassed: rows.bool("guard_passed"),
            isPlanned: rows.bool("is_planned"),
            isSuspended: rows.bool("is_suspended"),
            pace: rows.optionalInt64("per_second").map { Pace(perSecond: Int($0), rampUp: rows.int("ramp_up")) },
            supersededBy: rows.optionalUInt32("superseded_by"),
            isReleased: rows.bool("is_released"),
            endChanges: rows.uint32("end_changes"),
            contentTrips: rows.int("content_trips"),
            hasQuietHours: rows.bool("has_quiet_hours"),
            isRepeated: rows.bool("repeats"),
            hasShares: rows.bool("has_shares"),
            share: rows.text("share").isEmpty ? nil : rows.provider("share"),
            askedEvents: AskedEvents(rawValue: UInt8(truncatingIfNeeded: rows.optionalInt64("asked_events") ?? 0)),
            isInApp: rows.bool("in_app"),
            endedAs: rows.value("rest_outcome"),
            isFlowing: isFlowing
        )
    }

    static func text(_ reasons: Set<AsideReason>) -> String {
        reasons.map(\.rawValue).sorted().joined(separator: ",")
    }
}

extension LedgerReader {
    /// The facts that a claim, a planner and a poll need of a campaign; nil if no campaign has the number.
    public func campaign(_ number: UInt32) throws(LedgerError) -> CampaignFacts? {
        let rows = try db.rows(CampaignRows.selectOne, .int(number))
        return try rows.next() ? try CampaignRows.facts(rows) : nil
    }

    /// The facts of a campaign, or of one share of a campaign with several providers.
    func campaign(_ number: UInt32, share: ProviderName?) throws(LedgerError) -> CampaignFacts? {
        guard let share else { return try campaign(number) }
        return try self.share(number, of: share)
    }

    /// The facts of several campaigns; a sender polls them for the campaigns that it runs.
    public func campaigns(_ numbers: some Sequence<UInt32>) throws(LedgerError) -> [CampaignFacts] {
        var facts: [CampaignFacts] = []
        for number in numbers {
            if let found = try campaign(number) { facts.append(found) }
        }
        return facts
    }

    /// The urgency of a campaign; nil if there is no such campaign.
    public func urgency(of number: UInt32) throws(LedgerError) -> Urgency? {
        let rows = try db.rows("SELECT urgency FROM campaigns WHERE number = ?1", .int(number))
        return try rows.next() ? Urgency(rawValue: rows.text("urgency")) : nil
    }

    /// The number of a campaign; nil if there is no such campaign.
    ///
    /// Without an app the id alone must be unique: throws `LedgerError.ambiguous` if two apps have it.
    public func campaignNumber(app: String?, id: String) throws(LedgerError) -> UInt32? {
        let rows = try db.rows(
            "SELECT number, app FROM campaigns WHERE id = ?2 AND (?1 IS NULL OR app = ?1) ORDER BY app",
            .text(app),
            .text(id)
        )
        let found = try rows.map { (number: $0.uint32("number"), app: $0.text("app")) }
        if found.count > 1 { throw .ambiguous(id: id, apps: found.map(\.app)) }
        return found.first?.number
    }
}
