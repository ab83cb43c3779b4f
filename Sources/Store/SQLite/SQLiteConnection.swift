import GRDB
import GRDBSQLite

/// GRDB's connection runs the ledger's queries as they are written.
extension Database: LedgerConnection {
    func rows(_ sql: String, values: [SQLValue], locking: RowLocking) throws(LedgerError) -> Rows {
        Rows(try SQLiteResult(try prepared(sql), values))
    }

    /// Does nothing: there is only one writer at a time.
    func lock(_ sql: String, values: [SQLValue]) throws(LedgerError) {}

    @discardableResult
    func run(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Int {
        let rows = try rows(sql, values: values)
        while try rows.next() {}
        return Int(sqlite3_changes(sqliteConnection))
    }

    func writtenRows(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Rows {
        try rows(sql, values: values)
    }

    func skipNumbers(of table: String, column: String, count: Int) throws(LedgerError) {
        // A table that never had a row has no sequence yet.
        try run(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
            """,
            .text(table)
        )
        try run("UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1", .text(table), .int(count))
    }

    func testWrite() throws(LedgerError) {
        try run("INSERT INTO meta (key, value) VALUES ('write_test', zeroblob(65536))")
        // Before it is committed or rolled back, or the rows would never leave the cache.
        let code = sqlite3_db_cacheflush(sqliteConnection)
        guard code == SQLITE_OK else {
            let detail = sqlite3_errstr(code).map { String(cString: $0) } ?? "code \(code)"
            throw LedgerError(code: code, detail: detail, path: ledgerPath)
        }
    }

    private func prepared(_ sql: String) throws(LedgerError) -> Statement {
        do { return try cachedStatement(sql: sql) } catch { throw LedgerError(error, path: ledgerPath) }
    }

    private var ledgerPath: String {
        sqlite3_db_filename(sqliteConnection, "main").map { String(cString: $0) } ?? ""
    }
}
