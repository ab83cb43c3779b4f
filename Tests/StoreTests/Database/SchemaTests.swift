import Testing

@testable import Store

/// The tables of `sqlite.sql` and `postgresql.sql`, as the databases themselves describe them.
@Suite(.fewLedgersAtOnce)
struct SchemaTests {
    private static let sqliteColumns = """
        SELECT m.name AS relation, p.name AS name, p.type AS type, p."notnull" = 1 OR p.pk > 0 AS is_required,
            p.dflt_value AS otherwise, p.pk AS key_place
        FROM sqlite_master m JOIN pragma_table_info(m.name) p
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'grdb%'
        """
    /// A text column without the collation "C" has a type that SQLite does not have.
    private static let postgreSQLColumns = """
        SELECT c.relname AS relation, a.attname AS name,
            CASE WHEN t.typname = 'int8' THEN 'INTEGER' WHEN t.typname = 'bytea' THEN 'BLOB'
                WHEN t.typname = 'text' AND o.collname = 'C' THEN 'TEXT' ELSE t.typname END AS type,
            a.attnotnull AS is_required,
            replace(split_part(pg_get_expr(d.adbin, d.adrelid), '::', 1), '''\\x''', 'x''''') AS otherwise,
            coalesce(array_position(CAST(i.indkey AS smallint[]), a.attnum) + 1, 0) AS key_place
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_collation o ON o.oid = a.attcollation
            LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
        WHERE c.relkind = 'r' AND c.relnamespace = CAST('fanfare' AS regnamespace)
        """
    private static let sqliteIndexes =
        "SELECT name, tbl_name AS relation FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    private static let postgreSQLIndexes = """
        SELECT i.indexname AS name, i.tablename AS relation FROM pg_indexes i
        WHERE i.schemaname = 'fanfare' AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conname = i.indexname)
        """

    /// The anchor of the shared time, which a server's clock needs not; a store's id among the numbers of `meta`; and a
    /// number of its own for each row of a webhook's events.
    private static let onlyInSQLite: Set<String> = [
        "clock.id INTEGER NOT NULL KEY 1", "clock.boot TEXT NOT NULL", "clock.at INTEGER NOT NULL",
        "clock.lead INTEGER NOT NULL", "clock.goal INTEGER NOT NULL", "clock.last INTEGER NOT NULL", "meta.value ",
        "webhook_events.number INTEGER NOT NULL KEY 1", "webhook_events.webhook INTEGER NOT NULL",
        "webhook_events.seq INTEGER NOT NULL",
    ]
    /// The applied migrations and the writers' transactions, for which SQLite and GRDB have tables of their own.
    private static let onlyInPostgreSQL: Set<String> = [
        "migrations.name text NOT NULL KEY 1", "migrations.at timestamptz NOT NULL DEFAULT now()",
        "writers.id INTEGER NOT NULL KEY 1", "writers.number INTEGER NOT NULL", "writers.at timestamptz NOT NULL",
        "ledger.store_id TEXT NOT NULL", "meta.value INTEGER NOT NULL",
        "webhook_events.webhook INTEGER NOT NULL KEY 1", "webhook_events.seq INTEGER NOT NULL KEY 2",
    ]

    /// The columns of one database's tables, a line each.
    private func columns(_ database: TestDatabase) async throws -> Set<String> {
        let scratch = ScratchLedger()
        let sql = database == .sqlite ? Self.sqliteColumns : Self.postgreSQLColumns
        return try await scratch.open(on: database).read { reader in
            let rows = try reader.db.rows(sql)
            var lines: Set<String> = []
            while try rows.next() {
                let rest = [
                    rows.bool("is_required") ? "NOT NULL" : nil,
                    rows.optionalText("otherwise").map { "DEFAULT \($0)" },
                    rows.bool("key_place") ? "KEY \(rows.int("key_place"))" : nil,
                ]
                let name = "\(rows.text("relation")).\(rows.text("name"))"
                lines.insert(([name, rows.text("type")] + rest.compactMap(\.self)).joined(separator: " "))
            }
            return lines
        }
    }

    /// The indexes of one database's tables, a line each.
    private func indexes(_ database: TestDatabase) async throws -> Set<String> {
        let scratch = ScratchLedger()
        let sql = database == .sqlite ? Self.sqliteIndexes : Self.postgreSQLIndexes
        return try await scratch.open(on: database).read { reader in
            let rows = try reader.db.rows(sql)
            var lines: Set<String> = []
            while try rows.next() { lines.insert("\(rows.text("name")) of \(rows.text("relation"))") }
            return lines
        }
    }

    @Test(.enabled(if: Ledger.hasPostgreSQL))
    func `both databases have the same tables, columns, types, keys and indexes`() async throws {
        let (sqlite, postgreSQL) = (try await columns(.sqlite), try await columns(.postgreSQL))
        #expect(sqlite.count > 300)
        #expect(sqlite.subtracting(postgreSQL) == Self.onlyInSQLite)
        #expect(postgreSQL.subtracting(sqlite) == Self.onlyInPostgreSQL)
        let (files, servers) = (try await indexes(.sqlite), try await indexes(.postgreSQL))
        #expect(files.count > 20 && files == servers)
    }
}
