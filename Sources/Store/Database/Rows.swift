import GRDB
import GRDBSQLite

/// A value for a placeholder.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func int(_ value: some BinaryInteger) -> SQLValue { .integer(Int64(value)) }

    static func int(_ value: (some BinaryInteger)?) -> SQLValue { value.map { .integer(Int64($0)) } ?? .null }

    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    static func text(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }

    static func blob(_ value: [UInt8]?) -> SQLValue { value.map { .blob($0) } ?? .null }
}

/// The rows of a prepared statement, stepped by hand; the statement is reset when this goes away.
///
/// The hot statements do not go through GRDB's arguments and rows, which cost an allocation a value.
struct Rows: ~Copyable {
    private let statement: Statement
    private let raw: OpaquePointer

    init(_ statement: Statement) {
        self.statement = statement
        raw = statement.sqliteStatement
        sqlite3_reset(raw)
    }

    deinit {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// Goes to the next row; false behind the last.
    func next() throws(LedgerError) -> Bool {
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw LedgerError(connection: sqlite3_db_handle(raw))
        }
    }

    func bind(_ values: [SQLValue]) throws(LedgerError) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code: Int32 =
                switch value {
                case .null: sqlite3_bind_null(raw, place)
                case .integer(let number): sqlite3_bind_int64(raw, place, number)
                case .text(let text): bind(text, at: place)
                case .blob(let bytes): bind(bytes, at: place)
                }
            guard code == SQLITE_OK else { throw LedgerError(connection: sqlite3_db_handle(raw)) }
        }
    }

    private func bind(_ text: String, at place: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                sqlite3_bind_text(raw, place, chars.baseAddress ?? Self.nothing, Int32(chars.count), Self.copied)
            }
        }
    }

    private func bind(_ bytes: [UInt8], at place: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, !buffer.isEmpty else { return sqlite3_bind_zeroblob(raw, place, 0) }
            return sqlite3_bind_blob(raw, place, base, Int32(buffer.count), Self.copied)
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private static var nothing: UnsafePointer<CChar>? { nil }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(raw, column)) }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

    func uint32(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: sqlite3_column_int64(raw, column)) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func bool(_ column: Int32) -> Bool { int64(column) != 0 }

    func optionalText(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(raw, column) else { return nil }
        let count = Int(sqlite3_column_bytes(raw, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(raw, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(raw, column))))
    }

    func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}

extension Database {
    /// The rows of a query; its statement is prepared once per connection.
    func rows(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Rows {
        let rows = Rows(try prepared(sql))
        try rows.bind(values)
        return rows
    }

    /// Runs a statement to its end and says how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int {
        let rows = Rows(try prepared(sql))
        try rows.bind(values)
        while try rows.next() {}
        return Int(sqlite3_changes(sqliteConnection))
    }

    /// The first column of the first row as a number; nil without a row or when it is NULL.
    func number(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int64? {
        let rows = Rows(try prepared(sql))
        try rows.bind(values)
        return try rows.next() ? rows.optionalInt64(0) : nil
    }

    private func prepared(_ sql: String) throws(LedgerError) -> Statement {
        do { return try cachedStatement(sql: sql) } catch { throw LedgerError(error, path: ledgerPath) }
    }

    private var ledgerPath: String {
        sqlite3_db_filename(sqliteConnection, "main").map { String(cString: $0) } ?? ""
    }
}

extension LedgerError {
    /// What a connection says about its last call.
    init(connection: OpaquePointer?) {
        let path = sqlite3_db_filename(connection, "main").map { String(cString: $0) } ?? ""
        let detail = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "unknown"
        self.init(code: sqlite3_errcode(connection), detail: detail, path: path)
    }

    /// Any error of a body or of GRDB in the ledger's words.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as LedgerError: self = error
        case let error as DatabaseError:
            let code = error.resultCode.rawValue
            self.init(code: code, detail: error.message ?? "code \(code)", path: path)
        default: self = .failed("\(error)")
        }
    }

    private init(code: Int32, detail: String, path: String) {
        self =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
            case SQLITE_FULL: .full(path: path)
            case SQLITE_READONLY: .readOnly(path: path)
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, detail: detail)
            case SQLITE_CANTOPEN, SQLITE_PERM: .unreachable(path: path, detail: detail)
            default: .failed(detail)
            }
    }
}
