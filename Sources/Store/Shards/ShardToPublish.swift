public import Campaigns
public import Delivery

/// Everything that a shard's message is made of, as the ledger has it: what the planner and the sweeper publish.
public struct ShardToPublish: Sendable, Equatable {
    /// The row.
    public var record: ShardRecord
    /// What its devices' requests share.
    public var facts: Shard.Facts
    /// The index in the list of the chunk's first device.
    public var firstIndex: UInt32
    /// The devices as encoded columns.
    public var devices: [UInt8]

    /// Where it goes.
    public var lane: Lane { Lane(provider: facts.provider, urgency: facts.urgency) }

    /// The AMQP `message_id`.
    public var messageID: String { record.id.messageID(generation: record.generation) }

    /// The message body; the same row gives the same bytes at any time.
    public func body() throws(ShardError) -> [UInt8] {
        try Shard.encode(envelope(DeviceBatch()), devices: devices)
    }

    /// The shard itself: for a sender in the same process.
    public func shard() throws(ShardError) -> Shard {
        envelope(try DeviceBatch(encoded: devices))
    }

    private func envelope(_ batch: DeviceBatch) -> Shard {
        Shard(
            id: record.id,
            generation: record.generation,
            attempt: record.attempt,
            facts: facts,
            notBefore: record.notBefore,
            slot: record.slot,
            firstIndex: firstIndex,
            positions: record.positions,
            devices: batch
        )
    }
}

extension LedgerReader {
    /// A shard with everything that its message is made of; nil when the ledger does not know it.
    public func shardToPublish(_ key: ShardKey) throws(LedgerError) -> ShardToPublish? {
        guard let record = try shard(key) else { return nil }
        return try complete([record]).first
    }

    /// Adds to rows what campaign and chunk have.
    func complete(_ records: [ShardRecord]) throws(LedgerError) -> [ShardToPublish] {
        var pushes: [UInt32: CampaignPush] = [:]
        var shards: [ShardToPublish] = []
        for record in records {
            let number = record.id.key.campaign
            if pushes[number] == nil { pushes[number] = try campaignPush(number) }
            guard let push = pushes[number] else { throw .failed("shard \(record.id) has no campaign") }
            shards.append(try complete(record, push))
        }
        return shards
    }

    private func complete(_ record: ShardRecord, _ push: CampaignPush) throws(LedgerError) -> ShardToPublish {
        let rows = try db.rows(
            """
            SELECT first_index, environment, CASE WHEN ?3 = 1 THEN coalesce(with_variables, bare) ELSE bare END,
                locale, provider
            FROM chunks WHERE list = ?1 AND ordinal = ?2
            """,
            .int(push.list),
            .int(record.chunk),
            .bool(push.carriesVariables)
        )
        guard try rows.next() else { throw .failed("chunk \(record.chunk) of list \(push.list) is gone") }
        let number = record.id.key.campaign
        let partEnd = push.hasParts ? try partEnd(campaign: number, chunk: record.chunk) : nil
        var devices = rows.blob(2)
        let isCounted = push.badge?.step != nil
        if isCounted || !record.positions.isEmpty {
            do {
                var batch = try DeviceBatch(encoded: devices)
                if isCounted { batch.set(try badges(campaign: number, chunk: record.chunk)) }
                devices = try (record.positions.isEmpty ? batch : batch.subset(record.positions)).encoded()
            } catch { throw .failed("chunk \(record.chunk) of list \(push.list): \(error)") }
        }
        return ShardToPublish(
            record: record,
            facts: try push.facts(
                provider: ProviderName(rawValue: rows.text(4)),
                environment: rows.optionalText(1),
                locale: rows.optionalText(3),
                partEnd: partEnd
            ),
            firstIndex: rows.uint32(0),
            devices: devices
        )
    }
}
