import GRDB
import GRDBSQLite

/// The rows of a prepared statement.
///
/// The hot statements bypass GRDB's arguments and rows, which cost an allocation per value.
final class SQLiteResult: QueryResult {
    private let raw: OpaquePointer
    /// Keeps the statement alive.
    private let statement: Statement
    var lastColumn: Int32 = -1

    init(_ statement: Statement, _ values: [SQLValue]) throws(LedgerError) {
        self.statement = statement
        raw = statement.sqliteStatement
        sqlite3_reset(raw)
        do throws(LedgerError) { try bind(values) } catch {
            end()
            throw error
        }
    }

    func next() throws(LedgerError) -> Bool {
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw LedgerError(connection: sqlite3_db_handle(raw))
        }
    }

    func end() {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    private func bind(_ values: [SQLValue]) throws(LedgerError) {
        for (index, value) in values.enumerated() {
            let location = Int32(index + 1)
            let code: Int32 =
                switch value {
                case .null: sqlite3_bind_null(raw, location)
                case .integer(let number): sqlite3_bind_int64(raw, location, number)
                case .text(let text): Self.bind(text, to: raw, at: location)
                case .blob(let bytes): Self.bind(bytes, to: raw, at: location)
                }
            guard code == SQLITE_OK else { throw LedgerError(connection: sqlite3_db_handle(raw)) }
        }
    }

    private static func bind(_ text: String, to raw: OpaquePointer, at location: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                sqlite3_bind_text(raw, location, chars.baseAddress ?? nothing, Int32(chars.count), copied)
            }
        }
    }

    private static func bind(_ bytes: [UInt8], to raw: OpaquePointer, at location: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, !buffer.isEmpty else { return sqlite3_bind_zeroblob(raw, location, 0) }
            return sqlite3_bind_blob(raw, location, base, Int32(buffer.count), copied)
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private static var nothing: UnsafePointer<CChar>? { nil }

    // MARK: - Columns

    var columnCount: Int32 { sqlite3_column_count(raw) }

    func columnName(_ column: Int32) -> UnsafePointer<CChar>? { sqlite3_column_name(raw, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

    func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(raw, column) else { return nil }
        let count = Int(sqlite3_column_bytes(raw, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_column_blob(raw, column) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column)))
    }
}
