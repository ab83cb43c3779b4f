import GRDB

/// The tables in SQLite's dialect.
enum SQLiteSchema {
    /// The application id in the file's header: `FANF`.
    static let applicationID: Int32 = 0x4641_4E46

    /// The migrations of `sqlite.sql`.
    static let migrator = SchemaMigration.all(of: PackageResources.sqlite_sql)
        .reduce(into: DatabaseMigrator()) { migrator, migration in
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.statements) }
        }
}
