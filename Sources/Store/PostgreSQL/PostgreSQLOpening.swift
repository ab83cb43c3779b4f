public import Delivery
public import Logging

extension Ledger {
    /// True if this build can use PostgreSQL (package trait `PostgreSQL`).
    public static var hasPostgreSQL: Bool {
        #if PostgreSQL
        true
        #else
        false
        #endif
    }

    /// Opens a ledger in a PostgreSQL database, creating or migrating it; blocks.
    ///
    /// The tables are in their own schema, `fanfare`. Processes take turns at set-up and migration. A ledger of a later
    /// version that this one cannot work with is left as it is.
    ///
    /// - Parameters:
    ///   - url: `postgresql://user@host:port/database`, with libpq's parameters; several hosts separated by commas.
    ///   - create: True to create missing tables; otherwise a database without them is `LedgerError.missing`.
    ///   - timeout: The longest wait of a transaction for others' locks, and for a lost server, before it fails.
    ///   - logger: Receives only problems at closing.
    public static func open(
        postgreSQL url: String,
        create: Bool,
        timeout: Duration = .seconds(5),
        logger: Logger = Logger(label: "ledger")
    ) throws(LedgerError) -> Ledger {
        #if PostgreSQL
        guard let address = PostgreSQLAddress(url) else {
            throw .refused(store: "in PostgreSQL", detail: "store.url is not a URL that libpq can read")
        }
        do throws(PostgreSQLFailure) {
            let connection = try PostgreSQLConnection(address, lockTimeout: .seconds(30))
            let storeID = try PostgreSQLSchema.setUp(connection, location: address.location, create: create)
            let clock = LedgerClock(.server)
            try connection.command(PostgreSQLConnection.clockQuery, telling: clock)
            let driver = PostgreSQLDriver(address, timeout: timeout, clock: clock)
            return Ledger(driver, storeID: storeID, logger: logger)
        } catch { throw error.error }
        #else
        throw .refused(store: "in PostgreSQL", detail: "this program was built without it")
        #endif
    }

    /// Returns the migrations of a ledger in a PostgreSQL database, compared with this program's; changes nothing.
    public static func schema(postgreSQL url: String) throws(LedgerError) -> SchemaStanding {
        #if PostgreSQL
        guard let address = PostgreSQLAddress(url) else {
            throw .refused(store: "in PostgreSQL", detail: "store.url is not a URL that libpq can read")
        }
        do throws(PostgreSQLFailure) {
            let connection = try PostgreSQLConnection(address, lockTimeout: .seconds(30))
            guard let standing = try PostgreSQLSchema.standing(connection) else {
                throw PostgreSQLFailure(remedy: .none, error: .missing(path: address.location))
            }
            return standing
        } catch { throw error.error }
        #else
        throw .refused(store: "in PostgreSQL", detail: "this program was built without it")
        #endif
    }

    /// The protection of connections to a PostgreSQL URL; nil if libpq cannot read the URL or the build has no
    /// PostgreSQL.
    public static func security(ofPostgreSQL url: String) -> DatabaseTLS? {
        #if PostgreSQL
        PostgreSQLAddress(url)?.tls
        #else
        nil
        #endif
    }

    /// The problem of a PostgreSQL URL; nil if libpq can read it.
    public static func problem(ofPostgreSQL url: String) -> String? {
        #if PostgreSQL
        PostgreSQLAddress(url) == nil ? "not a URL that libpq can read" : nil
        #else
        "this program was built without PostgreSQL"
        #endif
    }
}
