public import Campaigns
import Delivery

/// An event that waits to be published; it came with the transaction that it reports.
public struct LedgerEvent: Sendable, Equatable {
    /// Its place in the outbox.
    public var sequence: Int64
    /// The app: the first half of the routing key.
    public var app: String
    /// The campaign's id.
    public var campaign: String
    /// The second half of the routing key, for example `campaign.accepted`.
    public var type: String
    /// The event's data as JSON.
    public var data: [UInt8]
    /// The job's `message_id`.
    public var correlationID: String
    /// When it happened.
    public var at: Timestamp
}

extension LedgerTransaction {
    /// Writes an event into the outbox.
    public func addEvent(
        app: String,
        campaign: String,
        type: String,
        data: [UInt8],
        correlationID: String,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO events (app, campaign, type, data, correlation_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """,
            .text(app),
            .text(campaign),
            .text(type),
            .blob(data),
            .text(correlationID),
            .time(now)
        )
    }

    /// Removes events whose publish is confirmed (an unroutable one too: nobody listens).
    public func eventsPublished(_ sequences: [Int64]) throws(LedgerError) {
        for sequence in sequences { try db.run("DELETE FROM events WHERE seq = ?1", .int(sequence)) }
    }

    /// Removes events that nobody could take for a day.
    public func dropOldEvents(now: Timestamp) throws(LedgerError) {
        try db.run("DELETE FROM events WHERE created_at < ?1", .int(now.milliseconds - 86_400_000))
    }

    /// An event of a campaign's life with its figures.
    func addLifeEvent(_ type: String, campaign number: UInt32, now: Timestamp) throws(LedgerError) {
        guard let status = try reader.status(campaign: number, now: now) else { return }
        let rows = try db.rows("SELECT correlation_id FROM campaigns WHERE number = ?1", .int(number))
        let correlationID = try rows.next() ? rows.text(0) : ""
        try addEvent(
            app: status.app,
            campaign: status.id,
            type: type,
            data: JSONWriter.bytes(status.eventData),
            correlationID: correlationID,
            now: now
        )
    }
}

extension LedgerReader {
    /// The oldest events of the outbox.
    public func events(limit: Int) throws(LedgerError) -> [LedgerEvent] {
        let rows = try db.rows(
            """
            SELECT seq, app, campaign, type, data, correlation_id, created_at FROM events ORDER BY seq LIMIT ?1
            """,
            .int(limit)
        )
        var events: [LedgerEvent] = []
        while try rows.next() {
            events.append(
                LedgerEvent(
                    sequence: rows.int64(0),
                    app: rows.text(1),
                    campaign: rows.text(2),
                    type: rows.text(3),
                    data: rows.blob(4),
                    correlationID: rows.text(5),
                    at: rows.time(6)
                )
            )
        }
        return events
    }
}
