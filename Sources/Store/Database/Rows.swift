import Glibc

/// The rows of a query, stepped by hand and read by their columns' names; they are released with this value.
struct Rows: ~Copyable {
    private let result: any QueryResult

    init(_ result: any QueryResult) {
        self.result = result
    }

    deinit { result.end() }

    /// Goes to the next row; returns false after the last one.
    func next() throws(LedgerError) -> Bool { try result.next() }

    /// The values that a function reads from the rows that are left.
    func map<Value>(_ read: (borrowing Rows) throws(LedgerError) -> Value) throws(LedgerError) -> [Value] {
        var values: [Value] = []
        while try next() { values.append(try read(self)) }
        return values
    }

    // MARK: - Columns by name

    func isNull(_ column: StaticString) -> Bool { result.isNull(index(of: column)) }

    func int64(_ column: StaticString) -> Int64 { result.number(index(of: column)) }

    func optionalInt64(_ column: StaticString) -> Int64? { optionalNumber(at: index(of: column)) }

    func int(_ column: StaticString) -> Int { Int(int64(column)) }

    func uint32(_ column: StaticString) -> UInt32 { UInt32(truncatingIfNeeded: int64(column)) }

    func bool(_ column: StaticString) -> Bool { int64(column) != 0 }

    func optionalText(_ column: StaticString) -> String? { result.text(index(of: column)) }

    func text(_ column: StaticString) -> String { optionalText(column) ?? "" }

    func blob(_ column: StaticString) -> [UInt8] { [UInt8](result.bytes(index(of: column))) }

    func optionalBlob(_ column: StaticString) -> [UInt8]? {
        let index = index(of: column)
        return result.isNull(index) ? nil : [UInt8](result.bytes(index))
    }

    /// Returns true if the bytes of a blob contain `part`; copies nothing.
    func contains(_ column: StaticString, _ part: [UInt8]) -> Bool {
        Self.contains(result.bytes(index(of: column)), part)
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

    // MARK: - Columns found once

    /// A column that is found once for all rows of a long query: to find it by its name costs as much as its value.
    struct Column {
        fileprivate let index: Int32
    }

    /// Finds a column, before or after the first row.
    func column(_ name: StaticString) -> Column { Column(index: index(of: name)) }

    func int64(_ column: Column) -> Int64 { result.number(column.index) }

    func bool(_ column: Column) -> Bool { int64(column) != 0 }

    /// Appends the bytes of a text or blob.
    func append(_ column: Column, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: result.bytes(column.index))
    }

    // MARK: - Columns by index

    /// The first column as a number, for queries of one column, whatever its name; nil for NULL.
    var firstNumber: Int64? { optionalNumber(at: 0) }

    private func optionalNumber(at index: Int32) -> Int64? { result.isNull(index) ? nil : result.number(index) }

    // MARK: - Names

    /// The index of a column.
    ///
    /// The search begins behind the column that was found last, because a row's columns are mostly read in their order;
    /// so it compares one name, and a row costs no allocation.
    private func index(of column: StaticString) -> Int32 {
        let count = result.columnCount
        var index = result.lastColumn
        for _ in 0..<count {
            index = index + 1 < count ? index + 1 : 0
            guard let name = result.columnName(index), strcmp(name, column.utf8Start) == 0 else { continue }
            assert(isOnly(column, at: index), "two columns are called \(column)")
            result.lastColumn = index
            return index
        }
        preconditionFailure("no column \(column) in a statement's rows")
    }

    /// Returns true if no other column has the name of a column.
    private func isOnly(_ column: StaticString, at index: Int32) -> Bool {
        (0..<result.columnCount).allSatisfy { other in
            guard other != index, let name = result.columnName(other) else { return true }
            return strcmp(name, column.utf8Start) != 0
        }
    }
}
