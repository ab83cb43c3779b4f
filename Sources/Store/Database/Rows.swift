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
    private let last = LastColumn()
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

    // MARK: - Columns by name

    func isNull(_ column: StaticString) -> Bool { isNull(at: index(of: column)) }

    func int64(_ column: StaticString) -> Int64 { number(at: index(of: column)) }

    func optionalInt64(_ column: StaticString) -> Int64? { optionalNumber(at: index(of: column)) }

    func int(_ column: StaticString) -> Int { Int(int64(column)) }

    func uint32(_ column: StaticString) -> UInt32 { UInt32(truncatingIfNeeded: int64(column)) }

    func bool(_ column: StaticString) -> Bool { int64(column) != 0 }

    func optionalText(_ column: StaticString) -> String? {
        let index = index(of: column)
        guard let raw else { return textInResult(index) }
        guard let bytes = sqlite3_column_text(raw, index) else { return nil }
        let count = Int(sqlite3_column_bytes(raw, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func text(_ column: StaticString) -> String { optionalText(column) ?? "" }

    func blob(_ column: StaticString) -> [UInt8] { [UInt8](bytes(at: index(of: column))) }

    func optionalBlob(_ column: StaticString) -> [UInt8]? {
        let index = index(of: column)
        return isNull(at: index) ? nil : [UInt8](bytes(at: index))
    }

    /// Appends the bytes of a text or blob.
    func append(_ column: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: self.bytes(at: index(of: column)))
    }

    /// Returns true if the bytes of a blob contain `part`; copies nothing.
    func contains(_ column: StaticString, _ part: [UInt8]) -> Bool {
        Self.contains(bytes(at: index(of: column)), part)
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

    // MARK: - Columns by index

    /// The first column as a number, for queries of one column, whatever its name; nil for NULL.
    var firstNumber: Int64? { optionalNumber(at: 0) }

    private func isNull(at index: Int32) -> Bool {
        guard let raw else { return isNullInResult(index) }
        return sqlite3_column_type(raw, index) == SQLITE_NULL
    }

    private func number(at index: Int32) -> Int64 {
        guard let raw else { return numberInResult(index) }
        return sqlite3_column_int64(raw, index)
    }

    private func optionalNumber(at index: Int32) -> Int64? { isNull(at: index) ? nil : number(at: index) }

    /// The bytes of a text or blob, valid up to the next row; empty for NULL.
    private func bytes(at index: Int32) -> UnsafeRawBufferPointer {
        guard let raw else { return bytesInResult(index) }
        guard let start = sqlite3_column_blob(raw, index) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, index)))
    }

    // MARK: - Names

    /// The index of a column.
    ///
    /// The search begins behind the column that was found last, because a row's columns are mostly read in their order;
    /// so it compares one name, and a row costs no allocation.
    private func index(of column: StaticString) -> Int32 {
        let count = columnCount
        var index = last.index
        for _ in 0..<count {
            index = index + 1 < count ? index + 1 : 0
            guard let name = columnName(index), strcmp(name, column.utf8Start) == 0 else { continue }
            assert(isOnly(column, at: index), "two columns are called \(column)")
            last.index = index
            return index
        }
        preconditionFailure("no column \(column) in a statement's rows")
    }

    /// Returns true if no other column has the name of a column.
    private func isOnly(_ column: StaticString, at index: Int32) -> Bool {
        (0..<columnCount).allSatisfy { other in
            guard other != index, let name = columnName(other) else { return true }
            return strcmp(name, column.utf8Start) != 0
        }
    }

    /// The index of the column that was read last.
    private final class LastColumn {
        var index: Int32 = -1
    }
}

extension Rows {
    private var columnCount: Int32 {
        guard let raw else { return columnCountOfResult }
        return sqlite3_column_count(raw)
    }

    private func columnName(_ index: Int32) -> UnsafePointer<CChar>? {
        guard let raw else { return columnNameInResult(index) }
        return sqlite3_column_name(raw, index)
    }
}

#if PostgreSQL
extension Rows {
    private func nextOfResult() -> Bool { result?.next() ?? false }

    private var columnCountOfResult: Int32 { result?.columnCount ?? 0 }

    private func columnNameInResult(_ column: Int32) -> UnsafePointer<CChar>? { result?.columnName(column) }

    private func isNullInResult(_ column: Int32) -> Bool { result?.isNull(column) ?? true }

    private func numberInResult(_ column: Int32) -> Int64 { result?.number(column) ?? 0 }

    private func textInResult(_ column: Int32) -> String? { result?.text(column) }

    private func bytesInResult(_ column: Int32) -> UnsafeRawBufferPointer {
        result?.bytes(column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
#else
extension Rows {
    private func nextOfResult() -> Bool { false }

    private var columnCountOfResult: Int32 { 0 }

    private func columnNameInResult(_ column: Int32) -> UnsafePointer<CChar>? { nil }

    private func isNullInResult(_ column: Int32) -> Bool { true }

    private func numberInResult(_ column: Int32) -> Int64 { 0 }

    private func textInResult(_ column: Int32) -> String? { nil }

    private func bytesInResult(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
#endif
