public import Campaigns

/// A message that waits for a person's decision.
public struct ParkedMessage: Sendable, Equatable {
    /// The message's number in the ledger; 0 before it has one.
    public var id: Int64
    /// The queue that the message came from.
    public var queue: String
    /// The stable reason, for example `UnknownCampaign`.
    public var reason: String
    /// All problems as a JSON array; `[]` if the reason says everything.
    public var errors: String
    /// The app, if it could be read.
    public var app: String?
    /// The campaign, if it could be read.
    public var campaign: String?
    /// The number of devices, if it could be read.
    public var devices: Int?
    /// The message as it was received.
    public var body: [UInt8]
    /// The message's properties and headers as a JSON object, for a replay.
    public var headers: String
    /// The instant of the first arrival.
    public var firstAt: Timestamp
    /// The instant of the last arrival.
    public var lastAt: Timestamp
    /// The number of arrivals of this message.
    public var count: Int

    /// A message that is about to be parked.
    public init(
        queue: String,
        reason: String,
        errors: String = "[]",
        app: String? = nil,
        campaign: String? = nil,
        devices: Int? = nil,
        body: [UInt8],
        headers: String = "{}",
        at now: Timestamp
    ) {
        id = 0
        self.queue = queue
        self.reason = reason
        self.errors = errors
        self.app = app
        self.campaign = campaign
        self.devices = devices
        self.body = body
        self.headers = headers
        firstAt = now
        lastAt = now
        count = 1
    }
}

extension LedgerTransaction {
    /// Stores a message and returns its number.
    ///
    /// A repeat of a message (same queue, reason and body) increases its count instead.
    @discardableResult
    public func park(_ message: ParkedMessage) throws(LedgerError) -> Int64 {
        let digest = TokenHash.value(
            prefix: TokenHash.prefix(app: message.queue, provider: message.reason),
            token: message.body
        )
        let id = try db.writtenNumber(
            """
            INSERT INTO parked (digest, queue, reason, errors, app, campaign, devices, first_at, last_at, headers, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (digest) DO UPDATE SET last_at = excluded.last_at, count = parked.count + 1
            RETURNING id
            """,
            .blob(TokenHash.bytes(digest)),
            .text(message.queue),
            .text(message.reason),
            .text(message.errors),
            .text(message.app),
            .text(message.campaign),
            .int(message.devices),
            .time(message.firstAt),
            .time(message.lastAt),
            .text(message.headers),
            .blob(message.body)
        )
        return id ?? 0
    }

    /// Removes a replayed or discarded message; returns false if it is gone or arrived again since it was read.
    public func removeParked(_ message: ParkedMessage) throws(LedgerError) -> Bool {
        try db.run("DELETE FROM parked WHERE id = ?1 AND count = ?2", .int(message.id), .int(message.count)) > 0
    }
}

/// A filter for parked messages; nil matches any.
public struct ParkedFilter: Sendable, Equatable {
    /// The app.
    public var app: String?
    /// The campaign's id.
    public var campaign: String?
    /// The reason.
    public var reason: String?

    /// A filter.
    public init(app: String? = nil, campaign: String? = nil, reason: String? = nil) {
        self.app = app
        self.campaign = campaign
        self.reason = reason
    }
}

extension LedgerReader {
    private static let parkedColumns = """
        id, queue, reason, errors, app, campaign, devices, first_at, last_at, count, headers
        """

    /// Parked messages, latest first, without their bodies.
    public func parked(limit: Int, _ filter: ParkedFilter = ParkedFilter()) throws(LedgerError) -> [ParkedMessage] {
        let rows = try db.rows(
            """
            SELECT \(Self.parkedColumns) FROM parked
            WHERE (?2 IS NULL OR app = ?2) AND (?3 IS NULL OR campaign = ?3) AND (?4 IS NULL OR reason = ?4)
            ORDER BY last_at DESC, id DESC LIMIT ?1
            """,
            .int(limit),
            .text(filter.app),
            .text(filter.campaign),
            .text(filter.reason)
        )
        return try rows.map { ParkedMessage($0, body: []) }
    }

    /// The numbers of parked messages in ascending order, page by page.
    public func parkedIDs(_ filter: ParkedFilter, after id: Int64, limit: Int) throws(LedgerError) -> [Int64] {
        let rows = try db.rows(
            """
            SELECT id FROM parked
            WHERE id > ?2 AND (?3 IS NULL OR app = ?3) AND (?4 IS NULL OR campaign = ?4) AND (?5 IS NULL OR reason = ?5)
            ORDER BY id LIMIT ?1
            """,
            .int(limit),
            .int(id),
            .text(filter.app),
            .text(filter.campaign),
            .text(filter.reason)
        )
        return try rows.map { $0.int64("id") }
    }

    /// A parked message with its body; nil if it does not exist.
    public func parked(id: Int64) throws(LedgerError) -> ParkedMessage? {
        let rows = try db.rows("SELECT \(Self.parkedColumns), body FROM parked WHERE id = ?1", .int(id))
        return try rows.next() ? ParkedMessage(rows, body: rows.blob("body")) : nil
    }

    /// The highest number of a parked message; 0 if there is none.
    public func lastParkedID() throws(LedgerError) -> Int64 {
        try db.number("SELECT max(id) FROM parked") ?? 0
    }

    /// The number of parked messages.
    public func parkedCount() throws(LedgerError) -> Int {
        Int(try db.number("SELECT count(*) FROM parked") ?? 0)
    }
}

extension ParkedMessage {
    fileprivate init(_ rows: borrowing Rows, body: [UInt8]) {
        self.init(
            queue: rows.text("queue"),
            reason: rows.text("reason"),
            errors: rows.text("errors"),
            app: rows.optionalText("app"),
            campaign: rows.optionalText("campaign"),
            devices: rows.optionalInt64("devices").map { Int($0) },
            body: body,
            headers: rows.text("headers"),
            at: rows.time("first_at")
        )
        id = rows.int64("id")
        lastAt = rows.time("last_at")
        count = rows.int("count")
    }
}
