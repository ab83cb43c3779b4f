import GRDB

/// The differences between databases: connections, transactions, durability, and the handling of lost connections.
///
/// The text of the queries is the same for all.
protocol LedgerDriver: Sendable {
    /// The ledger's location, for people: a path, or a URL without its password.
    var place: String { get }

    /// Runs a body in one write transaction on the calling thread; blocks.
    ///
    /// One call at a time. The body may run more than once. If this throws, nothing was written.
    func transact(_ needs: TransactionNeeds, _ body: (LedgerTransaction) throws -> Void) throws(LedgerError)

    /// Runs a body in a read transaction, which sees one state of the ledger.
    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T

    /// Ends a wait for an unreachable database: `transact` then fails soon.
    func hurry()

    /// Closes the connections; must be the last call.
    func close() throws(LedgerError)

    /// The time that all workers share.
    var clock: LedgerClock { get }
}

extension LedgerDriver {
    func hurry() {}
}

/// The combined needs of a transaction's bodies.
struct TransactionNeeds {
    /// True if the transaction has to survive a power loss (`Ledger.Durability`).
    var isSynced: Bool
    /// True if the bodies change only rows of single shards (`Ledger.Reach`).
    var isOfShards: Bool
}

/// The locking of the rows that a query returns.
enum RowLocking {
    case none
    /// Locked against other writers until the transaction ends.
    ///
    /// For rows that bodies of `Ledger.Reach.shards` read before they write them. SQLite has only one writer at a time.
    case untilCommit
}

/// A connection within a transaction, as the queries see it.
enum LedgerConnection {
    case sqlite(Database)
    #if PostgreSQL
    case postgreSQL(PostgreSQLConnection)
    #endif

    /// The rows of a query; its statement is prepared once per connection.
    func rows(
        _ sql: String,
        _ values: SQLValue...,
        locking: RowLocking = .none
    ) throws(LedgerError) -> Rows {
        try rows(sql, values: values, locking: locking)
    }

    /// The rows of a query with an array of values.
    func rows(
        _ sql: String,
        values: [SQLValue],
        locking: RowLocking = .none
    ) throws(LedgerError) -> Rows {
        switch self {
        case .sqlite(let db): return try db.rows(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return Rows(try connection.query(sql, values, locking: locking))
        #endif
        }
    }

    /// The first column of the first row as a number; nil if there is no row or the column is NULL.
    func number(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int64? {
        let rows = try rows(sql, values: values)
        return try rows.next() ? rows.firstNumber : nil
    }

    /// Locks the rows of a query for this transaction; see `RowLocking`.
    func lock(_ sql: String, _ values: SQLValue...) throws(LedgerError) {
        switch self {
        case .sqlite: break
        #if PostgreSQL
        case .postgreSQL(let connection): try connection.lock(sql, values)
        #endif
        }
    }

    // MARK: - Statements that write

    /// Runs a statement to its end and returns the number of changed rows; `reach` is that of the changed rows.
    @discardableResult
    func run(
        _ sql: String,
        _ values: SQLValue...,
        reach: Ledger.Reach = .ledger
    ) throws(LedgerError) -> Int {
        try run(sql, values: values, reach: reach)
    }

    /// Runs a statement with an array of values.
    @discardableResult
    func run(
        _ sql: String,
        values: [SQLValue],
        reach: Ledger.Reach = .ledger
    ) throws(LedgerError) -> Int {
        switch self {
        case .sqlite(let db): return try db.run(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return try connection.run(sql, values, reach: reach).changes
        #endif
        }
    }

    /// The rows that a statement with RETURNING wrote.
    func writtenRows(
        _ sql: String,
        values: [SQLValue],
        reach: Ledger.Reach = .ledger
    ) throws(LedgerError) -> Rows {
        switch self {
        case .sqlite(let db): return try db.rows(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return Rows(try connection.run(sql, values, reach: reach))
        #endif
        }
    }

    /// The first number of the first row that a statement with RETURNING wrote; nil if it wrote none.
    func writtenNumber(
        _ sql: String,
        _ values: SQLValue...,
        reach: Ledger.Reach = .ledger
    ) throws(LedgerError) -> Int64? {
        let rows = try writtenRows(sql, values: values, reach: reach)
        return try rows.next() ? rows.firstNumber : nil
    }
}
