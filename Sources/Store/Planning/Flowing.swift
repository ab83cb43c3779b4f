public import Campaigns
public import Delivery

/// Audiences that are sent while they are frozen (`AudienceFlow`).
///
/// The registry is divided into ranges (`AudienceRanges`), which several planners freeze. What the cursor of a range
/// has passed is in `chunk_order`, may be cut and is never removed. From the beginning the list is a finished one,
/// which no sweep removes, and there is no way back to position 0. The campaign stays in the stage `planning`, so that
/// earlier versions leave it alone.
extension LedgerTransaction {
    /// The positions in `chunk_order` between the first ones of two parts: more chunks than a campaign can have.
    private static let partSpan: Int64 = 1 << 26

    /// Lets an audience flow of which nothing is frozen yet (use `synced`).
    ///
    /// The worker has the first range. Returns nil if another worker has the lease, if the campaign is over, or if
    /// something is frozen already.
    ///
    /// - Parameters:
    ///   - audience: The audience as `openFrozen` returned it.
    ///   - providers: The providers that have a share, in order of their names.
    ///   - contents: The content for each of them; empty if the accepted content applies.
    ///   - sample: The share of the registry that it probably has.
    ///   - ranges: The number of ranges.
    ///   - lease: Fences the write.
    ///   - now: The instant.
    public func beginFlow(
        _ audience: FrozenAudience,
        providers: [ProviderName],
        contents: [CampaignContent],
        sample: AudienceSample,
        ranges: Int = 1,
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> FrozenAudience? {
        let campaign = audience.campaign
        guard lease.campaign == campaign, try holdsLease(lease),
            let known = try reader.wholeAudience(campaign), known.list == audience.list, known.isUntouched
        else { return nil }
        try db.run(
            """
            UPDATE lists SET state = \(ListState.finished.sql), version = 'frozen', providers = ?2, touched_at = ?3
            WHERE number = ?1
            """,
            .int(known.list),
            .text(providers.map(\.rawValue).joined(separator: ",")),
            .time(now)
        )
        try writeContents(contents, campaign: campaign, list: known.list)
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        try db.run(
            """
            INSERT INTO audience_flows (campaign, holder, excluded, list, ranges, per_million, error_per_million,
                skips_denied, as_of)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
            .int(campaign),
            .int(lease.worker),
            .int(known.excluded),
            .int(known.list),
            .int(ranges),
            .integer(sample.perMillion),
            .integer(sample.errorPerMillion),
            .bool(known.skipsDenied),
            .time(known.asOf)
        )
        try beginRanges(of: known, count: ranges, by: lease.worker, now: now)
        try db.run(
            "UPDATE campaigns SET flows = 1, has_parts = 1, list = ?2, chunks = 0 WHERE number = ?1",
            .int(campaign),
            .int(known.list)
        )
        let shares = providers.count > 1 ? providers.map { Optional($0) } : [nil]
        for (number, share) in shares.enumerated() {
            try db.run(
                """
                INSERT INTO parts (campaign, part, release_at, expires_at, first_chunk, end_chunk, devices, cursor,
                    provider)
                VALUES (?1, ?2, 0, 0, ?3, ?3, 0, ?3, ?4)
                """,
                .int(campaign),
                .int(number),
                .integer(Int64(number) * Self.partSpan),
                .text(share?.rawValue)
            )
        }
        try bumpRevision()
        return try reader.flowingAudience(campaign, range: 0)
    }

    private func beginRanges(
        of audience: FrozenAudience,
        count: Int,
        by worker: Int64,
        now: Timestamp
    ) throws(LedgerError) {
        let (base, registry) = (audience.last & ~0xFFFF_FFFF, audience.last & 0xFFFF_FFFF)
        let nobodys = PlannerLease(owner: 0, epoch: 0, until: Timestamp(milliseconds: 0))
        for (number, range) in AudienceRanges.ranges(of: registry, count: count).enumerated() {
            let lease = number == 0 ? nobodys.taken(by: worker, isPaced: false, now: now) ?? nobodys : nobodys
            try db.run(
                """
                INSERT INTO audience_ranges (campaign, range_number, first, position, last, chunks, devices, no_token,
                    splits, owner, epoch, lease_until)
                VALUES (?1, ?2, ?3, ?3, ?4, 0, 0, 0, 0, ?5, ?6, ?7)
                """,
                .int(audience.campaign),
                .int(number),
                .integer(range.lowerBound),
                .integer(base + range.upperBound),
                .int(lease.owner),
                .int(lease.epoch),
                .time(lease.until)
            )
        }
    }

    /// Goes on with an audience behind its cursor: removes the chunks that the cursor has not passed, which are not
    /// cut.
    func goOn(with audience: FrozenAudience) throws(LedgerError) -> FrozenAudience {
        if let excluded = audience.excluded, try reader.list(number: excluded) == nil {
            throw .failed("the list that campaign \(audience.campaign) leaves out is gone; cancel the campaign")
        }
        try removeChunks(of: audience.list, from: audience.nextOrdinal, to: audience.endOrdinal)
        return audience
    }

    /// Writes chunks of a piece, which nobody cuts before the cursor passes them.
    ///
    /// Changes no row but those of the range: on PostgreSQL several planners write at a time.
    func write(_ chunks: [ListChunk], of audience: FrozenAudience) throws(LedgerError) {
        if let end = audience.endOrdinal, let last = chunks.last, last.ordinal >= end {
            throw .failed(
                "a range of campaign \(audience.campaign) has more than \(AudienceRanges.ordinals) groups of devices"
            )
        }
        try appendOwnChunks(chunks, to: audience.list)
    }

    /// Moves the cursor to the end of a piece: its chunks join the campaign, and may be cut from now on.
    func pass(_ audience: FrozenAudience, from old: FrozenAudience) throws(LedgerError) {
        guard let flow = audience.flow else { return }
        let campaign = audience.campaign
        try db.run(
            """
            UPDATE audience_ranges SET position = ?3, chunks = ?4, devices = ?5, no_token = ?6, splits = ?7
            WHERE campaign = ?1 AND range_number = ?2
            """,
            .int(campaign),
            .int(flow.range),
            .integer(audience.position),
            .int(audience.chunks),
            .int(audience.devices),
            .int(audience.withoutToken),
            .int(flow.splits)
        )
        let (list, from, to) = (audience.list, old.nextOrdinal, audience.nextOrdinal)
        let ordered = try db.run(
            """
            INSERT INTO chunk_order (campaign, position, ordinal, part)
            SELECT ?1, p.end_chunk + row_number() OVER (PARTITION BY p.part ORDER BY k.ordinal) - 1, k.ordinal, p.part
            FROM parts p JOIN chunks k ON \(Self.isOfPiece) AND (p.provider IS NULL OR p.provider = k.provider)
            WHERE p.campaign = ?1
            """,
            .int(campaign),
            .int(list),
            .int(from),
            .int(to)
        )
        guard ordered == to - from else {
            throw .failed("list \(list) has devices that campaign \(campaign) has no part for")
        }
        let own = "FROM chunks k WHERE \(Self.isOfPiece) AND (parts.provider IS NULL OR parts.provider = k.provider)"
        try db.run(
            """
            UPDATE parts SET end_chunk = end_chunk + (SELECT count(*) \(own)),
                devices = devices + (SELECT coalesce(sum(k.count), 0) \(own))
            WHERE campaign = ?1
            """,
            .int(campaign),
            .int(list),
            .int(from),
            .int(to)
        )
        try db.run(
            """
            UPDATE campaign_providers SET devices = (
                SELECT p.devices FROM parts p
                WHERE p.campaign = campaign_providers.campaign AND p.provider = campaign_providers.provider
            ) WHERE campaign = ?1
            """,
            .int(campaign)
        )
        try db.run(
            """
            UPDATE campaigns SET chunks = chunks + ?2, audience = audience + ?3, no_token = no_token + ?4
            WHERE number = ?1
            """,
            .int(campaign),
            .int(to - from),
            .int(audience.meant - old.meant),
            .int(audience.withoutToken - old.withoutToken)
        )
    }

    /// The condition for the chunks of a list (placeholder 2) between two positions of the cursor (3 and 4).
    private static let isOfPiece = "k.list = ?2 AND k.ordinal >= ?3 AND k.ordinal < ?4"

    /// Ends a range that is complete; with the last one the planning ends, and a campaign that is done by then.
    func finishRange(_ audience: FrozenAudience, now: Timestamp) throws(LedgerError) -> FreezeResult {
        try db.run(
            "DELETE FROM audience_ranges WHERE campaign = ?1 AND range_number = ?2",
            .int(audience.campaign),
            .int(audience.flow?.range)
        )
        let isOver = try db.number("SELECT 1 FROM audience_ranges WHERE campaign = ?1", .int(audience.campaign)) == nil
        return isOver ? try finishFlow(audience, now: now) : .rangeOver
    }

    private func finishFlow(_ audience: FrozenAudience, now: Timestamp) throws(LedgerError) -> FreezeResult {
        let (campaign, list) = (audience.campaign, audience.list)
        let providers = try reader.chunkProviders(list: list)
        let totals = try db.rows(
            """
            SELECT c.chunks, c.audience, c.audience - c.no_token AS devices FROM campaigns c WHERE c.number = ?1
            """,
            .int(campaign)
        )
        guard try totals.next() else { throw .failed("campaign \(campaign) is gone") }
        let (chunks, meant, devices) = (totals.int("chunks"), totals.int("audience"), totals.int("devices"))
        try db.run(
            "UPDATE lists SET devices = ?2, chunks = ?3, providers = ?4, touched_at = ?5 WHERE number = ?1",
            .int(list),
            .int(devices),
            .int(chunks),
            .text(providers.map(\.rawValue).joined(separator: ",")),
            .time(now)
        )
        try removeFlow(campaign)
        try bumpRevision()
        try note(.frozen, campaign: campaign, ["audience": .number(JSONNumber(meant))], now: now)
        guard devices > 0 else { return try failEmpty(campaign, now: now) }
        _ = try completeIfDone(campaign: campaign, now: now)
        return .frozen(audience: meant)
    }

    /// Ends the planning of a campaign that ends before its audience is complete.
    ///
    /// The list stays as far as the cursors came, and the campaign keeps an estimate of the devices that were never
    /// looked at. Returns false if its audience does not flow.
    func endFlow(_ campaign: UInt32) throws(LedgerError) -> Bool {
        guard let progress = try reader.flowProgress(campaign) else { return false }
        try db.run(
            "UPDATE campaigns SET unexamined = ?2 WHERE number = ?1",
            .int(campaign),
            .int(progress.sample.estimate(left: progress.left).devices)
        )
        try removeFlow(campaign)
        return true
    }

    /// Removes the progress of an audience that flows.
    func forgetFlow(_ campaign: UInt32) throws(LedgerError) {
        for table in ["audience_flows", "audience_ranges"] {
            try db.run("DELETE FROM \(table) WHERE campaign = ?1", .int(campaign))
        }
    }

    private func removeFlow(_ campaign: UInt32) throws(LedgerError) {
        try forgetFlow(campaign)
        try db.run(
            """
            UPDATE campaigns SET flows = 0, stage = CASE WHEN stage <> \(CampaignStage.planning.sql) THEN stage
                WHEN started_at IS NULL THEN \(CampaignStage.scheduled.sql) ELSE \(CampaignStage.sending.sql) END
            WHERE number = ?1
            """,
            .int(campaign)
        )
    }
}

extension FrozenAudience {
    /// The estimate of the audience, or of its range; nil unless it flows.
    public var estimate: AudienceEstimate? { flow?.sample.estimate(known: meant, left: left) }

    /// The devices of the audience or its range so far, those that nothing can be sent to included.
    var meant: Int { devices + withoutToken }

    /// The device numbers of the registry that were not looked at yet.
    var left: Int64 { (last & 0xFFFF_FFFF) - position }

    /// The ordinal of the next chunk, in the list.
    public var nextOrdinal: Int { Int(AudienceRanges.ordinals) * (flow?.range ?? 0) + chunks }

    /// The index in the list of the next chunk's first device.
    ///
    /// A range has as many indexes as device numbers, so those of ranges never meet.
    public var nextIndex: Int { Int(flow?.first ?? 0) + devices }

    /// The ordinal after the last one that the range may give; nil if there is no limit.
    var endOrdinal: UInt32? {
        guard let flow, flow.ranges > 1 else { return nil }
        return AudienceRanges.ordinals * UInt32(flow.range + 1)
    }

    /// Returns true if the cursors of the two are at one place of one list.
    func isAsFar(as other: FrozenAudience) -> Bool {
        (list, position, chunks) == (other.list, other.position, other.chunks)
    }

    /// True if nothing is frozen yet.
    fileprivate var isUntouched: Bool { position == 0 && chunks == 0 && source == nil }
}

extension LedgerReader {
    /// The range of an audience that is sent while it is frozen, as of its cursor; nil if it is over.
    func flowingAudience(_ campaign: UInt32, range: Int) throws(LedgerError) -> FrozenAudience? {
        let rows = try db.rows(
            """
            SELECT \(FrozenAudience.columns(of: "w", cursor: "f")), NULL AS source, f.first, f.splits, w.ranges,
                w.per_million, w.error_per_million, w.skips_denied
            FROM audience_ranges f JOIN audience_flows w ON w.campaign = f.campaign
            JOIN campaigns c ON c.number = f.campaign WHERE f.campaign = ?1 AND f.range_number = ?2
            """,
            .int(campaign),
            .int(range)
        )
        guard try rows.next() else { return nil }
        var audience = FrozenAudience(campaign: campaign, rows)
        audience.flow = FrozenAudience.Flow(
            sample: AudienceSample(
                perMillion: rows.int64("per_million"),
                errorPerMillion: rows.int64("error_per_million")
            ),
            skipsDenied: rows.bool("skips_denied"),
            range: range,
            ranges: rows.int("ranges"),
            first: rows.int64("first"),
            splits: rows.int("splits")
        )
        return audience
    }

    /// The devices so far, and the device numbers that are left, of an audience that is sent while it is frozen; nil if
    /// there is none.
    fileprivate func flowProgress(
        _ campaign: UInt32
    ) throws(LedgerError) -> (meant: Int, left: Int64, sample: AudienceSample)? {
        let rows = try db.rows(
            """
            SELECT c.audience, w.per_million, w.error_per_million, (
                SELECT coalesce(sum((f.last & 4294967295) - f.position), 0) FROM audience_ranges f
                WHERE f.campaign = w.campaign
            ) AS unseen
            FROM audience_flows w JOIN campaigns c ON c.number = w.campaign WHERE w.campaign = ?1
            """,
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        let sample = AudienceSample(
            perMillion: rows.int64("per_million"),
            errorPerMillion: rows.int64("error_per_million")
        )
        return (rows.int("audience"), rows.int64("unseen"), sample)
    }

    /// The estimate of a whole audience that is being frozen and sent; nil if it does not flow.
    func estimate(ofFlowing campaign: UInt32) throws(LedgerError) -> AudienceEstimate? {
        try flowProgress(campaign).map { $0.sample.estimate(known: $0.meant, left: $0.left) }
    }
}
