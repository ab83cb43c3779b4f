public import Campaigns
public import Delivery

/// A campaign whose audience is being written as a list, and its planner's progress as of the last checkpoint.
public struct FrozenAudience: Sendable, Equatable {
    /// The campaign.
    public var campaign: UInt32
    /// The app.
    public var app: String
    /// The producer's instant of creation, or the instant of acceptance.
    public var createdAt: Timestamp
    /// The stored job, without inline devices.
    public var job: [UInt8]
    /// The provider at acceptance; the audience may contain others.
    public var provider: ProviderName
    /// The push type; alerts are not sent to devices that have opted out of them.
    public var pushType: PushType
    /// True if the shards carry the devices' variables.
    public var carriesVariables: Bool
    /// The list that the audience is cut from; nil if it comes from the registry.
    public var source: UInt32?
    /// The excluded list, if any.
    public var excluded: UInt32?
    /// The list that is being written.
    public var list: UInt32
    /// The number of devices, chunks or users of the source that were examined.
    public var position: Int64
    /// The registry's last device at the beginning.
    public var last: Int64
    /// The chunks written up to that position.
    public var chunks: Int
    /// The devices in these chunks.
    public var devices: Int
    /// The users without a device up to that position; of an audience that flows, the devices of providers that the
    /// app does not have.
    public var withoutToken: Int
    /// The instant as of which it is judged, the same for all who freeze it: questions about campaigns count events up
    /// to it.
    public var asOf: Timestamp
    /// The facts of an audience that is sent while it is frozen; nil for one that is frozen as a whole.
    public var flow: Flow?

    /// True if devices that have opted out of alerts are left out.
    public var skipsDenied: Bool { flow?.skipsDenied ?? (pushType == .alert) }

    /// Facts of an audience that is sent while it is frozen.
    public struct Flow: Sendable, Equatable {
        /// The share of the registry that the audience probably has.
        public var sample: AudienceSample
        /// True if its push is an alert, which is not sent to devices that have opted out of them.
        public var skipsDenied: Bool
        /// The number of the range, from 0; the position, the end and the counts are the range's.
        public var range = 0
        /// The number of ranges at the beginning.
        public var ranges = 1
        /// The position at which the range begins.
        public var first: Int64 = 0
        /// The chunks that were closed for a piece's sake, up to the position.
        public var splits = 0
    }
}

/// The result of a planner's step of materializing an audience.
public enum FreezeResult: Sendable, Equatable {
    /// The chunks are written.
    case written
    /// The chunks are written, and the campaign has them: the cursor of an audience that flows has passed them.
    case passed
    /// Another worker plans this campaign now, or the campaign is over; nothing was written.
    case fenced
    /// The range is complete, and others are not.
    case rangeOver
    /// The audience is complete; its size includes duplicates and users without a device.
    case frozen(audience: Int)
    /// The audience is empty; the campaign has failed with that reason.
    case empty
}

extension LedgerTransaction {
    /// Stores the planner's task to materialize an audience; part of the acceptance.
    func beginFrozen(
        _ campaign: UInt32,
        source: UInt32?,
        excluding excluded: UInt32?,
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
            .int(excluded),
            .int(duplicates),
            .int(atMost)
        )
    }

    /// Begins to materialize an audience, or resumes after the last checkpoint of the previous lease holder.
    ///
    /// Returns nil if another worker has the lease or the campaign is over. Chunks written after the checkpoint are
    /// removed, so that the list contains each device once. A list that the sweep has removed in part is begun anew.
    public func openFrozen(_ lease: LeaseToken, now: Timestamp) throws(LedgerError) -> FrozenAudience? {
        let campaign = lease.campaign
        guard try holdsLease(lease) else { return nil }
        // An audience that an earlier version began has no instant: the first planner to open it sets it.
        try db.run(
            "UPDATE \(lease.range == nil ? "frozen_audiences" : "audience_flows") SET as_of = ?2 "
                + "WHERE campaign = ?1 AND as_of IS NULL",
            .int(campaign),
            .time(now)
        )
        if let range = lease.range {
            return try reader.flowingAudience(campaign, range: range).map { flowing throws(LedgerError) in
                try goOn(with: flowing)
            }
        }
        guard var audience = try reader.wholeAudience(campaign) else { return nil }
        // A list that nobody has written to for an hour is swept, piece by piece.
        if try !goOnWriting(audience.list, chunks: audience.chunks, now: now) {
            (audience.position, audience.chunks, audience.devices, audience.withoutToken) = (0, 0, 0, 0)
            audience.list = try beginList(app: audience.app, name: nil, now: now)
            audience.last = try reader.registryEnd(app: audience.app)?.end ?? 0
            audience.asOf = now
            try db.run(
                """
                UPDATE frozen_audiences SET list = ?2, last = ?3, position = 0, chunks = 0, devices = 0, no_token = 0,
                    as_of = ?4
                WHERE campaign = ?1
                """,
                .int(campaign),
                .int(audience.list),
                .integer(audience.last),
                .time(now)
            )
            return audience
        }
        try removeChunks(of: audience.list, from: audience.nextOrdinal, to: nil)
        return audience
    }

    /// Removes the chunks of a list from an ordinal on; `end` is the first one that stays.
    func removeChunks(of list: UInt32, from ordinal: Int, to end: UInt32?) throws(LedgerError) {
        for table in ["chunks", "chunk_dead"] {
            try db.run(
                "DELETE FROM \(table) WHERE list = ?1 AND ordinal >= ?2 AND ordinal < ?3",
                .int(list),
                .int(ordinal),
                .int(end ?? .max)
            )
        }
    }

    /// Writes the next chunks of an audience; a checkpoint is the position to resume from after a crash.
    ///
    /// At a checkpoint of an audience that flows, its cursor passes the chunks: they may be cut.
    ///
    /// - Parameters:
    ///   - chunks: A few hundred at most.
    ///   - audience: The present progress; its `chunks` and `devices` count at a checkpoint.
    ///   - isCheckpoint: True if no device up to `position` is missing from the written chunks.
    ///   - findsDead: True if dead tokens have to be looked up, as for the tokens of a list.
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
            let old = try reader.frozenAudience(lease), old.list == audience.list
        else { return .fenced }
        if old.flow != nil {
            try write(chunks, of: audience)
            guard isCheckpoint else { return .written }
            try pass(audience, from: old)
            return .passed
        }
        // Swept after an hour without a write: whoever opens the audience next begins it anew.
        guard try reader.isBegun(audience.list) else { return .fenced }
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

    /// Completes a written audience, which from now on is a list like any other (use `synced`).
    ///
    /// An empty audience ends the campaign. One larger than `at_most` pauses it before its first push.
    ///
    /// `contents` has the content for each provider of the devices; it is empty if the accepted content applies.
    /// `parts` has a part for each time zone of the devices, for a campaign that is split by zones. An audience that
    /// flows has neither: its range ends, and with the last one its planning.
    public func finishFrozen(
        _ audience: FrozenAudience,
        contents: [CampaignContent] = [],
        parts: [NewPart] = [],
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> FreezeResult {
        let campaign = audience.campaign
        guard lease.campaign == campaign, try holdsLease(lease) else { return .fenced }
        if let range = lease.range {
            guard let flowing = try reader.flowingAudience(campaign, range: range), flowing.isAsFar(as: audience) else {
                return .fenced
            }
            return try finishRange(flowing, now: now)
        }
        let rows = try db.rows(
            "SELECT list, duplicates, at_most, source FROM frozen_audiences WHERE campaign = ?1",
            .int(campaign)
        )
        guard try rows.next(), rows.uint32("list") == audience.list, try reader.isBegun(audience.list) else {
            return .fenced
        }
        let (duplicates, most, source) = (
            rows.int("duplicates"), rows.optionalInt64("at_most"), rows.optionalInt64("source")
        )
        let record = try finishList(audience.list, version: "frozen", duplicates: duplicates, now: now)
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        // The source may be a list of the job's inline devices. An uploaded list stays, and so does a list that other
        // runs need.
        if let source {
            try db.run(
                """
                UPDATE lists SET state = \(ListState.removed.sql), touched_at = 0
                WHERE number = ?1 AND name IS NULL AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.list = ?1)
                """,
                .integer(source)
            )
        }
        let withoutToken = audience.withoutToken
        let whole = WholeList(record: record, duplicates: duplicates, withoutToken: withoutToken, atMost: most)
        return try begin(campaign, with: whole, contents: contents, parts: parts, now: now)
    }

    /// Completes an audience that is an uploaded list as a whole: the campaign gets the list itself (use `synced`).
    ///
    /// Contents and parts are as in `finishFrozen`. Returns `fenced` also for an audience that is not such a list.
    public func adoptSource(
        of audience: FrozenAudience,
        contents: [CampaignContent] = [],
        parts: [NewPart] = [],
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> FreezeResult {
        let campaign = audience.campaign
        guard lease.campaign == campaign, try holdsLease(lease) else { return .fenced }
        let rows = try db.rows(
            "SELECT list, source, at_most FROM frozen_audiences WHERE campaign = ?1 AND excluded IS NULL",
            .int(campaign)
        )
        guard try rows.next(), rows.uint32("list") == audience.list, let source = rows.optionalUInt32("source"),
            let record = try reader.list(number: source), record.name != nil
        else { return .fenced }
        let most = rows.optionalInt64("at_most")
        try abandonList(audience.list)
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        let whole = WholeList(record: record, duplicates: record.duplicates, withoutToken: 0, atMost: most)
        return try begin(campaign, with: whole, contents: contents, parts: parts, now: now)
    }

    /// The list that is a campaign's whole audience, and what it means for its size.
    private struct WholeList {
        var record: ListRecord
        var duplicates: Int
        var withoutToken: Int
        var atMost: Int64?
    }

    /// Gives a campaign the list that is its audience.
    private func begin(
        _ campaign: UInt32,
        with whole: WholeList,
        contents: [CampaignContent],
        parts: [NewPart],
        now: Timestamp
    ) throws(LedgerError) -> FreezeResult {
        let (record, list) = (whole.record, whole.record.number)
        let meant = record.devices + whole.duplicates + whole.withoutToken
        try db.run(
            """
            UPDATE campaigns SET stage = CASE WHEN hold = 1 AND fired_at IS NULL THEN \(CampaignStage.held.sql)
                    ELSE \(CampaignStage.scheduled.sql) END,
                list = ?2, chunks = ?3, audience = ?4, duplicates = ?5, no_token = ?6
            WHERE number = ?1
            """,
            .int(campaign),
            .int(list),
            .int(record.chunks),
            .int(meant),
            .int(whole.duplicates),
            .int(whole.withoutToken)
        )
        try writeContents(contents, campaign: campaign, list: list)
        try writeParts(parts, campaign: campaign, list: list, now: now)
        try bumpRevision()
        try note(.frozen, campaign: campaign, ["audience": .number(JSONNumber(meant))], now: now)
        if record.devices == 0 { return try failEmpty(campaign, now: now) }
        if let most = whole.atMost, Int64(meant) > most { _ = try pause(campaign: campaign, reason: .atMost, now: now) }
        return .frozen(audience: meant)
    }

    /// Ends a campaign whose audience has no device.
    func failEmpty(_ campaign: UInt32, now: Timestamp) throws(LedgerError) -> FreezeResult {
        try note(.failed, campaign: campaign, ["reason": "the audience is empty"], now: now)
        try db.run(
            """
            UPDATE campaigns SET stage = \(CampaignStage.failed.sql), failure = ?2, completed_at = ?3, lease_owner = 0
            WHERE number = ?1
            """,
            .int(campaign),
            .text("the audience is empty: no device in the registry matches, or all are left out"),
            .time(now)
        )
        return .empty
    }

    /// Abandons the audience of a campaign that ends before it is complete; returns false if it is complete.
    ///
    /// The part of an audience that was sent while it was frozen stays.
    func abandonFrozen(_ campaign: UInt32) throws(LedgerError) -> Bool {
        if try endFlow(campaign) { return true }
        if try endUploadWait(campaign) { return true }
        guard let audience = try reader.wholeAudience(campaign) else { return false }
        try abandonList(audience.list)
        try db.run("DELETE FROM frozen_audiences WHERE campaign = ?1", .int(campaign))
        try db.run(
            """
            UPDATE campaigns SET stage = \(CampaignStage.scheduled.sql)
            WHERE number = ?1 AND stage = \(CampaignStage.planning.sql)
            """,
            .int(campaign)
        )
        return true
    }
}

extension LedgerReader {
    /// The audience, or the range of one, that a lease's holder freezes; nil if it is over.
    func frozenAudience(_ lease: LeaseToken) throws(LedgerError) -> FrozenAudience? {
        guard let range = lease.range else { return try wholeAudience(lease.campaign) }
        return try flowingAudience(lease.campaign, range: range)
    }

    /// The audience of a campaign that is being frozen as a whole, as of its last checkpoint; nil if there is none.
    func wholeAudience(_ campaign: UInt32) throws(LedgerError) -> FrozenAudience? {
        let rows = try db.rows(
            """
            SELECT \(FrozenAudience.columns(of: "f", cursor: "f")), f.source
            FROM frozen_audiences f JOIN campaigns c ON c.number = f.campaign WHERE f.campaign = ?1
            """,
            .int(campaign)
        )
        return try rows.next() ? FrozenAudience(campaign: campaign, rows) : nil
    }
}

extension FrozenAudience {
    /// The columns that both kinds of audiences have, in a query with the rows `campaigns c`.
    ///
    /// - Parameters:
    ///   - audience: The name of the row of the whole audience.
    ///   - progress: The name of the row with its cursor.
    static func columns(of audience: String, cursor progress: String) -> String {
        let (a, p) = (audience, progress)
        return """
            c.app, c.job, c.push_type, c.carries_variables, \(a).excluded, \(a).list, \(p).position, \(p).last, \
            \(p).chunks, \(p).devices, \(p).no_token, c.created_at, c.provider, \(a).as_of
            """
    }

    init(campaign: UInt32, _ rows: borrowing Rows) {
        self.init(
            campaign: campaign,
            app: rows.text("app"),
            createdAt: rows.time("created_at"),
            job: rows.blob("job"),
            provider: rows.provider("provider"),
            pushType: PushType(rawValue: rows.text("push_type")) ?? .alert,
            carriesVariables: rows.bool("carries_variables"),
            source: rows.optionalUInt32("source"),
            excluded: rows.optionalUInt32("excluded"),
            list: rows.uint32("list"),
            position: rows.int64("position"),
            last: rows.int64("last"),
            chunks: rows.int("chunks"),
            devices: rows.int("devices"),
            withoutToken: rows.int("no_token"),
            asOf: rows.optionalTime("as_of") ?? rows.time("created_at")
        )
    }
}
