public import Campaigns
public import Delivery

/// Audiences that are sent while they are frozen (`AudienceFlow`).
///
/// The cursor is the number of chunks in `campaigns.chunks`: what it has passed may be cut, and only what it has not
/// passed is ever removed. From the beginning the list is a finished one, which no sweep removes, and there is no way
/// back to position 0. The campaign stays in the stage `planning`, so that earlier versions leave it alone.
extension LedgerTransaction {
    /// The positions in `chunk_order` between the first ones of two parts: more chunks than a campaign can have.
    private static let partSpan: Int64 = 1 << 26

    /// Lets an audience flow of which nothing is frozen yet (use `synced`).
    ///
    /// Returns nil if another worker has the lease, if the campaign is over, or if something is frozen already.
    ///
    /// - Parameters:
    ///   - audience: The audience as `openFrozen` returned it.
    ///   - providers: The providers that have a share, in order of their names.
    ///   - contents: The content for each of them; empty if the accepted content applies.
    ///   - sample: The share of the registry that it probably has.
    ///   - lease: Fences the write.
    ///   - now: The instant.
    public func beginFlow(
        _ audience: FrozenAudience,
        providers: [ProviderName],
        contents: [CampaignContent],
        sample: AudienceSample,
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
            INSERT INTO audience_flows (campaign, holder, excluded, list, position, last, chunks, devices, no_token,
                splits, per_million, error_per_million, skips_denied)
            VALUES (?1, ?2, ?3, ?4, 0, ?5, 0, 0, 0, 0, ?6, ?7, ?8)
            """,
            .int(campaign),
            .int(lease.worker),
            .int(known.excluded),
            .int(known.list),
            .integer(known.last),
            .integer(sample.perMillion),
            .integer(sample.errorPerMillion),
            .bool(known.skipsDenied)
        )
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
        return try reader.flowingAudience(campaign)
    }

    /// Goes on with an audience behind its cursor: removes the chunks that the cursor has not passed, which are not
    /// cut.
    func goOn(with audience: FrozenAudience) throws(LedgerError) -> FrozenAudience {
        if let excluded = audience.excluded, try reader.list(number: excluded) == nil {
            throw .failed("the list that campaign \(audience.campaign) leaves out is gone; cancel the campaign")
        }
        try removeChunks(of: audience.list, from: audience.chunks)
        return audience
    }

    /// Moves the cursor to the end of a piece: its chunks join the campaign, and may be cut from now on.
    func pass(_ audience: FrozenAudience, from old: FrozenAudience) throws(LedgerError) {
        let campaign = audience.campaign
        try db.run(
            """
            UPDATE audience_flows SET position = ?2, chunks = ?3, devices = ?4, no_token = ?5, splits = ?6
            WHERE campaign = ?1
            """,
            .int(campaign),
            .integer(audience.position),
            .int(audience.chunks),
            .int(audience.devices),
            .int(audience.withoutToken),
            .int(audience.flow?.splits)
        )
        let ordered = try db.run(
            """
            INSERT INTO chunk_order (campaign, position, ordinal, part)
            SELECT ?1, p.end_chunk + row_number() OVER (PARTITION BY p.part ORDER BY k.ordinal) - 1, k.ordinal, p.part
            FROM parts p JOIN chunks k ON \(Self.isOfPiece) AND (p.provider IS NULL OR p.provider = k.provider)
            WHERE p.campaign = ?1
            """,
            .int(campaign),
            .int(audience.list),
            .int(old.chunks),
            .int(audience.chunks)
        )
        guard ordered == audience.chunks - old.chunks else {
            throw .failed("list \(audience.list) has devices that campaign \(campaign) has no part for")
        }
        let own = "FROM chunks k WHERE \(Self.isOfPiece) AND (parts.provider IS NULL OR parts.provider = k.provider)"
        try db.run(
            """
            UPDATE parts SET end_chunk = end_chunk + (SELECT count(*) \(own)),
                devices = devices + (SELECT coalesce(sum(k.count), 0) \(own))
            WHERE campaign = ?1
            """,
            .int(campaign),
            .int(audience.list),
            .int(old.chunks),
            .int(audience.chunks)
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
            "UPDATE campaigns SET chunks = ?2, audience = ?3, no_token = ?4 WHERE number = ?1",
            .int(campaign),
            .int(audience.chunks),
            .int(audience.meant),
            .int(audience.withoutToken)
        )
    }

    /// The condition for the chunks of a list (placeholder 2) between two positions of the cursor (3 and 4).
    private static let isOfPiece = "k.list = ?2 AND k.ordinal >= ?3 AND k.ordinal < ?4"

    /// Ends the planning of an audience that is complete; a campaign that is done by then completes with it.
    func finishFlow(_ audience: FrozenAudience, now: Timestamp) throws(LedgerError) -> FreezeResult {
        let (campaign, list) = (audience.campaign, audience.list)
        let providers = try reader.chunkProviders(list: list)
        try db.run(
            "UPDATE lists SET devices = ?2, chunks = ?3, providers = ?4, touched_at = ?5 WHERE number = ?1",
            .int(list),
            .int(audience.devices),
            .int(audience.chunks),
            .text(providers.map(\.rawValue).joined(separator: ",")),
            .time(now)
        )
        try removeFlow(campaign)
        try bumpRevision()
        try note(.frozen, campaign: campaign, ["audience": .number(JSONNumber(audience.meant))], now: now)
        guard audience.devices > 0 else { return try failEmpty(campaign, now: now) }
        _ = try completeIfDone(campaign: campaign, now: now)
        return .frozen(audience: audience.meant)
    }

    /// Ends the planning of a campaign that ends before its audience is complete.
    ///
    /// The list stays as far as the cursor came, and the campaign keeps an estimate of the devices that were never
    /// looked at. Returns false if its audience does not flow.
    func endFlow(_ campaign: UInt32) throws(LedgerError) -> Bool {
        guard let audience = try reader.flowingAudience(campaign) else { return false }
        try db.run(
            "UPDATE campaigns SET unexamined = ?2 WHERE number = ?1",
            .int(campaign),
            .int(audience.flow?.sample.estimate(left: audience.left).devices)
        )
        try removeFlow(campaign)
        return true
    }

    private func removeFlow(_ campaign: UInt32) throws(LedgerError) {
        try db.run("DELETE FROM audience_flows WHERE campaign = ?1", .int(campaign))
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
    /// The estimate of the whole audience; nil unless it flows.
    public var estimate: AudienceEstimate? { flow?.sample.estimate(known: meant, left: left) }

    /// The devices of the campaign's audience so far, those that nothing can be sent to included.
    var meant: Int { devices + withoutToken }

    /// The device numbers of the registry that were not looked at yet.
    var left: Int64 { (last & 0xFFFF_FFFF) - position }

    /// Returns true if the cursors of the two are at one place of one list.
    func isAsFar(as other: FrozenAudience) -> Bool {
        (list, position, chunks) == (other.list, other.position, other.chunks)
    }

    /// True if nothing is frozen yet.
    fileprivate var isUntouched: Bool { position == 0 && chunks == 0 && source == nil }
}

extension LedgerReader {
    /// The audience of a campaign that is sent while it is frozen, as of its cursor; nil if there is none.
    func flowingAudience(_ campaign: UInt32) throws(LedgerError) -> FrozenAudience? {
        let rows = try db.rows(
            """
            SELECT \(FrozenAudience.columns), NULL AS source, f.splits, f.per_million, f.error_per_million,
                f.skips_denied
            FROM audience_flows f JOIN campaigns c ON c.number = f.campaign WHERE f.campaign = ?1
            """,
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        var audience = FrozenAudience(campaign: campaign, rows)
        audience.flow = FrozenAudience.Flow(
            sample: AudienceSample(
                perMillion: rows.int64("per_million"),
                errorPerMillion: rows.int64("error_per_million")
            ),
            skipsDenied: rows.bool("skips_denied"),
            splits: rows.int("splits")
        )
        return audience
    }

    /// The estimate of a whole audience that is being frozen and sent; nil if it does not flow.
    func estimate(ofFlowing campaign: UInt32) throws(LedgerError) -> AudienceEstimate? {
        try flowingAudience(campaign)?.estimate
    }
}
