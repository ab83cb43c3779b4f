import Campaigns

extension LedgerBackup {
    /// Makes a PostgreSQL ledger usable after its database was restored with `pg_restore` or a point-in-time recovery;
    /// blocks.
    ///
    /// It changes the ledger as `restore` changes a file, in one transaction. Refused while a process has the ledger
    /// open. A second run does no harm: generations rise once more.
    ///
    /// - Parameter url: As for `Ledger.open(postgreSQL:)`.
    public static func restoreInPlace(postgreSQL url: String) throws(BackupError) -> RestoredLedger {
        #if PostgreSQL
        guard let address = PostgreSQLAddress(url) else {
            throw .ledger(.refused(store: "in PostgreSQL", detail: "store.url is not a URL that libpq can read"))
        }
        let restored: RestoredLedger?
        do throws(PostgreSQLFailure) { restored = try tellApart(address) } catch { throw .ledger(error.error) }
        guard let restored else { throw .inUse(path: address.location) }
        return restored
        #else
        throw .ledger(.refused(store: "in PostgreSQL", detail: "this program was built without it"))
        #endif
    }

    #if PostgreSQL
    /// Tells the ledger apart; returns nil, without a change, if another process has the ledger open.
    private static func tellApart(_ address: PostgreSQLAddress) throws(PostgreSQLFailure) -> RestoredLedger? {
        let connection = try PostgreSQLConnection(address, lockTimeout: .seconds(5))
        // A backup of an earlier version may lack tables and columns that are written below.
        _ = try PostgreSQLSchema.setUp(connection, location: address.location, create: false)
        try connection.command(
            """
            BEGIN;
            SET LOCAL statement_timeout = 0;
            SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.lockClass), \(PostgreSQLSchema.writeLock))
            """
        )
        connection.begun(alone: true)
        guard try !connection.hasCompany() else { return nil }
        let (shards, devices): (Int, Int)
        do throws(LedgerError) {
            (shards, devices) = try LedgerTransaction(db: connection, isSynced: true)
                .tellApart { () throws(LedgerError) in
                    let now = try connection.number(PostgreSQLConnection.clockQuery)
                    guard let now else { throw .failed("the server did not return its time") }
                    return Timestamp(milliseconds: now)
                }
        } catch {
            throw connection.failure ?? PostgreSQLFailure(remedy: .none, error: error)
        }
        try connection.commit()
        return RestoredLedger(path: address.location, shards: shards, devices: devices, replaced: nil)
    }
    #endif
}

#if PostgreSQL
extension PostgreSQLConnection {
    /// Returns true if another session of ours uses the same database.
    ///
    /// The server shows the names of other roles' sessions only to superusers.
    fileprivate func hasCompany() throws(PostgreSQLFailure) -> Bool {
        try command(
            """
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = '\(PostgreSQLAddress.applicationName)' LIMIT 1
            """
        ).next()
    }
}
#endif
