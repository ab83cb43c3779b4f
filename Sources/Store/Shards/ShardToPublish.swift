public import Campaigns
public import Delivery

extension LedgerReader {
    /// A shard with all data for its message; nil if the ledger does not know it.
    public func shardToPublish(_ key: ShardKey) throws(LedgerError) -> ShardToPublish? {
        guard let record = try shard(key) else { return nil }
        return try complete([record]).first
    }

    /// Completes rows with the data of their campaigns and chunks.
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
            SELECT first_index, environment,
                CASE WHEN ?3 = 1 THEN coalesce(with_variables, bare) ELSE bare END AS devices,
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
        var devices = rows.blob("devices")
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
                provider: rows.provider("provider"),
                environment: rows.optionalText("environment"),
                locale: rows.optionalText("locale"),
                partEnd: partEnd
            ),
            firstIndex: rows.uint32("first_index"),
            devices: devices
        )
    }
}
