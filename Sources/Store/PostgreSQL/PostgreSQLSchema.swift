#if PostgreSQL
/// The tables in PostgreSQL's dialect, in a schema of their own.
enum PostgreSQLSchema {
    /// The first half of our advisory locks' keys: `FANF`.
    static let lockClass: Int32 = 0x4641_4E46
    /// The lock that each writing transaction holds: shared if it changes only rows of shards.
    static let writeLock: Int32 = 1
    private static let setUpLock: Int32 = 2

    private static let migrations = SchemaMigration.all(of: PackageResources.postgresql_sql)

    /// Brings the tables up to date, or throws the reason why not; returns the store's id.
    static func setUp(
        _ connection: PostgreSQLConnection,
        location: String,
        create: Bool
    ) throws(PostgreSQLFailure) -> String {
        var found = try standing(connection)
        if found == nil, !create { throw PostgreSQLFailure(remedy: .none, error: .missing(path: location)) }
        if found.map({ !$0.missing.isEmpty && !$0.isTooNew }) ?? true {
            try migrate(connection)
            found = try standing(connection)
        }
        guard let found, found.isUsable else {
            throw PostgreSQLFailure(remedy: .none, error: .newerVersion(path: location))
        }
        let result = try connection.command("SELECT store_id FROM ledger")
        guard result.next(), let storeID = result.text(0) else {
            throw PostgreSQLFailure(remedy: .none, error: .damaged(path: location, detail: "it has no store id"))
        }
        try connection.command("DELETE FROM writers WHERE at < clock_timestamp() - interval '7 days'")
        return storeID
    }

    /// Returns the migrations of a ledger, compared with ours; nil if there are no tables.
    static func standing(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> SchemaStanding? {
        guard let applied = try appliedMigrations(connection) else { return nil }
        let needed = try connection.command("SELECT value FROM meta WHERE key = 'needed_migrations'")
        return SchemaStanding(
            applied: applied,
            known: migrations.map(\.name),
            needed: needed.next() ? needed.text(0).flatMap { Int($0) } ?? 0 : 0
        )
    }

    /// The applied migrations; nil if there are no tables.
    private static func appliedMigrations(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) -> [String]? {
        // This does not use `to_regclass`: a name that it once did not find may stay hidden from it for the rest of a
        // transaction.
        let table = try connection.command(
            "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'fanfare' AND tablename = 'migrations'"
        )
        guard table.next() else { return nil }
        let rows = try connection.command("SELECT name FROM fanfare.migrations ORDER BY name")
        var names: [String] = []
        while rows.next() { names.append(rows.text(0) ?? "") }
        return names
    }

    /// The number of tries of a migration that conflicts with others' transactions.
    private static let migrationTriesMax = 10

    /// Migrates while workers go on.
    ///
    /// A worker's read that holds one table may wait for a table that the migration holds, while the migration waits
    /// for the first table. The server then ends one of the two, and the migration has written nothing.
    private static func migrate(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
        for _ in 1..<migrationTriesMax {
            do throws(PostgreSQLFailure) {
                return try migrateOnce(connection)
            } catch {
                guard case .alone = error.remedy else { throw error }
            }
        }
        try migrateOnce(connection)
    }

    /// Migrates in one transaction: a failure leaves the ledger as it was.
    private static func migrateOnce(_ connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
        try connection.command("BEGIN")
        do throws(PostgreSQLFailure) {
            try connection.command("SELECT pg_advisory_xact_lock(\(lockClass), \(setUpLock))")
            // Waits for running writers; new ones begin when the tables are up to date.
            try connection.command("SELECT pg_advisory_xact_lock(\(lockClass), \(writeLock))")
            // Another process may have migrated the ledger meanwhile.
            let found = try standing(connection)
            if found == nil {
                try connection.command("CREATE SCHEMA IF NOT EXISTS fanfare")
                try connection.command(
                    "CREATE TABLE fanfare.migrations (name TEXT PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())"
                )
            }
            let missing = found.map { $0.isTooNew ? [] : $0.missing } ?? migrations.map(\.name)
            for migration in migrations where missing.contains(migration.name) {
                try connection.command(migration.statements)
                try connection.command("INSERT INTO fanfare.migrations (name) VALUES ('\(migration.name)')")
            }
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
    }
}
#endif
