public import Delivery
public import Logging

extension Ledger {
    /// Whether this build can use PostgreSQL (package trait `PostgreSQL`).
    public static var hasPostgreSQL: Bool {
        #if PostgreSQL
        true
        #else
        false
        #endif
    }

    /// Opens a ledger in a PostgreSQL database, sets it up or brings it up to date; blocks.
    ///
    /// Its tables are in a schema of their own, `fanfare`. Set-up and migration of several processes take turns. A ledger
    /// of a later version is left as it is.
    ///
    /// - Parameters:
    ///   - url: `postgresql://user@host:port/database`, with libpq's parameters; several hosts separated by commas.
    ///   - create: Whether the tables are created; otherwise a database without them is `LedgerError.missing`.
    ///   - patience: How long a transaction waits for others' locks, and for a server that was lost, before it fails.
    ///   - logger: Hears of nothing but trouble at closing.
    public static func open(
        postgreSQL url: String,
        create: Bool,
        patience: Duration = .seconds(5),
        logger: Logger = Logger(label: "ledger")
    ) throws(LedgerError) -> Ledger {
        #if PostgreSQL
        guard let address = PostgreSQLAddress(url) else {
            throw .refused(store: "in PostgreSQL", detail: "store.url is no URL that libpq can read")
        }
        do throws(PostgreSQLFailure) {
            let connection = try PostgreSQLConnection(address, lockTimeout: .seconds(30))
            let storeID = try PostgreSQLSchema.setUp(connection, place: address.place, create: create)
            let clock = LedgerClock(.server)
            try connection.command(PostgreSQLConnection.clockQuery, telling: clock)
            let driver = PostgreSQLDriver(address, patience: patience, clock: clock)
            return Ledger(driver, storeID: storeID, logger: logger)
        } catch { throw error.error }
        #else
        throw .refused(store: "in PostgreSQL", detail: "this program was built without it")
        #endif
    }

    /// How connections to a PostgreSQL URL are protected; nil when libpq cannot read it, or in a build without it.
    public static func security(ofPostgreSQL url: String) -> DatabaseTLS? {
        #if PostgreSQL
        PostgreSQLAddress(url)?.tls
        #else
        nil
        #endif
    }

    /// What is wrong with a PostgreSQL URL; nil when libpq can read it.
    public static func problem(ofPostgreSQL url: String) -> String? {
        #if PostgreSQL
        PostgreSQLAddress(url) == nil ? "not a URL that libpq can read" : nil
        #else
        "this program was built without PostgreSQL"
        #endif
    }
}
