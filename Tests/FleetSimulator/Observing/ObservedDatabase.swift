import CSimulatedDisk

/// A database on the simulated disk, read by plain SQLite without the fleet's code, locks or notice.
///
/// Safety: used by the process's only thread.
final class ObservedDatabase {
    private let path: String
    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) {
        self.path = path
        observed_disk_install()
    }

    /// Returns true if something was committed since the last call.
    func refresh() -> Bool { observed_disk_refresh(path) }

    /// Runs reads in one transaction; returns nil while there is no database, or none with these tables.
    func read<T>(_ body: () -> T?) -> T? {
        guard open(), sqlite3_exec(handle, "BEGIN", nil, nil, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
        return body()
    }

    /// Calls `body` with each row of a query; returns false if the query cannot be made or does not end.
    func rows(_ sql: String, _ value: Int = 0, _ body: (ObservedRow) -> Void) -> Bool {
        guard let statement = statement(sql) else { return false }
        defer { sqlite3_reset(statement) }
        if sqlite3_bind_parameter_count(statement) > 0 { sqlite3_bind_int64(statement, 1, Int64(value)) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(ObservedRow(statement: statement))
            case SQLITE_DONE: return true
            default: return false
            }
        }
    }

    private func open() -> Bool {
        if handle != nil { return true }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, "observed") == SQLITE_OK else {
            sqlite3_close(handle)
            handle = nil
            return false
        }
        sqlite3_exec(handle, "PRAGMA temp_store = memory", nil, nil, nil)
        return true
    }

    private func statement(_ sql: String) -> OpaquePointer? {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        statements[sql] = statement
        return statement
    }
}

/// The present row of a query.
struct ObservedRow {
    fileprivate let statement: OpaquePointer

    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

    func optionalInt(_ column: Int32) -> Int? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : int(column)
    }

    func text(_ column: Int32) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }

    /// The bytes of a column; nil for NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count))
    }
}
