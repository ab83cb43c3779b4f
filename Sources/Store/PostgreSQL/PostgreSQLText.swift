#if PostgreSQL
/// The text of a query in PostgreSQL's dialect.
struct PostgreSQLText {
    /// The query with `$1` for `?1`, and without SQLite's index hints.
    let sql: String
    /// True if the statement may run beside other workers' transactions: it reads, or changes rows that only
    /// transactions of the same shard change (`Ledger.Reach.shards`).
    let isOfShards: Bool

    private static let ofShards = [
        "SELECT", "UPDATE shards ", "INSERT INTO shards ", "INSERT INTO events ", "UPDATE events ",
        "DELETE FROM events ",
        "INSERT INTO chunk_dead ", "INSERT INTO webhook_events ", "DELETE FROM webhook_events ",
    ]

    init(_ text: String, isLocking: Bool) {
        var sql = ""
        sql.reserveCapacity(text.utf8.count + 24)
        var rest = Substring(text)
        while let mark = rest.firstIndex(of: "?") {
            sql += rest[..<mark]
            sql += "$"
            rest = rest[rest.index(after: mark)...]
        }
        sql += rest
        if sql.contains(Self.indexHint) { sql = Self.withoutIndexes(sql) }
        if isLocking { sql += " FOR NO KEY UPDATE" }
        self.sql = sql
        isOfShards = Self.ofShards.contains { text.hasPrefix($0) }
    }

    private static let indexHint = " INDEXED BY "

    private static func withoutIndexes(_ sql: String) -> String {
        var (result, rest) = ("", Substring(sql))
        while let range = rest.firstRange(of: indexHint) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...].drop { $0.isLetter || $0 == "_" }
        }
        return result + rest
    }
}
#endif
