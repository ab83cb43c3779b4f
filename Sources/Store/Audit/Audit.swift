public import Campaigns
public import Delivery

/// A request to the HTTP API by a named caller, done or refused.
public struct AuditEntry: Sendable, Equatable {
    /// The position in the log; 0 before the entry is written.
    public var sequence: Int64 = 0
    /// The instant of the request.
    public var at: Timestamp
    /// The name of the access token.
    public var actor: String
    /// The token's role.
    public var role: String
    /// The address that the request came from.
    public var peer: String
    /// The operation's name in the API.
    public var operation: String
    /// The path, without the query.
    public var path: String
    /// The HTTP status of the response.
    public var status: Int
    /// The request's id, under which the server's log has more.
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

/// The audit log is part of the ledger: all servers of a fleet write the same log, and a backup contains it.
extension LedgerTransaction {
    /// Writes an entry.
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

    /// Removes some entries that are older than the retention of campaigns; returns the number of removed rows.
    public func purgeAudit(_ retention: Retention, now: Timestamp, max: Int = 500) throws(LedgerError) -> Int {
        try db.run(
            "DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at <= ?1 LIMIT ?2)",
            .time(now.advanced(by: .zero - retention.campaigns)),
            .int(max)
        )
    }
}

extension LedgerReader {
    /// Entries of the audit log, latest first; `before` limits them to positions below it.
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
                at: rows.time("at"),
                actor: rows.text("actor"),
                role: rows.text("role"),
                peer: rows.text("peer"),
                operation: rows.text("operation"),
                path: rows.text("path"),
                status: rows.int("status"),
                request: rows.text("request")
            )
            entry.sequence = rows.int64("seq")
            entries.append(entry)
        }
        return entries
    }
}
