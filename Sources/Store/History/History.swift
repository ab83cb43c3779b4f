public import Campaigns
public import Delivery

/// Something that happened to a campaign, or to its app while the campaign was there.
public struct HistoryEntry: Sendable, Equatable {
    /// Its place in the history; nil of a part's release, which the clock does and nobody writes, and of a refusal.
    public var sequence: Int64?
    /// What happened.
    public var kind: Kind
    /// Who did it: an operator's name, or `HistoryEntry.fleet`.
    public var actor: String
    /// When.
    public var at: Timestamp
    /// What else is known; an object.
    public var data: JSONValue

    /// The actor of what no person did.
    public static let fleet = "fanfare"

    /// What can happen; the raw value is stored and shown, and words are only added.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job was refused: what is wrong is in the data.
        case refused = "campaign.refused"
        /// The job is in the ledger.
        case accepted = "campaign.accepted"
        /// Who is meant is known: a segment, users or everyone.
        case frozen = "campaign.frozen"
        /// It was held, and is let go.
        case fired = "campaign.fired"
        /// The first shard is out.
        case started = "campaign.started"
        /// The time of one of its parts has come.
        case partReleased = "campaign.part_released"
        /// There is one more reason to wait.
        case paused = "campaign.paused"
        /// There is one less.
        case resumed = "campaign.resumed"
        /// Rate, end or urgency are others.
        case changed = "campaign.changed"
        /// A newer campaign took its place.
        case superseded = "campaign.superseded"
        /// Its time is over, and not all was sent.
        case expired = "campaign.expired"
        /// An operator ended it.
        case cancelled = "campaign.cancelled"
        /// Nothing can be sent.
        case failed = "campaign.failed"
        /// Every device has its outcome.
        case completed = "campaign.completed"
        /// A provider is out for the app.
        case appSuspended = "app.suspended"
        /// The provider takes the app's pushes again.
        case appResumed = "app.resumed"
        /// An operator paused the app, its provider or its urgency.
        case scopePaused = "app.paused"
        /// An operator ended such a pause.
        case scopeResumed = "app.unpaused"
    }
}

/// A campaign's history is kept as rows of its own, as long as the campaign: the outbox keeps events a day at most, and
/// only until they are published.
extension LedgerTransaction {
    /// Writes what happened to a campaign, in the transaction that it happens in.
    func note(
        _ kind: HistoryEntry.Kind,
        campaign: UInt32,
        by actor: String = HistoryEntry.fleet,
        _ data: KeyValuePairs<String, JSONValue?> = [:],
        now: Timestamp
    ) throws(LedgerError) {
        try note(kind, campaign: campaign, app: "", by: actor, data, now: now)
    }

    /// Writes what happened to an app (an empty name is all of them).
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

    /// Removes what happened to apps so long ago that no campaign of then is kept; returns how many rows.
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
    /// What happened to a campaign, and to its app from its acceptance to its end, in the order of time.
    ///
    /// - Parameters:
    ///   - number: The campaign.
    ///   - sequence: Only what was written behind this place; parts that were released are always among it.
    ///   - now: Parts whose time comes later are left out.
    public func history(
        campaign number: UInt32,
        after sequence: Int64 = 0,
        now: Timestamp
    ) throws(LedgerError) -> [HistoryEntry] {
        let rows = try db.rows(
            """
            SELECT h.seq, h.kind, h.actor, h.at, h.data FROM history h WHERE h.campaign = ?1 AND h.seq > ?2
            UNION ALL
            SELECT h.seq, h.kind, h.actor, h.at, h.data FROM campaigns c
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
            // A word of a later version is left out.
            guard let kind = HistoryEntry.Kind(rawValue: rows.text(1)) else { continue }
            entries.append(
                HistoryEntry(
                    sequence: rows.int64(0),
                    kind: kind,
                    actor: rows.text(2),
                    at: rows.time(3),
                    data: JSONReader.read(Array(rows.text(4).utf8)).value ?? .object([])
                )
            )
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
        let byPlace = entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        return byPlace.map(\.element)
    }
}

extension HistoryEntry {
    /// All that is known of a job that was refused.
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
