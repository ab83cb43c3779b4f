public import Campaigns
import Delivery
import PushProviders

/// Events of a shard's end, for apps that ask for them: in the transaction that settles the shard, so that they are as
/// exact as the ledger itself.
extension LedgerTransaction {
    /// Stores the events that apps ask for; this applies to all workers until it is set again.
    public func setAskedEvents(_ asked: [String: AskedEvents]) throws(LedgerError) {
        for (app, events) in asked {
            try db.run(
                """
                INSERT INTO asked_events (app, events) VALUES (?1, ?2)
                ON CONFLICT (app) DO UPDATE SET events = excluded.events WHERE asked_events.events <> excluded.events
                """,
                .text(app),
                .int(Int(events.rawValue))
            )
        }
    }

    /// Adds the events of a shard's end.
    func tell(
        _ settlement: Settlement,
        of record: ShardRecord,
        _ campaign: CampaignFacts,
        now: Timestamp
    ) throws(LedgerError) {
        let correlationID = try correlationID(campaign.number)
        let rows = try db.rows(
            """
            SELECT k.provider, k.bare, k.device_ids FROM campaigns c JOIN chunks k ON k.list = c.list
            WHERE c.number = ?1 AND k.ordinal = ?2
            """,
            .int(campaign.number),
            .int(record.chunk)
        )
        guard try rows.next() else { return }
        let provider = rows.provider("provider")
        if campaign.askedEvents.contains(.shardSettled) {
            let shard = SettledShard(settlement, of: record, campaign, provider)
            try addEvent(correlationID: correlationID) { .settled(shard, sequence: $0, at: now) }
        }
        let dead = settlement.invalidPositions
        guard campaign.askedEvents.contains(.deviceInvalid), !dead.isEmpty else { return }
        let batch: DeviceBatch
        do { batch = try DeviceBatch(encoded: rows.blob("bare")) } catch {
            throw .failed("chunk \(record.chunk) of campaign \(campaign.number): \(error)")
        }
        let ids = DeviceIDs(stored: rows.blob("device_ids")).texts
        let devices = dead.map { position in
            let index = record.index(position)
            let note = settlement.progress.notes[position]
            return InvalidDevice(
                token: ProviderRegistry.tokens.text(
                    of: Array(batch.tokens[batch.tokenRange(at: index)]),
                    provider: provider
                ),
                id: index < ids.count ? ids[index] : nil,
                since: note?.deadSince,
                reason: note?.reason
            )
        }
        try addEvent(correlationID: correlationID) {
            .invalid(
                devices,
                app: campaign.app,
                campaign: campaign.id,
                provider: provider,
                sequence: $0,
                at: now
            )
        }
    }
}

extension Settlement {
    /// The positions of the devices that a provider called dead in this shard; devices known to be dead are reported
    /// only once.
    fileprivate var invalidPositions: [UInt16] {
        (0..<progress.count).filter { progress.state(at: $0) == .outcome(.invalid) && progress.requests(at: $0) > 0 }
            .map { UInt16($0) }
    }
}

extension SettledShard {
    fileprivate init(
        _ settlement: Settlement,
        of record: ShardRecord,
        _ campaign: CampaignFacts,
        _ provider: ProviderName
    ) {
        self.init(
            campaign: campaign.id,
            app: campaign.app,
            provider: provider,
            id: record.id,
            attempt: record.attempt,
            counts: settlement.counts,
            retried: settlement.retries.reduce(0) { $0 + $1.positions.count },
            held: settlement.held.count,
            requests: settlement.attempts,
            reasons: settlement.reasons,
            retryReasons: settlement.retryReasons
        )
    }
}
