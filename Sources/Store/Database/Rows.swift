import GRDB
import GRDBSQLite
import Glibc

/// The rows of a query, stepped by hand; they are released with this value.
///
/// For SQLite this is the prepared statement itself: the hot statements bypass GRDB's arguments and rows, which cost an
/// allocation per value. For PostgreSQL this is a result that has arrived completely.
struct Rows: ~Copyable {
    /// SQLite's statement; nil for a result of PostgreSQL.
    private let raw: OpaquePointer?
    /// Keeps the statement alive.
    private let statement: Statement?
    #if PostgreSQL
    private let result: PostgreSQLResult?

    init(_ result: PostgreSQLResult) {
        raw = nil
        statement = nil
        self.result = result
    }
    #endif

    init(_ statement: Statement) {
        self.statement = statement
        raw = statement.sqliteStatement
        #if PostgreSQL
        result = nil
        #endif
        sqlite3_reset(raw)
    }

    deinit {
        guard let raw else { return }
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// Goes to the next row; returns false after the last one.
    func next() throws(LedgerError) -> Bool {
        guard let raw else { return nextOfResult() }
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw LedgerError(connection: sqlite3_db_handle(raw))
        }
    }

    func bind(_ values: [SQLValue]) throws(LedgerError) {
        guard let raw else { return }
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code: Int32 =
                switch value {
                case .null: sqlite3_bind_null(raw, place)
                case .integer(let number): sqlite3_bind_int64(raw, place, number)
                case .text(let text): Self.bind(text, to: raw, at: place)
                case .blob(let bytes): Self.bind(bytes, to: raw, at: place)
                }
            guard code == SQLITE_OK else { throw LedgerError(connection: sqlite3_db_handle(raw)) }
        }
    }

    private static func bind(_ text: String, to raw: OpaquePointer, at place: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                sqlite3_bind_text(raw, place, chars.baseAddress ?? nothing, Int32(chars.count), copied)
            }
        }
    }

    private static func bind(_ bytes: [UInt8], to raw: OpaquePointer, at place: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, !buffer.isEmpty else { return sqlite3_bind_zeroblob(raw, place, 0) }
            return sqlite3_bind_blob(raw, place, base, Int32(buffer.count), copied)
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private static var nothing: UnsafePointer<CChar>? { nil }

    func isNull(_ column: Int32) -> Bool {
        guard let raw else { return isNullInResult(column) }
        return sqlite3_column_type(raw, column) == SQLITE_NULL
    }

    func int64(_ column: Int32) -> Int64 {
        guard let raw else { return numberInResult(column) }
        return sqlite3_column_int64(raw, column)
    }

    func optionalText(_ column: Int32) -> String? {
        guard let raw else { return textInResult(column) }
        guard let bytes = sqlite3_column_text(raw, column) else { return nil }
        let count = Int(sqlite3_column_bytes(raw, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let raw else { return bytesInResult(column) }
        guard let bytes = sqlite3_column_blob(raw, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(raw, column))))
    }

    /// Appends the bytes of a text or blob.
    func append(_ column: Int32, to bytes: inout [UInt8]) {
        guard let raw else { return bytes.append(contentsOf: bytesInResult(column)) }
        guard let start = sqlite3_column_blob(raw, column) else { return }
        let count = Int(sqlite3_column_bytes(raw, column))
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns true if the bytes of a blob contain `part`; copies nothing.
    func contains(_ column: Int32, _ part: [UInt8]) -> Bool {
        guard let raw else { return bytesInResult(column).withUnsafeBytes { Self.contains($0, part) } }
        guard let start = sqlite3_column_blob(raw, column) else { return false }
        return Self.contains(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))), part)
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ part: [UInt8]) -> Bool {
        guard let base = bytes.baseAddress, let first = part.first else { return false }
        let end = bytes.count - part.count
        var index = 0
        while index <= end, let found = memchr(base + index, Int32(first), end - index + 1) {
            if memcmp(found, part, part.count) == 0 { return true }
            index = UnsafeRawPointer(found) - base + 1
        }
        return false
    }

    func int(_ column: Int32) -> Int { Int(int64(column)) }

    func uint32(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: int64(column)) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func bool(_ column: Int32) -> Bool { int64(column) != 0 }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}

#if PostgreSQL
extension Rows {
    private func nextOfResult() -> Bool { result?.next() ?? false }

    private func isNullInResult(_ column: Int32) -> Bool { result?.isNull(column) ?? true }

    private func numberInResult(_ column: Int32) -> Int64 { result?.number(column) ?? 0 }

    private func textInResult(_ column: Int32) -> String? { result?.text(column) }

    private func bytesInResult(_ column: Int32) -> [UInt8] { result?.bytes(column) ?? [] }
}
#else
extension Rows {
    private func nextOfResult() -> Bool { false }

    private func isNullInResult(_ column: Int32) -> Bool { true }

    private func numberInResult(_ column: Int32) -> Int64 { 0 }

    private func textInResult(_ column: Int32) -> String? { nil }

    private func bytesInResult(_ column: Int32) -> [UInt8] { [] }
}
#endif
