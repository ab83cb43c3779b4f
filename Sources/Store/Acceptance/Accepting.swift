public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Accepts a job, or returns the holder of its id: campaign, list and event in one transaction (use `synced`).
    ///
    /// Deletes an earlier refusal under the same key.
    public func accept(_ new: NewCampaign, now: Timestamp) throws(LedgerError) -> Acceptance {
        if let known = try known(new) {
            if case .written(let list, _, _) = new.audience { try abandonList(list) }
            return known
        }
        let source = try audience(new, now: now)
        var (list, devices, chunks, duplicates) = source ?? (0, 0, 0, 0)
        // The audience's size is known once it is materialized; it is 0 until then, so that the law holds.
        if new.freezing != nil { (list, devices, chunks, duplicates) = (0, 0, 0, 0) }
        // A repeated campaign sends to nobody itself; its list is kept for its runs.
        if new.repetition != nil { (devices, chunks, duplicates) = (0, 0, 0) }
        // The recipients of an in-app message are counted as they come.
        if new.inApp != nil { (devices, chunks, duplicates) = (0, 0, 0) }
        let number = try insert(new, list: list, chunks: chunks, audience: devices + duplicates, duplicates, now: now)
        try insert(new.variants, number, pushType: new.facts.pushType)
        // Each run of a repeated campaign brings its own content.
        if let content = new.content, new.repetition == nil {
            try write(content, app: new.facts.app, id: new.facts.campaignID, campaign: number, now: now)
        }
        if let inApp = new.inApp { try beginInApp(number, inApp, app: new.facts.app, list: list) }
        if new.freezing == nil, new.repetition == nil, new.inApp == nil, list > 0 {
            try writeContents(new.contents, campaign: number, list: list)
        }
        let data: KeyValuePairs<String, JSONValue?> = [
            "created_at": .string(new.createdAt.rfc3339),
            "expires_at": new.facts.expiresAt.asEnd.map { .string($0.rfc3339) },
            "send_at": new.release.sendAt.map { .string($0.rfc3339) },
            "audience": new.freezing == nil ? .number(JSONNumber(devices + duplicates)) : nil,
        ]
        try note(.accepted, campaign: number, data, now: now)
        if let freezing = new.freezing, let upload = freezing.upload {
            try beginUploadWait(
                number,
                app: new.facts.app,
                upload: upload,
                excluding: freezing.excludedList,
                new.atMost,
                now: now
            )
        } else if let freezing = new.freezing {
            try beginFrozen(
                number,
                source: source?.list,
                excluding: freezing.excludedList,
                duplicates: source?.duplicates ?? 0,
                new.atMost
            )
        } else if let most = new.atMost, devices + duplicates > most {
            _ = try pause(campaign: number, reason: .atMost, now: now)
        }
        try db.run("DELETE FROM refused WHERE app = ?1 AND id = ?2", .text(new.facts.app), .text(new.facts.campaignID))
        if let event = new.event { try addEvent(correlationID: new.correlationID) { _ in event } }
        if let repetition = new.repetition { try beginRepeating(number, repetition) }
        try writeParts(new.parts, campaign: number, list: list, now: now)
        if new.collapseKey != nil { _ = try supersedeIfOlder(number, now: now) }
        try bumpRevision()
        return .accepted(number: number, audience: devices + duplicates)
    }

    /// Accepts an urgent job on the fast path and plans all of it, already claimed by this worker (use `synced`).
    ///
    /// The shards run with generation 1 and epoch 1. They have no messages: the campaign's message is their lease. When
    /// that message is redelivered, `accept` returns `existing` and each open shard is claimed as redelivered.
    public func acceptClaimed(
        _ new: NewCampaign,
        worker: Int64,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp
    ) throws(LedgerError) -> (acceptance: Acceptance, shards: [ShardToPublish]) {
        let acceptance = try accept(new, now: now)
        guard case .accepted(let number, _) = acceptance else { return (acceptance, []) }
        // Behind an open breaker, or a campaign that it supersedes, this one waits for the planner like any other.
        guard let facts = try reader.campaign(number), facts.mayRelease(at: now) else { return (acceptance, []) }
        if !facts.isReleased, try !releaseIfFirst(number, now: now) { return (acceptance, []) }
        var shards: [ShardToPublish] = []
        for share in try reader.shares(of: facts) where share.asideReason == nil {
            shards += try cut(
                campaign: number,
                of: share.rows,
                shardsMax: .max,
                as: .claimed(by: worker),
                cap: cap,
                now: now
            )
        }
        try db.run("UPDATE campaigns SET short_way = 1 WHERE number = ?1", .int(number))
        return (acceptance, shards)
    }

    /// Remembers a refused job under its key, unless a campaign has that key: an invalid job never affects a campaign.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - id: The job's id; without a readable id nothing is remembered.
    ///   - document: The problem document.
    ///   - correlationID: The message's id, for the event.
    ///   - now: The instant.
    ///   - event: Makes the event for the producer.
    /// - Returns: True if the refusal was remembered.
    @discardableResult
    public func refuse(
        app: String,
        id: String?,
        document: [UInt8],
        correlationID: String,
        now: Timestamp,
        event: (_ sequence: Int64) -> CampaignEvent
    ) throws(LedgerError) -> Bool {
        try addEvent(correlationID: correlationID, event)
        guard let id, try reader.campaignNumber(app: app, id: id) == nil else { return false }
        try db.run(
            """
            INSERT INTO refused (app, id, document, at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (app, id) DO UPDATE SET document = excluded.document, at = excluded.at
            """,
            .text(app),
            .text(id),
            .blob(document),
            .time(now)
        )
        return true
    }

    private func known(_ new: NewCampaign) throws(LedgerError) -> Acceptance? {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.identity, c.audience FROM campaigns c WHERE c.app = ?1 AND c.id = ?2
            """,
            .text(new.facts.app),
            .text(new.facts.campaignID)
        )
        guard try rows.next() else { return nil }
        let facts = try CampaignRows.facts(rows)
        return rows.blob("identity") == new.identity
            ? .existing(facts, audience: rows.int("audience")) : .conflict(facts)
    }

    private func audience(
        _ new: NewCampaign,
        now: Timestamp
    ) throws(LedgerError) -> (list: UInt32, devices: Int, chunks: Int, duplicates: Int)? {
        let record: ListRecord?
        switch new.audience {
        case .registry: return nil
        case .list(let number): record = try reader.list(number: number)
        case .inline(let chunks, let version, let duplicates):
            let number = try beginList(app: new.facts.app, name: nil, now: now)
            try appendChunks(chunks, to: number, now: now)
            record = try finishList(number, version: version, duplicates: duplicates, now: now)
        case .written(let number, let version, let duplicates):
            record = try finishList(number, version: version, duplicates: duplicates, now: now)
        }
        guard let record else { throw .failed("campaign \(new.facts.campaignID) names a list that does not exist") }
        return (record.number, record.devices, record.chunks, record.duplicates)
    }

    private func insert(
        _ new: NewCampaign,
        list: UInt32,
        chunks: Int,
        audience: Int,
        _ duplicates: Int,
        now: Timestamp
    ) throws(LedgerError) -> UInt32 {
        let facts = new.facts
        let tags = JSONValue.array(new.tags.map { .string($0) })
        let pairs = new.metadata.sorted { $0.key < $1.key }
        let metadata = JSONValue.object(pairs.map { JSONMember($0.key, .string($0.value)) })
        let stage = new.freezing != nil ? CampaignStage.planning : new.release.isHeld ? .held : .scheduled
        let row: [(column: String, value: SQLValue)] = [
            ("app", .text(facts.app)),
            ("id", .text(facts.campaignID)),
            ("stage", .text(stage.rawValue)),
            ("expires_at", .time(facts.expiresAt)),
            ("provider", .text(facts.provider.rawValue)),
            ("list", .int(list)),
            ("chunks", .int(chunks)),
            ("audience", .int(audience)),
            ("duplicates", .int(duplicates)),
            ("created_at", .time(new.createdAt)),
            ("accepted_at", .time(now)),
            ("push_type", .text(new.variants.isEmpty ? facts.pushType.rawValue : CampaignVariant.pushType)),
            ("priority", .int(facts.priority)),
            ("collapse_id", .text(facts.collapseID)),
            ("carries_variables", .bool(new.carriesVariables)),
            ("trace_parent", .text(facts.traceParent)),
            ("correlation_id", .text(new.correlationID)),
            ("name", .text(new.name)),
            ("payload", .blob(facts.payload)),
            ("tags", .text(tags.text)),
            ("metadata", .text(metadata.text)),
            ("identity", .blob(new.identity)),
            ("job", .blob(new.job)),
            ("message_id_at", .int(facts.messageIDAt)),
            ("per_second", .int(new.pace?.perSecond)),
            ("ramp_up", .int(new.pace?.rampUp ?? 0)),
            ("send_at", .time(new.release.sendAt)),
            ("hold", .bool(new.release.isHeld)),
            ("release_seconds", .int(new.release.seconds)),
            ("collapse_key", .blob(new.collapseKey)),
            ("ignores_cap", .bool(new.ignoresCap)),
            ("badge_step", .text(new.badge?.step?.rawValue)),
            ("badge_count", .int(new.badge?.count)),
            ("kind", .text(new.kind.rawValue)),
        ]
        let number = try db.insertedNumber(into: "campaigns", row + facts.policy.row)
        return UInt32(truncatingIfNeeded: number ?? 0)
    }
}

extension LedgerReader {
    /// The holder of a job's key, as input for intake's decision.
    public func holder(app: String, id: String) throws(LedgerError) -> IntakeDecision.Holder {
        let rows = try db.rows(
            "SELECT number, identity FROM campaigns WHERE app = ?1 AND id = ?2",
            .text(app),
            .text(id)
        )
        return try rows.next() ? .campaign(number: rows.uint32("number"), identity: rows.blob("identity")) : .none
    }

    /// The campaign with a job's key, and the facts that its producer is told when the job comes again; nil if no
    /// campaign has the key.
    public func knownCampaign(app: String, id: String) throws(LedgerError) -> KnownCampaign? {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), c.identity, c.accepted_at FROM campaigns c WHERE c.app = ?1 AND c.id = ?2
            """,
            .text(app),
            .text(id)
        )
        guard try rows.next() else { return nil }
        let facts = try CampaignRows.facts(rows)
        return KnownCampaign(facts: facts, identity: rows.blob("identity"), acceptedAt: rows.time("accepted_at"))
    }

    /// The running shards of a campaign that was accepted as claimed; the campaign's message is their lease.
    ///
    /// Empty for a campaign that was accepted the ordinary way, whose shards have messages of their own. Excludes retry
    /// shards and shards that were set aside meanwhile.
    public func fastPathShards(campaign: UInt32) throws(LedgerError) -> [ShardToPublish] {
        guard try db.number("SELECT 1 FROM campaigns WHERE number = ?1 AND short_way = 1", .int(campaign)) != nil else {
            return []
        }
        var shards: [ShardToPublish] = []
        for record in try openShards(campaign: campaign, states: [.running])
        where record.id.key.child == 0 && record.generation == 1 {
            if let shard = try shardToPublish(record.id.key) { shards.append(shard) }
        }
        return shards
    }

    /// The problem document of a refused job; nil if the key was not refused or a campaign has it.
    public func refusal(app: String, id: String) throws(LedgerError) -> [UInt8]? {
        let rows = try db.rows("SELECT document FROM refused WHERE app = ?1 AND id = ?2", .text(app), .text(id))
        return try rows.next() ? rows.blob("document") : nil
    }

    /// The refused job with an id; nil if there is none.
    ///
    /// Without an app the id alone must be unique: throws `LedgerError.ambiguous` if two apps have it.
    public func refusedJob(app: String?, id: String) throws(LedgerError) -> RefusedJob? {
        let rows = try db.rows(
            "SELECT app, id, document, at FROM refused WHERE id = ?2 AND (?1 IS NULL OR app = ?1) ORDER BY app",
            .text(app),
            .text(id)
        )
        var found: [RefusedJob] = []
        while try rows.next() {
            found.append(
                RefusedJob(
                    app: rows.text("app"),
                    id: rows.text("id"),
                    document: rows.blob("document"),
                    at: rows.time("at")
                )
            )
        }
        if found.count > 1 { throw .ambiguous(id: id, apps: found.map(\.app)) }
        return found.first
    }

    /// The instant of the last refusal under a key; nil if there is none or a campaign has the key now.
    public func refusedAt(app: String, id: String) throws(LedgerError) -> Timestamp? {
        try db.number("SELECT at FROM refused WHERE app = ?1 AND id = ?2", .text(app), .text(id))
            .map { Timestamp(milliseconds: $0) }
    }
}
