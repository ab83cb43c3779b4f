public import Campaigns
public import Delivery

/// A campaign whose audience becomes a list: how far its planner is, as of the last checkpoint.
public struct FrozenAudience: Sendable, Equatable {
    /// The campaign.
    public var campaign: UInt32
    /// The app.
    public var app: String
    /// The producer's instant, or that of acceptance.
    public var createdAt: Timestamp
    /// The job as the ledger keeps it, without inline devices.
    public var job: [UInt8]
    /// The provider that it was accepted for; others may be among its devices.
    public var provider: ProviderName
    /// What is sent: an alert is not sent to those who do not want to see any.
    public var pushType: PushType
    /// Whether its shards carry the devices' variables.
    public var carriesVariables: Bool
    /// The list that it is cut from; nil when it comes from the registry.
    public var source: UInt32?
    /// The list whose devices are left out, if one is.
    public var excluded: UInt32?
    /// The list that is being written.
    public var list: UInt32
    /// How many devices, chunks or users of what it is cut from were looked at.
    public var position: Int64
    /// The registry's last device that was there when it began.
    public var last: Int64
    /// Chunks written up to there.
    public var chunks: Int
    /// Devices in them.
    public var devices: Int
    /// Users without a device up to there.
    public var withoutToken: Int
}

/// What a planner's step of materialising came to.
public enum FreezeResult: Sendable, Equatable {
    /// It is written.
    case written
    /// Another worker plans this campaign now, or it is over: nothing was written.
    case fenced
    /// The audience is known: so many, repeated ones and users without a device included.
    case frozen(audience: Int)
    /// Nobody is meant: the campaign has failed and says so.
    case empty
}

extension LedgerTransaction {
    /// Says what the planner has to materialise; part of the acceptance.
    func beginFrozen(
        _ campaign: UInt32,
        _ freezing: NewCampaign.Freezing,
        source: UInt32?,
        duplicates: Int,
        _ atMost: Int?
    ) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO frozen_audiences (campaign, source, excluded, duplicates, at_most)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """,
            .int(campaign),
            .int(source),
            .int(freezing.excludedList),
            .int(duplicates),
            .int(atMost)
        )
    }

    /// Begins to materialise an audience, or goes on behind the last checkpoint of whoever had the lease before; nil when
    /// the lease is another worker's, or the campaign is over.
    ///
    /// What was written behind the checkpoint is removed, so that a device is in the list once.
    public func openFrozen(_ lease: LeaseToken, now: Timestamp) throws(LedgerError) -> FrozenAudience? {
        let campaign = lease.campaign
        guard try holdsLease(lease), var audience = try reader.frozenAudience(campaign) else { return nil }
        // A list that nobody has written to for an hour is swept.
        let isThere =
            try db.number(
                "SELECT 1 FROM lists WHERE number = ?1 AND state = ?2",
                .int(audience.list),
                .int(ListState.begun.rawValue)
            ) != nil
        if !isThere {
            (audience.position, audience.chunks, audience.devices, audience.withoutToken) = (0, 0, 0, 0)
            audience.list = try beginList(app: audience.app, name: nil, now: now)
            audience.last = try reader.registryEnd(app: audience.app)?.end ?? 0
            try db.run(
                """
                UPDATE frozen_audiences SET list = ?2, last = ?3, position = 0, chunks = 0, devices = 0, no_token = 0
                WHERE campaign = ?1
                """,
                .int(campaign),
                .int(audience.list),
                .integer(audience.last)
            )
            return audience
        }
        for table in ["chunks", "chunk_dead"] {
            try db.run(
                "DELETE FROM \(table) WHERE list = ?1 AND ordinal >= ?2",
                .int(audience.list),
                .int(audience.chunks)
            )
        }
        return audience
    }

    /// Writes the next chunks of an audience; with a checkpoint, the place behind which to go on after a crash.
    ///
    /// - Parameters:
    ///   - chunks: Some hundred at most.
    ///   - audience: How far it is now; its `chunks` and `devices` count when this is a checkpoint.
    ///   - isCheckpoint: Whether no device up to `position` is missing in what was written.
    ///   - findsDead: Whether tokens that are known to be dead have to be looked up: those of a list.
    ///   - lease: Fences the write.
    ///   - now: The instant.
    public func writeFrozen(
        _ chunks: [ListChunk],
        of audience: FrozenAudience,
        isCheckpoint: Bool,
        findsDead: Bool,
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> FreezeResult {
        guard lease.campaign == audience.campaign, try holdsLease(lease),
            try reader.frozenAudience(audience.campaign)?.list == audience.list
        else { return .fenced }
        if findsDead {
            try appendChunks(chunks, to: audience.list, now: now)
        } else {
            try appendKnownChunks(chunks, to: audience.list, now: now)
        }
        for chunk in chunks { try markOptedOut(chunk.optedOut, list: audience.list, ordinal: chunk.ordinal) }
        guard isCheckpoint else { return .written }
        try db.run(
            """
            UPDATE frozen_audiences SET position = ?2, chunks = ?3, devices = ?4, no_token = ?5 WHERE campaign = ?1
            """,
            .int(audience.campaign),
            .integer(audience.position),
            .int(audience.chunks),
            .int(audience.devices),
            .int(audience.withoutToken)
        )
        return .written
    }

    /// The audience is written: from here on it is a list like any other (use `synced`).
    ///
    /// An empty one ends the campaign, one larger than `at_most` pauses it before its first push.
    ///
    /// `contents`: what it is for each provider of its devices; none when that is the one that it was accepted for.
    /// `parts`: one for each time zone of its devices, for a campaign that is cut by them.
    public func finishFrozen(
        _ audience: FrozenAudience,
        contents: [CampaignContent] = [],
        parts: [NewPart] = [],
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> FreezeResult {
        let campaign = audience.campaign
        guard lease.campaign == campaign, try holdsLease(lease) else { return .fenced }
        let rows = try db.rows(
            "SELECT list, duplicates, at_most, source FROM frozen_audiences WHERE campaign = ?1",
            .int(campaign)
        )
        guard try rows.next(), rows.uint32(0) == audience.list else { return .fenced }
        let (duplicates, most, source) = (rows.int(1), rows.optionalInt64(2), rows.optionalInt64(3))
        let record = try finishList(audience.list, version: "frozen", duplicates: duplicates, now: now)
        let meant = record.devices + duplicates + audience.withoutToken
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        // The inline devices that it was cut from; an uploaded list stays, and what other runs need.
        if let source {
            try db.run(
                """
                UPDATE lists SET state = \(ListState.removed.rawValue), touched_at = 0
                WHERE number = ?1 AND name IS NULL AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.list = ?1)
                """,
                .integer(source)
            )
        }
        try db.run(
            """
            UPDATE campaigns SET stage = CASE WHEN hold = 1 AND fired_at IS NULL THEN 'held' ELSE 'scheduled' END,
                list = ?2, chunks = ?3, audience = ?4, duplicates = ?5, no_token = ?6
            WHERE number = ?1
            """,
            .int(campaign),
            .int(audience.list),
            .int(record.chunks),
            .int(meant),
            .int(duplicates),
            .int(audience.withoutToken)
        )
        try writeContents(contents, campaign: campaign, list: audience.list)
        try writeParts(parts, campaign: campaign, list: audience.list, now: now)
        try bumpRevision()
        try note(.frozen, campaign: campaign, ["audience": .number(JSONNumber(meant))], now: now)
        if record.devices == 0 {
            try note(.failed, campaign: campaign, ["reason": "the audience is empty"], now: now)
            try db.run(
                "UPDATE campaigns SET stage = 'failed', failure = ?2, completed_at = ?3, lease_owner = 0 WHERE number = ?1",
                .int(campaign),
                .text("the audience is empty: nobody in the registry is meant, or all are left out"),
                .time(now)
            )
            return .empty
        }
        if let most, Int64(meant) > most { _ = try pause(campaign: campaign, reason: .atMost, now: now) }
        return .frozen(audience: meant)
    }

    /// The campaign is over before its audience is known: nobody is meant any more; false when it is known.
    func abandonFrozen(_ campaign: UInt32) throws(LedgerError) -> Bool {
        guard let audience = try reader.frozenAudience(campaign) else { return false }
        try abandonList(audience.list)
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        try db.run("UPDATE campaigns SET stage = 'scheduled' WHERE number = ?1 AND stage = 'planning'", .int(campaign))
        return true
    }
}

extension LedgerReader {
    func frozenAudience(_ campaign: UInt32) throws(LedgerError) -> FrozenAudience? {
        let rows = try db.rows(
            """
            SELECT c.app, c.job, c.push_type, c.carries_variables, f.source, f.excluded, f.list, f.position, f.last,
                f.chunks, f.devices, f.no_token, c.created_at, c.provider
            FROM frozen_audiences f JOIN campaigns c ON c.number = f.campaign WHERE f.campaign = ?1
            """,
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        return FrozenAudience(
            campaign: campaign,
            app: rows.text(0),
            createdAt: rows.time(12),
            job: rows.blob(1),
            provider: ProviderName(rawValue: rows.text(13)),
            pushType: PushType(rawValue: rows.text(2)) ?? .alert,
            carriesVariables: rows.bool(3),
            source: rows.optionalInt64(4).map { UInt32(truncatingIfNeeded: $0) },
            excluded: rows.optionalInt64(5).map { UInt32(truncatingIfNeeded: $0) },
            list: rows.uint32(6),
            position: rows.int64(7),
            last: rows.int64(8),
            chunks: rows.int(9),
            devices: rows.int(10),
            withoutToken: rows.int(11)
        )
    }
}
