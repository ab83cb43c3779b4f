import GRDB

/// The tables in SQLite's dialect.
enum SQLiteSchema {
    /// The application id in the file's header: `FANF`.
    static let applicationID: Int32 = 0x4641_4E46

    private static let migrations = SchemaMigration.all(of: PackageResources.sqlite_sql)

    /// The migrations of `sqlite.sql`.
    static let migrator = migrations.reduce(into: DatabaseMigrator()) { migrator, migration in
        migrator.registerMigration(migration.name) { try $0.execute(sql: migration.statements) }
    }

    /// Returns the migrations of a ledger, compared with ours.
    static func standing(_ db: Database) throws -> SchemaStanding {
        let applied = try migrator.appliedIdentifiers(db)
        let needed =
            applied.isEmpty
            ? nil : try Int.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'needed_migrations'")
        return SchemaStanding(applied: applied.sorted(), known: migrations.map(\.name), needed: needed ?? 0)
    }
}
