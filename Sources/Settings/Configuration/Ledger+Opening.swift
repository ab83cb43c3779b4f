package import Logging
package import Store

extension Ledger {
    /// Opens the ledger of a configuration (`store.url`); blocks.
    ///
    /// Throws what `open(path:)` and `open(postgreSQL:)` throw. Without `create`, a missing ledger is `missing`. A
    /// ledger in a file works on `threads`.
    package static func open(
        _ location: Configuration.StoreLocation,
        create: Bool,
        logger: Logger = Logger(label: "ledger"),
        threads: LedgerThreads = .own
    ) throws(LedgerError) -> Ledger {
        switch location {
        case .sqlite(let path): try open(path: path, create: create, logger: logger, threads: threads)
        case .postgreSQL(let url): try open(postgreSQL: url, create: create, logger: logger)
        }
    }

    /// Returns the migrations of a configuration's ledger, compared with this program's; blocks, and changes nothing.
    ///
    /// Throws `missing` where there is no ledger.
    package static func schema(
        _ location: Configuration.StoreLocation
    ) throws(LedgerError) -> SchemaStanding {
        switch location {
        case .sqlite(let path): try schema(path: path)
        case .postgreSQL(let url): try schema(postgreSQL: url)
        }
    }
}
