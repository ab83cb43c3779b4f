public import Campaigns
import Delivery

extension LedgerReader {
    /// The status of a campaign by its id; nil if there is none.
    ///
    /// Without an app the id must be unique: throws `LedgerError.ambiguous` if two apps have it.
    public func status(app: String?, id: String, now: Timestamp) throws(LedgerError) -> CampaignStatus? {
        guard let number = try campaignNumber(app: app, id: id) else { return nil }
        return try status(campaign: number, now: now)
    }

    /// The status of a campaign by its number; nil if there is none.
    public func status(campaign number: UInt32, now: Timestamp) throws(LedgerError) -> CampaignStatus? {
        guard var status = try statusRow(number), let facts = try campaign(number) else { return nil }
        var (counters, open) = (Counters(), [ProviderName: Counters]())
        let nobodys = try countOutcomes(facts, &counters, byProvider: &open)
        try countReasons(number, &counters)
        status.counts = counters.counts
        status.pending = counters.pending
        status.attempts = counters.attempts
        status.maybeSent = counters.maybeSent
        status.unknownResent = counters.unknownResent
        status.reasons = counters.reasons
        status.nextRetryAt = counters.nextRetryAt
        status.retries = counters.rungs
        status.parts = try partsWithOutcomes(campaign: number, now: now)
        status.repetition = try repeatStatus(number)
        status.runOf = try parentID(number)
        status.providers = try providers(status, facts, open: open, nobodys: nobodys)
        status.isPlanning = facts.stage == .planning || facts.isFlowing
        if facts.isFlowing { status.estimate = try estimate(ofFlowing: number) }
        status.law = counters.law(audience: status.audience)
        if status.law == .holds, let violation = status.providers.compactMap(\.violation).first {
            status.law = .violated(violation)
        }
        status.pausedBy.formUnion(status.commonReasons)
        status.retryReasons = counters.retries.reasons
        status.stateFacts = try stateFacts(status, facts, counters, now: now)
        return status
    }

    /// Counts a campaign's outcomes and pending devices for an event: without reasons, parts and providers.
    func countOutcomes(_ facts: CampaignFacts, _ counters: inout Counters) throws(LedgerError) {
        var open: [ProviderName: Counters] = [:]
        try countOutcomes(facts, &counters, byProvider: &open)
    }

    /// Counts outcomes and pending devices, and open ones by provider; returns the devices that belong to no provider.
    @discardableResult
    private func countOutcomes(
        _ facts: CampaignFacts,
        _ counters: inout Counters,
        byProvider open: inout [ProviderName: Counters]
    ) throws(LedgerError) -> Int {
        try countSettled(facts.number, &counters)
        try countOpen(facts, &counters, byProvider: &open)
        let nobodys = try countRest(facts.number, &counters)
        if facts.isInApp { counters.counts[.accepted] += try givenInApp(facts.number) }
        return nobodys
    }

    /// All devices of a campaign's audience; 0 if there is no such campaign.
    func audience(of number: UInt32) throws(LedgerError) -> Int {
        Int(try db.number("SELECT audience FROM campaigns WHERE number = ?1", .int(number)) ?? 0)
    }

    /// Campaigns, latest first.
    ///
    /// - Parameters:
    ///   - app: Only this app's campaigns; nil for all.
    ///   - apps: Only these apps' campaigns; nil for all.
    ///   - states: Only campaigns in one of these states, in the contract's words; nil for all.
    ///   - isOpen: True for only those that are not completed.
    ///   - tag: Only campaigns with this tag.
    ///   - search: Only campaigns with this text in their id, app or name; letters from A to Z match in either case.
    ///   - before: Only campaigns with a lower number: the next page.
    ///   - limit: The largest number of campaigns.
    public func campaigns(
        app: String?,
        apps: Set<String>? = nil,
        states: Set<String>? = nil,
        isOpen: Bool = false,
        tag: String? = nil,
        search: String? = nil,
        before: UInt32? = nil,
        limit: Int
    ) throws(LedgerError) -> [CampaignSummary] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.name, c.audience, c.accepted_at, c.completed_at, c.tags, c.kind
            FROM campaigns c WHERE (?1 IS NULL OR c.app = ?1) AND c.number < ?3 \(isOpen ? "AND c.completed_at IS NULL" : "")
                AND (?4 IS NULL OR lower(c.id) LIKE ?4 ESCAPE '!' OR lower(c.app) LIKE ?4 ESCAPE '!'
                    OR lower(c.name) LIKE ?4 ESCAPE '!')
            ORDER BY c.number DESC LIMIT ?2
            """,
            .text(app),
            .int(states == nil && tag == nil && apps == nil ? limit : .max),
            .integer(before.map(Int64.init) ?? .max),
            .text(search.map(Self.pattern))
        )
        var campaigns: [CampaignSummary] = []
        while campaigns.count < limit, try rows.next() {
            if let tag, !Self.tags(rows.text("tags")).contains(tag) { continue }
            let facts = try CampaignRows.facts(rows)
            if let apps, !apps.contains(facts.app) { continue }
            var campaign = CampaignSummary(
                facts: facts.hasShares ? try held(facts) : facts,
                name: rows.optionalText("name"),
                audience: rows.int("audience"),
                acceptedAt: rows.time("accepted_at"),
                completedAt: rows.optionalTime("completed_at")
            )
            campaign.kind = rows.text("kind")
            if states?.contains(campaign.state) ?? true { campaigns.append(campaign) }
        }
        return campaigns
    }

    /// The facts of a campaign of several providers, paused if each of its shares is.
    private func held(_ facts: CampaignFacts) throws(LedgerError) -> CampaignFacts {
        let shares = try shares(of: facts)
        guard shares.allSatisfy({ !$0.pauseReasons.isEmpty }) else { return facts }
        var held = facts
        held.pausedBy = shares.reduce(into: []) { $0.formUnion($1.pauseReasons) }
        return held
    }

    /// The pattern of LIKE for a text anywhere in another, in the lower case that both databases make: of A to Z only.
    private static func pattern(_ search: String) -> String {
        var pattern = [UInt8(ascii: "%")]
        for byte in search.utf8 {
            if "%_!".utf8.contains(byte) { pattern.append(UInt8(ascii: "!")) }
            pattern.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        return String(decoding: pattern, as: UTF8.self) + "%"
    }

    private static func tags(_ text: String) -> [String] {
        (JSONReader.read(Array(text.utf8)).value?.array ?? []).compactMap(\.string)
    }

    private func statusRow(_ number: UInt32) throws(LedgerError) -> CampaignStatus? {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.name, c.tags, c.metadata, c.provider, c.urgency, c.audience,
                c.created_at, c.accepted_at, c.started_at, c.completed_at,
                (SELECT n.id FROM campaigns n WHERE n.number = c.superseded_by) AS superseded_by_id, c.kind,
                c.unexamined
            FROM campaigns c WHERE c.number = ?1
            """,
            .int(number)
        )
        guard try rows.next() else { return nil }
        let facts = try CampaignRows.facts(rows)
        let lane = Lane(
            provider: rows.provider("provider"),
            urgency: Urgency(rawValue: rows.text("urgency")) ?? .bulk
        )
        let metadata = JSONReader.read(Array(rows.text("metadata").utf8)).value?.members ?? []
        return CampaignStatus(
            number: number,
            id: facts.id,
            app: facts.app,
            kind: rows.text("kind"),
            sendsPushes: !facts.isInApp,
            name: rows.optionalText("name"),
            tags: Self.tags(rows.text("tags")),
            metadata: Dictionary(metadata.map { ($0.name, $0.value.string ?? "") }) { first, _ in first },
            stage: facts.stage,
            pausedBy: facts.pauseReasons,
            stateFacts: StateFacts(app: facts.app, stage: facts.stage),
            lane: lane,
            audience: rows.int("audience"),
            unexamined: rows.optionalInt64("unexamined").map { Int($0) },
            counts: OutcomeCounts(),
            pending: PendingDevices(),
            attempts: 0,
            maybeSent: 0,
            unknownResent: 0,
            reasons: [:],
            nextRetryAt: nil,
            createdAt: rows.time("created_at"),
            acceptedAt: rows.time("accepted_at"),
            startedAt: rows.optionalTime("started_at"),
            completedAt: rows.optionalTime("completed_at"),
            supersededBy: rows.optionalText("superseded_by_id"),
            expiresAt: facts.expiresAt,
            parts: [],
            retries: [:],
            law: .holds
        )
    }

    private func countSettled(_ number: UInt32, _ counters: inout Counters) throws(LedgerError) {
        let rows = try db.rows(
            """
            SELECT \(OutcomeSums.columns), coalesce(sum(s.retried), 0) AS retried,
                coalesce(sum(s.requests), 0) AS requests, coalesce(sum(s.count), 0) AS devices,
                coalesce(sum(s.unanswered), 0) AS unanswered, coalesce(sum(s.maybe_sent), 0) AS maybe_sent
            FROM shards s WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled))
            """,
            .int(number)
        )
        if try rows.next() {
            counters.counts = OutcomeSums.counts(rows)
            counters.retried = rows.int("retried")
            counters.attempts = rows.int("requests")
            counters.settledDevices = rows.int("devices")
            counters.unknownResent = rows.int("unanswered")
            counters.maybeSent = rows.int("maybe_sent")
        }
        counters.settledOutcomes = counters.counts.total
    }

    /// Counts the reasons of outcomes, and the other numbers that the law needs.
    private func countReasons(_ number: UInt32, _ counters: inout Counters) throws(LedgerError) {
        let reasons = try db.rows(
            """
            SELECT s.reasons, count(*) AS rows FROM shards s
            WHERE s.campaign = ?1 AND \(ShardRows.isIn(.settled)) AND s.reasons IS NOT NULL GROUP BY s.reasons
            """,
            .int(number)
        )
        while try reasons.next() {
            ReasonCounts.add(reasons.text("reasons"), times: reasons.int("rows"), to: &counters.reasons)
        }
        counters.childDevices = Int(
            try db.number("SELECT sum(count) FROM shards WHERE campaign = ?1 AND child > 0", .int(number)) ?? 0
        )
    }

    private func countOpen(
        _ facts: CampaignFacts,
        _ counters: inout Counters,
        byProvider: inout [ProviderName: Counters]
    ) throws(LedgerError) {
        let number = facts.number
        let provider = """
            SELECT p.provider FROM chunk_order o JOIN parts p ON p.campaign = o.campaign AND p.part = o.part
            WHERE o.campaign = s.campaign AND o.ordinal = s.chunk
            """
        let rows = try db.rows(
            """
            SELECT s.state, s.child, s.count, s.due_at, s.progress, s.aside, s.rung,
                \(facts.hasShares ? "(\(provider))" : "''") AS share, s.maybe_sent,
                s.retry_reasons
            FROM \(ShardRows.open)
            WHERE \(ShardRows.isOpen) AND s.campaign = ?1
            """,
            .int(number)
        )
        while try rows.next() {
            guard let state: ShardState = rows.value("state") else { continue }
            let row = Counters.OpenRow(
                state: state,
                aside: rows.value("aside"),
                isRetry: rows.int64("child") > 0,
                rung: rows.value("rung"),
                dueAt: rows.optionalTime("due_at"),
                reasons: rows.optionalText("retry_reasons")
            )
            if row.isRetry, state == .unpublished || state == .out || state == .aside, let due = row.dueAt {
                counters.nextRetryAt = min(counters.nextRetryAt ?? due, due)
            }
            let count = rows.int("count")
            let share = rows.provider("share")
            counters.maybeSent += rows.int("maybe_sent")
            guard !rows.isNull("progress") else {
                counters.wait(count, in: row)
                if facts.hasShares { byProvider[share, default: Counters()].wait(count, in: row) }
                continue
            }
            let id = ShardID(key: ShardKey(campaign: number, part: 0, ordinal: 0))
            let progress = try ShardRows.progress(rows, count: count, id: id)
            counters.add(progress, in: row)
            if facts.hasShares { byProvider[share, default: Counters()].add(progress, in: row) }
        }
    }

    /// Counts devices that were never cut: still to come, or ended by a cancel or an expiry.
    ///
    /// Also counts duplicates and users without a device, and returns their number.
    private func countRest(_ number: UInt32, _ counters: inout Counters) throws(LedgerError) -> Int {
        let rows = try db.rows(
            """
            SELECT c.duplicates, c.rest_outcome, c.rest_devices,
                \(UnplannedChunks.devices(of: "c")) AS unplanned,
                c.no_token
            FROM campaigns c WHERE c.number = ?1
            """,
            .int(number)
        )
        guard try rows.next() else { return 0 }
        let duplicates = rows.int("duplicates")
        counters.counts.skipped += duplicates
        if duplicates > 0 { counters.reasons["Duplicate", default: 0] += duplicates }
        let withoutToken = rows.int("no_token")
        counters.counts.skipped += withoutToken
        if withoutToken > 0 { counters.reasons["NoToken", default: 0] += withoutToken }
        if let outcome: Outcome = rows.value("rest_outcome") {
            counters.counts[outcome] += rows.int("rest_devices")
        }
        counters.pending.unplanned = rows.int("unplanned")
        return duplicates + withoutToken
    }
}
