public import Campaigns
public import Delivery

/// An event in the history of a campaign, or of its app during the campaign.
public struct HistoryEntry: Sendable, Equatable {
    /// The position in the history; nil for a part's release, which is derived from the clock and never written, and
    /// for a refusal.
    public var sequence: Int64?
    /// The kind of the event.
    public var kind: Kind
    /// The actor: an operator's name, or `HistoryEntry.fleet`.
    public var actor: String
    /// The instant of the event.
    public var at: Timestamp
    /// Further facts; an object.
    public var data: JSONValue

    /// The actor of events that no person caused.
    public static let fleet = "fanfare"

    /// The kinds of events.
    ///
    /// Raw values are stored and shown, so values are only added.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job was refused; the data has the errors.
        case refused = "campaign.refused"
        /// The job is in the ledger.
        case accepted = "campaign.accepted"
        /// The audience (a segment, users or everyone) is complete.
        case frozen = "campaign.frozen"
        /// The held campaign was fired.
        case fired = "campaign.fired"
        /// The first shard was published.
        case started = "campaign.started"
        /// The release time of a part has come.
        case partReleased = "campaign.part_released"
        /// A reason to pause was added.
        case paused = "campaign.paused"
        /// A reason to pause was removed.
        case resumed = "campaign.resumed"
        /// Rate, end or urgency changed.
        case changed = "campaign.changed"
        /// A newer campaign superseded this one.
        case superseded = "campaign.superseded"
        /// The campaign expired before all was sent.
        case expired = "campaign.expired"
        /// An operator cancelled the campaign.
        case cancelled = "campaign.cancelled"
        /// The campaign cannot be sent.
        case failed = "campaign.failed"
        /// Every device has its outcome.
        case completed = "campaign.completed"
        /// The app's breaker for a provider opened.
        case appSuspended = "app.suspended"
        /// The app's breaker for a provider closed.
        case appResumed = "app.resumed"
        /// An operator paused the app, a provider of it or an urgency of it.
        case scopePaused = "app.paused"
        /// An operator ended such a pause.
        case scopeResumed = "app.unpaused"
    }
}

/// A campaign's history has rows of its own and is kept as long as the campaign. The outbox keeps events for a day at
/// most, and only until they are published.
extension LedgerTransaction {
    /// Writes an event of a campaign, in the transaction that causes it.
    func note(
        _ kind: HistoryEntry.Kind,
        campaign: UInt32,
        by actor: String = HistoryEntry.fleet,
        _ data: KeyValuePairs<String, JSONValue?> = [:],
        now: Timestamp
    ) throws(LedgerError) {
        try note(kind, campaign: campaign, app: "", by: actor, data, now: now)
    }

    /// Writes an event of an app (an empty name stands for all apps).
    func note(
        _ kind: HistoryEntry.Kind,
        app: String,
        by actor: String = HistoryEntry.fleet,
        _ data: KeyValuePairs<String, JSONValue?>,
        now: Timestamp
    ) throws(LedgerError) {
        try note(kind, campaign: 0, app: app, by: actor, data, now: now)
    }

    private func note(
        _ kind: HistoryEntry.Kind,
        campaign: UInt32,
        app: String,
        by actor: String,
        _ data: KeyValuePairs<String, JSONValue?>,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            "INSERT INTO history (campaign, app, kind, actor, at, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .int(campaign),
            .text(app),
            .text(kind.rawValue),
            .text(actor),
            .time(now),
            .text(JSONValue.object(data).text)
        )
    }

    /// Removes some events of apps that are older than the retention of campaigns; returns the number of removed rows.
    public func purgeHistory(_ retention: Retention, now: Timestamp, max: Int = 500) throws(LedgerError) -> Int {
        try db.run(
            """
            DELETE FROM history WHERE seq IN (SELECT seq FROM history WHERE campaign = 0 AND at <= ?1 LIMIT ?2)
            """,
            .time(now.advanced(by: .zero - retention.campaigns)),
            .int(max)
        )
    }
}

extension LedgerReader {
    /// The history of a campaign, and of its app from the campaign's acceptance to its end, in order of time.
    ///
    /// - Parameters:
    ///   - number: The campaign.
    ///   - sequence: Only entries after this position are returned; released parts are always included.
    ///   - now: Parts that are released later are left out.
    public func history(
        campaign number: UInt32,
        after sequence: Int64 = 0,
        now: Timestamp
    ) throws(LedgerError) -> [HistoryEntry] {
        let rows = try db.rows(
            """
            SELECT \(HistoryEntry.columns) FROM history h WHERE h.campaign = ?1 AND h.seq > ?2
            UNION ALL
            SELECT \(HistoryEntry.columns) FROM campaigns c
            JOIN history h ON h.campaign = 0 AND h.at >= c.accepted_at AND h.app IN ('', c.app)
                AND (c.completed_at IS NULL OR h.at <= c.completed_at)
            WHERE c.number = ?1 AND h.seq > ?2
            ORDER BY 1
            """,
            .int(number),
            .integer(sequence)
        )
        var entries: [HistoryEntry] = []
        while try rows.next() {
            if let entry = HistoryEntry(rows) { entries.append(entry) }
        }
        for part in try parts(campaign: number, now: now) where part.hasOwnTimes && part.releaseAt <= now {
            entries.append(
                HistoryEntry(
                    sequence: nil,
                    kind: .partReleased,
                    actor: HistoryEntry.fleet,
                    at: part.releaseAt,
                    data: .object([
                        "time_zone": part.timeZone.map(JSONValue.string) ?? .null,
                        "provider": part.provider.map { .string($0.rawValue) },
                        "audience": .number(JSONNumber(part.devices)),
                        "expires_at": part.expiresAt.asEnd.map { .string($0.rfc3339) },
                    ])
                )
            )
        }
        let inOrder = entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        return inOrder.map(\.element)
    }
}

extension HistoryEntry {
    /// The columns of `history h` that `init(_:)` reads.
    static let columns = "h.seq, h.kind, h.actor, h.at, h.data"

    /// The entry of a row; nil if its kind is of a later version.
    init?(_ rows: borrowing Rows) {
        guard let kind: Kind = rows.value("kind") else { return nil }
        self.init(
            sequence: rows.int64("seq"),
            kind: kind,
            actor: rows.text("actor"),
            at: rows.time("at"),
            data: JSONReader.read(Array(rows.text("data").utf8)).value ?? .object([])
        )
    }

    /// The entry for a refused job.
    public init(_ refused: RefusedJob) {
        let document = JSONReader.read(refused.document).value
        self.init(
            sequence: nil,
            kind: .refused,
            actor: Self.fleet,
            at: refused.at,
            data: .object(["errors": document?["errors"]])
        )
    }
}
