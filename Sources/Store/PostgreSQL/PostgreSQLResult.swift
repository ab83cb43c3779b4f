#if PostgreSQL
import CPostgreSQL

/// The result of a statement: all its rows in binary form.
///
/// Confined to the thread that ran the statement.
final class PostgreSQLResult: QueryResult {
    private let handle: OpaquePointer
    private let count: Int32
    private var row: Int32 = -1
    var lastColumn: Int32 = -1

    /// Takes ownership of a libpq result.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = PQntuples(handle)
    }

    deinit { PQclear(handle) }

    /// The number of rows that the statement changed.
    var changes: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    func next() -> Bool {
        row += 1
        return row < count
    }

    /// Does nothing: a result that has arrived holds nothing of its connection.
    func end() {}

    var columnCount: Int32 { PQnfields(handle) }

    func columnName(_ column: Int32) -> UnsafePointer<CChar>? { UnsafePointer(PQfname(handle, column)) }

    func isNull(_ column: Int32) -> Bool { PQgetisnull(handle, row, column) != 0 }

    /// Reads any of the types that counts, sums and comparisons produce; NULL is 0, as in SQLite.
    func number(_ column: Int32) -> Int64 {
        let bytes = bytes(column)
        guard !bytes.isEmpty else { return 0 }
        if PQftype(handle, column) == PostgreSQLType.numeric { return Self.number(numeric: bytes) }
        var number = bytes.count > 1 && bytes[0] & 0x80 != 0 ? Int64(-1) : 0
        for byte in bytes.prefix(8) { number = number << 8 | Int64(byte) }
        return number
    }

    func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column),
            count: Int(PQgetlength(handle, row, column))
        )
    }

    /// The integral part of a sum.
    ///
    /// The bytes are four words of two bytes (digits, weight, sign, scale), then the digits to base 10,000. The first
    /// digit is worth 10,000 to the power of the weight (`numeric_send` in PostgreSQL's numeric.c).
    static func number(numeric bytes: UnsafeRawBufferPointer) -> Int64 {
        func word(_ index: Int) -> Int {
            index * 2 + 1 < bytes.count ? Int(bytes[index * 2]) << 8 | Int(bytes[index * 2 + 1]) : 0
        }
        let (digits, weight) = (word(0), Int(Int16(truncatingIfNeeded: word(1))))
        guard weight >= 0 else { return 0 }
        var number: Int64 = 0
        for offset in 0...weight { number = number &* 10_000 &+ Int64(offset < digits ? word(4 + offset) : 0) }
        return word(2) == 0x4000 ? -number : number
    }
}

/// The types that we use, by their fixed OIDs (PostgreSQL's pg_type.dat).
enum PostgreSQLType {
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let text: UInt32 = 25
    static let numeric: UInt32 = 1700

    static func of(_ kind: SQLValue.Kind) -> UInt32 {
        switch kind {
        case .integer: int8
        case .text: text
        case .blob: bytea
        }
    }
}
#endif
