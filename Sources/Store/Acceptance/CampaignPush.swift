import Campaigns

/// What all shards of a campaign share, and where their devices are.
struct CampaignPush {
    var facts: Shard.Facts
    var list: UInt32
    var carriesVariables: Bool

    /// The facts of a chunk's shards.
    func facts(environment: String?) -> Shard.Facts {
        var result = facts
        result.environment = environment.flatMap { PushEnvironment(rawValue: $0) }
        return result
    }
}

extension LedgerReader {
    func campaignPush(_ number: UInt32) throws(LedgerError) -> CampaignPush? {
        let rows = try db.rows(
            """
            SELECT app, id, provider, urgency, push_type, priority, expires_at, drop_if_offline, collapse_id,
                max_attempts, drop_unknown, payload, trace_parent, list, carries_variables, message_id_at
            FROM campaigns WHERE number = ?1
            """,
            .int(number)
        )
        guard try rows.next() else { return nil }
        guard let urgency = Urgency(rawValue: rows.text(3)), let pushType = PushType(rawValue: rows.text(4)) else {
            throw .failed("campaign \(number) has an urgency or push type that this version does not know")
        }
        let facts = Shard.Facts(
            app: rows.text(0),
            campaignID: rows.text(1),
            provider: ProviderName(rawValue: rows.text(2)),
            environment: nil,
            urgency: urgency,
            pushType: pushType,
            priority: UInt8(truncatingIfNeeded: rows.int64(5)),
            expiresAt: rows.time(6),
            dropIfOffline: rows.bool(7),
            collapseID: rows.text(8),
            maxAttempts: rows.uint32(9),
            dropUnknown: rows.bool(10),
            payload: rows.blob(11),
            messageIDAt: rows.optionalInt64(15).map { UInt32(truncatingIfNeeded: $0) },
            traceParent: rows.text(12)
        )
        return CampaignPush(facts: facts, list: rows.uint32(13), carriesVariables: rows.bool(14))
    }
}
