import GRDB

/// What differs between databases: connections, transactions, durability, and what becomes of a connection that ends.
///
/// The queries are the same text for all.
protocol LedgerDriver: Sendable {
    /// Where the ledger is, for people: a path, or a URL without its password.
    var place: String { get }

    /// Runs a body in one write transaction, on the calling thread; blocks.
    ///
    /// One call at a time. The body may run more than once. What this throws means that nothing was written.
    func transact(_ needs: TransactionNeeds, _ body: (LedgerTransaction) throws -> Void) throws(LedgerError)

    /// Runs a body in a read transaction, which sees one state of the ledger.
    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T

    /// Ends a wait for a database that is not there: what `transact` does fails soon.
    func hurry()

    /// The last call.
    func close() throws(LedgerError)

    /// The time that all workers share.
    var clock: LedgerClock { get }
}

extension LedgerDriver {
    func hurry() {}
}

/// What the bodies of a transaction ask for together.
struct TransactionNeeds {
    /// It has to survive a power loss (`Ledger.Durability`).
    var isSynced: Bool
    /// Its bodies change rows of single shards and no more (`Ledger.Reach`).
    var isOfShards: Bool
}

/// A connection within a transaction, as the queries see it.
enum LedgerConnection {
    case sqlite(Database)
    #if PostgreSQL
    case postgreSQL(PostgreSQLConnection)
    #endif

    /// The rows of a query; its statement is prepared once per connection.
    func rows(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Rows {
        try rows(sql, values: values)
    }

    /// The rows of a query that nobody else may change before this transaction ends.
    ///
    /// For rows that bodies of `Ledger.Reach.shards` read before they write them. SQLite has one writer at a time.
    func lockedRows(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Rows {
        switch self {
        case .sqlite(let db): return try db.rows(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return Rows(try connection.query(sql, values, isLocking: true))
        #endif
        }
    }

    /// Keeps the rows of a query to this transaction; see `lockedRows`.
    func lock(_ sql: String, _ values: SQLValue...) throws(LedgerError) {
        switch self {
        case .sqlite: break
        #if PostgreSQL
        case .postgreSQL(let connection): try connection.lock(sql, values)
        #endif
        }
    }

    /// Runs a statement to its end and says how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int {
        try run(sql, values: values)
    }

    /// The same with as many values as there are.
    @discardableResult
    func run(_ sql: String, values: [SQLValue]) throws(LedgerError) -> Int {
        switch self {
        case .sqlite(let db): return try db.run(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return try connection.query(sql, values).changes
        #endif
        }
    }

    /// The first column of the first row as a number; nil without a row or when it is NULL.
    func number(_ sql: String, _ values: SQLValue...) throws(LedgerError) -> Int64? {
        let rows = try rows(sql, values: values)
        return try rows.next() ? rows.optionalInt64(0) : nil
    }

    /// The rows of a query with as many values as there are.
    func rows(_ sql: String, values: [SQLValue]) throws(LedgerError) -> Rows {
        switch self {
        case .sqlite(let db): return try db.rows(sql, values)
        #if PostgreSQL
        case .postgreSQL(let connection): return Rows(try connection.query(sql, values))
        #endif
        }
    }
}
