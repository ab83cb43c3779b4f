/// The locking of the rows that a query returns.
enum RowLocking {
    case none
    /// Locked against other writers until the transaction ends.
    ///
    /// For rows that bodies of `Ledger.WriteScope.shards` read before they write them. SQLite has one writer at a time.
    case untilCommit
}

/// A connection within a transaction, as the queries see it; each database has its own.
///
/// A statement is prepared once per connection. The `scope` of one that writes is that of the changed rows.
protocol LedgerConnection {
    /// The rows of a query.
    func rows(_ sql: String, values: [SQLValue], locking: RowLocking) throws(LedgerError) -> Rows

    /// Locks the rows of a query for this transaction; see `RowLocking`.
    func lock(_ sql: String, values: [SQLValue]) throws(LedgerError)

    /// Runs a statement to its end and returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Int

    /// The rows that a statement with RETURNING wrote.
    func writtenRows(_ sql: String, values: [SQLValue], scope: Ledger.WriteScope) throws(LedgerError) -> Rows

    /// Writes a row of `meta` that is to be rolled back, in a file as far as the disk.
    func testWrite() throws(LedgerError)

    /// Leaves out so many of the numbers that the next rows of a table would get in a column.
    func skipNumbers(of table: String, column: String, count: Int) throws(LedgerError)
}

extension LedgerConnection {
    /// The rows of a query.
    func rows(_ sql: String, _ values: SQLValue..., locking: RowLocking = .none) throws(LedgerError) -> Rows {
        try rows(sql, values: values, locking: locking)
    }

    /// The rows of a query with an array of values.
    func rows(_ sql: String, values: [SQLValue]) throws(LedgerError) -> Rows {
        try rows(sql, values: values, locking: .none)
    }

    /// The first column of the first row as a number; nil if there is no row or the column is NULL.
    func number(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int64? {
        let rows = try rows(sql, values: values)
        return try rows.next() ? rows.firstNumber : nil
    }

    /// Locks the rows of a query for this transaction; see `RowLocking`.
    func lock(_ sql: String, _ values: SQLValue...) throws(LedgerError) { try lock(sql, values: values) }

    /// Runs a statement to its end and returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue..., scope: Ledger.WriteScope = .ledger) throws(LedgerError) -> Int {
        try run(sql, values: values, scope: scope)
    }

    /// Runs a statement with an array of values.
    @discardableResult
    func run(_ sql: String, values: [SQLValue]) throws(LedgerError) -> Int {
        try run(sql, values: values, scope: .ledger)
    }

    /// The first number of the first row that a statement with RETURNING wrote; nil if it wrote none.
    func writtenNumber(
        _ sql: String,
        _ values: SQLValue...,
        scope: Ledger.WriteScope = .ledger
    ) throws(LedgerError) -> Int64? {
        let rows = try writtenRows(sql, values: values, scope: scope)
        return try rows.next() ? rows.firstNumber : nil
    }

    /// Inserts a row and returns the number that the table gives it; each value stands beside its column's name.
    func insertedNumber(
        into table: String,
        _ row: [(column: String, value: SQLValue)]
    ) throws(LedgerError) -> Int64? {
        let columns = row.map(\.column).joined(separator: ", ")
        let sql = "INSERT INTO \(table) (\(columns)) VALUES (\(Placeholders.list(row.count))) RETURNING number"
        let rows = try writtenRows(sql, values: row.map(\.value), scope: .ledger)
        return try rows.next() ? rows.firstNumber : nil
    }
}
