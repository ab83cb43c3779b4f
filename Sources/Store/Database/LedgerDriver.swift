/// A database that can hold a ledger: connections, transactions, durability, and the handling of lost connections.
///
/// A folder for each database holds its driver, its connection, its results and what opens a ledger in it. The text of
/// the queries is the same for all.
protocol LedgerDriver: Sendable {
    /// The ledger's location, for people: a path, or a URL without its password.
    var location: String { get }

    /// Runs a body in one write transaction on the calling thread; blocks.
    ///
    /// One call at a time. The body may run more than once. If this throws, nothing was written.
    func transact(_ needs: TransactionNeeds, _ body: (LedgerTransaction) throws -> Void) throws(LedgerError)

    /// Runs a body in a read transaction, which sees one state of the ledger.
    func read<T: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> T) async throws(LedgerError) -> T

    /// Ends a wait for an unreachable database: `transact` then fails soon.
    func prepareToStop()

    /// Closes the connections; must be the last call.
    func close() throws(LedgerError)

    /// The time that all workers share.
    var clock: LedgerClock { get }
}

extension LedgerDriver {
    func prepareToStop() {}
}

/// The combined needs of a transaction's bodies.
struct TransactionNeeds {
    /// True if the transaction has to survive a power loss (`Ledger.Durability`).
    var isSynced: Bool
    /// True if the bodies change only rows of single shards (`Ledger.WriteScope`).
    var isOfShards: Bool
}
