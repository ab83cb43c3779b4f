public import Campaigns
public import Delivery

/// What somebody did by the HTTP API, whether it was done or refused.
public struct AuditEntry: Sendable, Equatable {
    /// Its place in the log; 0 before it is written.
    public var sequence: Int64 = 0
    /// When.
    public var at: Timestamp
    /// The name of the access token.
    public var actor: String
    /// The token's role.
    public var role: String
    /// The address that it came from.
    public var peer: String
    /// The operation's name in the API.
    public var operation: String
    /// The path, without the query.
    public var path: String
    /// The HTTP status of the answer.
    public var status: Int
    /// The request's id, with which the server's log has more.
    public var request: String

    /// An entry that is not written yet.
    public init(
        at: Timestamp,
        actor: String,
        role: String,
        peer: String,
        operation: String,
        path: String,
        status: Int,
        request: String
    ) {
        self.at = at
        self.actor = actor
        self.role = role
        self.peer = peer
        self.operation = operation
        self.path = path
        self.status = status
        self.request = request
    }
}

/// The audit log is in the ledger: all servers of a fleet write one, and a backup has it.
extension LedgerTransaction {
    /// Writes down who did what.
    public func audit(_ entry: AuditEntry) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO audit (at, actor, role, peer, operation, path, status, request)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """,
            .time(entry.at),
            .text(entry.actor),
            .text(entry.role),
            .text(entry.peer),
            .text(entry.operation),
            .text(entry.path),
            .int(entry.status),
            .text(entry.request)
        )
    }

    /// Removes what was done before any campaign that is kept; returns how many rows.
    public func purgeAudit(_ retention: Retention, now: Timestamp, max: Int = 500) throws(LedgerError) -> Int {
        try db.run(
            "DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at <= ?1 LIMIT ?2)",
            .time(now.advanced(by: .zero - retention.campaigns)),
            .int(max)
        )
    }
}

extension LedgerReader {
    /// Who did what, the latest first; `before`: only what was written before this place.
    public func audit(before sequence: Int64 = .max, limit: Int) throws(LedgerError) -> [AuditEntry] {
        let rows = try db.rows(
            """
            SELECT seq, at, actor, role, peer, operation, path, status, request FROM audit
            WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2
            """,
            .integer(sequence),
            .int(limit)
        )
        var entries: [AuditEntry] = []
        while try rows.next() {
            var entry = AuditEntry(
                at: rows.time(1),
                actor: rows.text(2),
                role: rows.text(3),
                peer: rows.text(4),
                operation: rows.text(5),
                path: rows.text(6),
                status: rows.int(7),
                request: rows.text(8)
            )
            entry.sequence = rows.int64(0)
            entries.append(entry)
        }
        return entries
    }
}
