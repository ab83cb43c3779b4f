#if PostgreSQL
/// The text of a query in PostgreSQL's dialect.
enum PostgreSQLText {
    /// The query with `$1` for `?1`, without SQLite's index hints, and with its lock.
    static func of(_ text: String, locking: RowLocking) -> String {
        var sql = ""
        sql.reserveCapacity(text.utf8.count + 24)
        var rest = Substring(text)
        while let mark = rest.firstIndex(of: "?") {
            sql += rest[..<mark]
            sql += "$"
            rest = rest[rest.index(after: mark)...]
        }
        sql += rest
        if sql.contains(indexHint) { sql = withoutIndexes(sql) }
        return switch locking {
        case .none: sql
        case .untilCommit: sql + " FOR NO KEY UPDATE"
        }
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
