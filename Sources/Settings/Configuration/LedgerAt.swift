package import Logging
package import Store

extension Ledger {
    /// Opens the ledger of a configuration (`store.url`); blocks.
    ///
    /// Throws what `open(path:)` and `open(postgreSQL:)` throw. Without `create`, a missing ledger is `missing`.
    package static func open(
        _ location: Configuration.StoreLocation,
        create: Bool,
        logger: Logger = Logger(label: "ledger")
    ) throws(LedgerError) -> Ledger {
        switch location {
        case .sqlite(let path): try open(path: path, create: create, logger: logger)
        case .postgreSQL(let url): try open(postgreSQL: url, create: create, logger: logger)
        }
    }
}
