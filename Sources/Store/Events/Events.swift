public import Campaigns
import Delivery

/// An event that waits to be published; it was written in the transaction that it reports.
public struct LedgerEvent: Sendable, Equatable {
    /// The position in the outbox.
    public var sequence: Int64
    /// `<app>.<type>`.
    public var routingKey: String
    /// CloudEvents JSON (`CampaignEvent.contentType`); the same at every publish.
    public var body: [UInt8]
    /// The job's `message_id`.
    public var correlationID: String
    /// The instant of the event.
    public var at: Timestamp
}

extension LedgerTransaction {
    /// Writes an event into the outbox.
    ///
    /// The transaction becomes synced: an event that is published and then lost would leave its number to another.
    /// `make` gets a number that no other event has, for events that a campaign has more than once.
    public func addEvent(
        correlationID: String,
        _ make: (_ sequence: Int64) -> CampaignEvent
    ) throws(LedgerError) {
        try requireSynced()
        let inserted = try db.writtenNumber(
            """
            INSERT INTO events (routing_key, body, correlation_id, created_at) VALUES ('', ?2, ?1, 0) RETURNING seq
            """,
            .text(correlationID),
            .blob([]),
            scope: .shards
        )
        guard let sequence = inserted else { throw .failed("an event without a number") }
        let event = make(sequence)
        try db.run(
            "UPDATE events SET routing_key = ?2, body = ?3, created_at = ?4 WHERE seq = ?1",
            .integer(sequence),
            .text(event.routingKey),
            .blob(event.bytes),
            .time(event.time),
            scope: .shards
        )
        try addToWebhooks(sequence, event)
    }

    /// Removes events whose publish is confirmed, including unroutable ones, for which no queue is bound.
    public func eventsPublished(_ sequences: [Int64]) throws(LedgerError) {
        for sequence in sequences {
            try db.run("DELETE FROM events WHERE seq = ?1", .integer(sequence), scope: .shards)
        }
    }

    /// Removes events that could not be published for a day, and events that no webhook took for three days.
    public func dropOldEvents(now: Timestamp) throws(LedgerError) {
        // Numbers grow with time, so the oldest events come first.
        try db.run(
            "DELETE FROM events WHERE seq IN (SELECT seq FROM events ORDER BY seq LIMIT ?2) AND created_at < ?1",
            .int(now.milliseconds - 86_400_000),
            .int(Self.droppedMax),
            scope: .shards
        )
        try db.run(
            """
            DELETE FROM webhook_events WHERE (webhook, seq) IN (
                SELECT webhook, seq FROM webhook_events WHERE created_at < ?1 LIMIT ?2
            )
            """,
            .time(now.advanced(by: .zero - WebhookState.failingMax)),
            .int(Self.droppedMax),
            scope: .shards
        )
    }

    /// The number of events dropped in one transaction; the next transaction follows a second later.
    private static let droppedMax = 1_000

    /// Adds an event of a campaign's life, reading no more than the event needs: a status would count each part and
    /// provider.
    ///
    /// `counted` has the outcomes of a campaign that has nothing pending, where they are counted already.
    func addLifeEvent(
        _ kind: CampaignEvent.Kind,
        campaign number: UInt32,
        _ counted: OutcomeCounts? = nil,
        now: Timestamp
    ) throws(LedgerError) {
        guard let facts = try reader.campaign(number) else { return }
        let (audience, reasons): (Int, Set<AsideReason>)
        var counters = Counters()
        switch kind {
        case .paused, .resumed: (audience, reasons) = (0, try reader.reasons(of: facts))
        case .completed, .cancelled:
            (audience, reasons) = (try reader.audience(of: number), [])
            if let counted { counters.counts = counted } else { try reader.countOutcomes(facts, &counters) }
        case .started, .accepted, .refused, .suspended, .takenUp, .shardSettled, .deviceInvalid:
            (audience, reasons) = (try reader.audience(of: number), [])
        }
        let counted = counters
        try addEvent(correlationID: try correlationID(number)) { sequence in
            switch kind {
            case .paused, .resumed:
                .pausing(
                    kind,
                    app: facts.app,
                    campaign: facts.id,
                    reasons: reasons.map(\.rawValue).sorted(),
                    sequence: sequence,
                    at: now
                )
            case .completed, .cancelled:
                .over(
                    kind,
                    app: facts.app,
                    campaign: facts.id,
                    audience: audience,
                    counts: counted.counts,
                    pending: counted.pending.total,
                    at: now
                )
            case .started, .accepted, .refused, .suspended, .takenUp, .shardSettled, .deviceInvalid:
                .started(app: facts.app, campaign: facts.id, audience: audience, at: now)
            }
        }
    }

    func correlationID(_ number: UInt32) throws(LedgerError) -> String {
        let rows = try db.rows("SELECT correlation_id FROM campaigns WHERE number = ?1", .int(number))
        return try rows.next() ? rows.text("correlation_id") : ""
    }
}

extension LedgerReader {
    /// The oldest events of the outbox after a position; 0 for the beginning.
    public func events(after sequence: Int64 = 0, limit: Int) throws(LedgerError) -> [LedgerEvent] {
        let rows = try db.rows(
            """
            SELECT seq, routing_key, body, correlation_id, created_at FROM events WHERE seq > ?2 ORDER BY seq LIMIT ?1
            """,
            .int(limit),
            .integer(sequence)
        )
        return try rows.map { row in
            LedgerEvent(
                sequence: row.int64("seq"),
                routingKey: row.text("routing_key"),
                body: row.blob("body"),
                correlationID: row.text("correlation_id"),
                at: row.time("created_at")
            )
        }
    }
}
