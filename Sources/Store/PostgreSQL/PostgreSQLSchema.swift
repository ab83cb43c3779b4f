#if PostgreSQL
/// The tables of `SQLiteSchema` in PostgreSQL's dialect, and tables for what SQLite has built in.
///
/// Instants are milliseconds since the Unix epoch. All numbers have 8 bytes, so that a placeholder has one type
/// everywhere. Text sorts by its bytes, whatever the database's locale.
enum PostgreSQLSchema {
    /// The first half of our advisory locks' keys: `FANF`.
    static let lockClass: Int32 = 0x4641_4E46
    /// The lock that each writing transaction holds: shared if it changes only rows of shards.
    static let writeLock: Int32 = 1
    private static let setUpLock: Int32 = 2

    /// The migrations by name, in the order of application; a released one never changes.
    private static let migrations: [(name: String, statements: String)] = [
        ("1", [meta, lists, campaigns, shards, breakers, messages].joined(separator: "\n")),
        ("short_way", "ALTER TABLE campaigns ADD COLUMN short_way BIGINT NOT NULL DEFAULT 0"),
        ("pacing", pacing),
        ("pauses", pauses),
        ("variants", variants),
        ("registry", [devices, deaths, freezing].joined(separator: "\n")),
        ("life", life),
        ("superseding", superseding),
        ("parts", parts),
        ("operating", operating),
        ("quiet_hours", quietHours),
        ("repeating", repeating),
        ("counting", counting),
        ("providers", providers),
        ("asked_events", askedEvents),
        ("audit", audit),
        ("quotas", quotas),
        ("webhooks", webhooks),
        ("tracking", tracking),
        ("contents", contents),
        ("device_secrets", deviceSecrets),
        ("blanking", blanking),
        ("in_app", inApp),
        ("claims", claims),
        ("device_keys", deviceKeys),
        ("clock", clock),
        ("quiet_rules", quietRules),
        ("untold", untold),
    ]

    /// Brings the tables up to date, or throws the reason why not; returns the store's id.
    static func setUp(
        _ connection: PostgreSQLConnection,
        place: String,
        create: Bool
    ) throws(PostgreSQLFailure) -> String {
        var applied = try appliedMigrations(connection)
        if applied == nil, !create { throw PostgreSQLFailure(remedy: .none, error: .missing(path: place)) }
        if (applied ?? []).count < migrations.count {
            try migrate(connection)
            applied = try appliedMigrations(connection)
        }
        let known = Set(migrations.map(\.name))
        guard let applied, known.isSuperset(of: applied) else {
            throw PostgreSQLFailure(remedy: .none, error: .newerVersion(path: place))
        }
        let result = try connection.command("SELECT store_id FROM ledger")
        guard result.next(), let storeID = result.text(0) else {
            throw PostgreSQLFailure(remedy: .none, error: .damaged(path: place, detail: "it has no store id"))
        }
        try connection.command("DELETE FROM writers WHERE at < clock_timestamp() - interval '7 days'")
        return storeID
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
            let applied = try appliedMigrations(connection)
            if applied == nil {
                try connection.command("CREATE SCHEMA IF NOT EXISTS fanfare")
                try connection.command(
                    "CREATE TABLE fanfare.migrations (name TEXT PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())"
                )
            }
            let known = Set(migrations.map(\.name))
            if known.isSuperset(of: applied ?? []) {
                for migration in migrations where !(applied ?? []).contains(migration.name) {
                    try connection.command(migration.statements)
                    try connection.command("INSERT INTO fanfare.migrations (name) VALUES ('\(migration.name)')")
                }
            }
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
    }

    private static let pacing = """
        ALTER TABLE campaigns ADD COLUMN per_second BIGINT;
        ALTER TABLE campaigns ADD COLUMN ramp_up BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN pace_first BIGINT;
        ALTER TABLE campaigns ADD COLUMN pace_next BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE shards ADD COLUMN slot_at BIGINT;
        ALTER TABLE shards ADD COLUMN slot_length BIGINT;
        CREATE TABLE app_paces (app TEXT COLLATE "C" PRIMARY KEY, next BIGINT NOT NULL);
        """

    private static let quotas = """
        CREATE TABLE quotas (key TEXT COLLATE "C" PRIMARY KEY, first BIGINT NOT NULL, next BIGINT NOT NULL);
        """

    private static let pauses = """
        CREATE TABLE pauses (
            app TEXT COLLATE "C" NOT NULL,
            provider TEXT COLLATE "C" NOT NULL,
            urgency TEXT COLLATE "C" NOT NULL,
            since BIGINT NOT NULL,
            PRIMARY KEY (app, provider, urgency)
        );
        """

    private static let meta = """
        CREATE TABLE ledger (store_id TEXT COLLATE "C" NOT NULL);
        INSERT INTO ledger VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 16));
        CREATE TABLE meta (key TEXT COLLATE "C" PRIMARY KEY, value BIGINT NOT NULL) WITH (fillfactor = 10);
        INSERT INTO meta VALUES ('revision', 1);

        -- A row a process: the number of its last transaction (PostgreSQLWriter).
        CREATE TABLE writers (
            id BIGINT PRIMARY KEY,
            number BIGINT NOT NULL,
            at TIMESTAMPTZ NOT NULL
        ) WITH (fillfactor = 10);

        CREATE TABLE workers (
            id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL,
            roles TEXT COLLATE "C" NOT NULL,
            started_at BIGINT NOT NULL,
            seen_at BIGINT NOT NULL
        );
        CREATE TABLE worker_apps (
            worker BIGINT NOT NULL,
            app TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (worker, app)
        );
        """

    private static let lists = """
        CREATE TABLE lists (
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            app TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C",
            version TEXT COLLATE "C",
            state BIGINT NOT NULL DEFAULT 0,
            devices BIGINT NOT NULL DEFAULT 0,
            chunks BIGINT NOT NULL DEFAULT 0,
            duplicates BIGINT NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            touched_at BIGINT NOT NULL
        );
        CREATE UNIQUE INDEX list_versions ON lists (app, name, version) WHERE state = 1 AND name IS NOT NULL;
        CREATE INDEX list_leftovers ON lists (touched_at) WHERE state <> 1;

        CREATE TABLE chunks (
            list BIGINT NOT NULL,
            ordinal BIGINT NOT NULL,
            first_index BIGINT NOT NULL,
            count BIGINT NOT NULL,
            provider TEXT COLLATE "C" NOT NULL,
            environment TEXT COLLATE "C",
            locale TEXT COLLATE "C",
            time_zone TEXT COLLATE "C",
            bare BYTEA NOT NULL,
            with_variables BYTEA,
            device_ids BYTEA,
            PRIMARY KEY (list, ordinal)
        );
        CREATE INDEX chunk_counts ON chunks (list, ordinal, count);

        CREATE TABLE chunk_dead (
            list BIGINT NOT NULL,
            ordinal BIGINT NOT NULL,
            learnt BIGINT NOT NULL,
            bits BYTEA NOT NULL,
            suspects BYTEA NOT NULL DEFAULT '',
            PRIMARY KEY (list, ordinal)
        );
        CREATE INDEX dead_to_learn ON chunk_dead (list, ordinal) WHERE learnt = 0;
        CREATE TABLE dead_tokens (hash BYTEA PRIMARY KEY);
        CREATE TABLE suspect_tokens (hash BYTEA PRIMARY KEY);
        -- Tokens and sealed columns do not get smaller.
        ALTER TABLE chunks ALTER COLUMN bare SET STORAGE EXTERNAL, ALTER COLUMN with_variables SET STORAGE EXTERNAL;
        """

    private static let campaigns = """
        CREATE TABLE campaigns (
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            app TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            stage TEXT COLLATE "C" NOT NULL,
            paused_by TEXT COLLATE "C" NOT NULL DEFAULT '',
            expires_at BIGINT NOT NULL,
            urgency TEXT COLLATE "C" NOT NULL,
            provider TEXT COLLATE "C" NOT NULL,
            list BIGINT NOT NULL,
            chunks BIGINT NOT NULL,
            cursor BIGINT NOT NULL DEFAULT 0,
            audience BIGINT NOT NULL,
            duplicates BIGINT NOT NULL,
            rest_outcome BIGINT,
            rest_devices BIGINT NOT NULL DEFAULT 0,
            lease_owner BIGINT NOT NULL DEFAULT 0,
            lease_until BIGINT NOT NULL DEFAULT 0,
            lease_epoch BIGINT NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            accepted_at BIGINT NOT NULL,
            started_at BIGINT,
            completed_at BIGINT,
            push_type TEXT COLLATE "C" NOT NULL,
            priority BIGINT NOT NULL,
            drop_if_offline BIGINT NOT NULL,
            collapse_id TEXT COLLATE "C" NOT NULL,
            max_attempts BIGINT NOT NULL,
            drop_unknown BIGINT NOT NULL,
            carries_variables BIGINT NOT NULL,
            trace_parent TEXT COLLATE "C" NOT NULL,
            correlation_id TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C",
            payload BYTEA NOT NULL,
            tags TEXT COLLATE "C" NOT NULL,
            metadata TEXT COLLATE "C" NOT NULL,
            identity BYTEA NOT NULL,
            job BYTEA NOT NULL,
            message_id_at BIGINT,
            guard_passed BIGINT NOT NULL DEFAULT 0,
            guard_answers BIGINT NOT NULL DEFAULT 0,
            guard_suspects BIGINT NOT NULL DEFAULT 0,
            guard_trips BIGINT NOT NULL DEFAULT 0,
            UNIQUE (app, id)
        );
        CREATE INDEX campaign_ids ON campaigns (id);
        CREATE INDEX open_campaigns ON campaigns (number) WHERE completed_at IS NULL;

        CREATE TABLE refused (
            app TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            document BYTEA NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (app, id)
        );
        """

    private static let shards = """
        CREATE TABLE shards (
            campaign BIGINT NOT NULL,
            part BIGINT NOT NULL,
            ordinal BIGINT NOT NULL,
            child BIGINT NOT NULL,
            parent BIGINT NOT NULL,
            state BIGINT NOT NULL,
            generation BIGINT NOT NULL,
            epoch BIGINT NOT NULL DEFAULT 0,
            owner BIGINT NOT NULL DEFAULT 0,
            claims BIGINT NOT NULL DEFAULT 0,
            attempt BIGINT NOT NULL,
            rung BIGINT,
            not_before BIGINT,
            due_at BIGINT,
            since BIGINT NOT NULL,
            chunk BIGINT NOT NULL,
            count BIGINT NOT NULL,
            accepted BIGINT NOT NULL DEFAULT 0,
            invalid BIGINT NOT NULL DEFAULT 0,
            failed BIGINT NOT NULL DEFAULT 0,
            expired BIGINT NOT NULL DEFAULT 0,
            superseded BIGINT NOT NULL DEFAULT 0,
            cancelled BIGINT NOT NULL DEFAULT 0,
            skipped BIGINT NOT NULL DEFAULT 0,
            retried BIGINT NOT NULL DEFAULT 0,
            requests BIGINT NOT NULL DEFAULT 0,
            unanswered BIGINT NOT NULL DEFAULT 0,
            reasons TEXT COLLATE "C",
            aside TEXT COLLATE "C",
            path TEXT COLLATE "C" NOT NULL,
            positions BYTEA,
            progress BYTEA,
            PRIMARY KEY (campaign, part, ordinal, child)
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
        CREATE INDEX open_shards ON shards (state, campaign) WHERE state <> 4;
        """

    private static let breakers = """
        CREATE TABLE breakers (
            app TEXT COLLATE "C" NOT NULL,
            provider TEXT COLLATE "C" NOT NULL,
            is_open BIGINT NOT NULL,
            since BIGINT NOT NULL,
            reason TEXT COLLATE "C" NOT NULL,
            failures BIGINT NOT NULL,
            probe_at BIGINT NOT NULL,
            probe TEXT COLLATE "C",
            probe_owner BIGINT NOT NULL,
            probe_until BIGINT,
            PRIMARY KEY (app, provider)
        );
        """

    private static let variants = """
        CREATE TABLE variants (
            campaign BIGINT NOT NULL,
            variant BIGINT NOT NULL,
            locale TEXT COLLATE "C" NOT NULL,
            push_type TEXT COLLATE "C" NOT NULL,
            payload BYTEA NOT NULL,
            message_id_at BIGINT,
            personal BYTEA NOT NULL,
            PRIMARY KEY (campaign, variant)
        );
        CREATE TABLE list_variables (
            list BIGINT NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            bytes_max BIGINT NOT NULL,
            PRIMARY KEY (list, name)
        );
        """

    private static let devices = """
        CREATE TABLE registry_apps (
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            app TEXT COLLATE "C" NOT NULL UNIQUE,
            next BIGINT NOT NULL DEFAULT 1
        );
        CREATE TABLE devices (
            number BIGINT PRIMARY KEY,
            state BIGINT NOT NULL,
            suspect BIGINT NOT NULL DEFAULT 0,
            ended_at BIGINT,
            badge BIGINT NOT NULL DEFAULT 0,
            changed_at BIGINT NOT NULL,
            installation_hash BIGINT NOT NULL,
            user_hash BIGINT,
            token_hash BIGINT,
            installation TEXT COLLATE "C",
            token BYTEA,
            traits BYTEA NOT NULL,
            user_key TEXT COLLATE "C"
        );
        CREATE INDEX device_installations ON devices (installation_hash);
        CREATE INDEX device_users ON devices (user_hash) WHERE user_hash IS NOT NULL;
        CREATE INDEX device_tokens ON devices (token_hash) WHERE token_hash IS NOT NULL;
        """

    private static let deaths = """
        ALTER TABLE chunk_dead ADD COLUMN died BYTEA NOT NULL DEFAULT '';
        ALTER TABLE chunk_dead ADD COLUMN opted_out BYTEA NOT NULL DEFAULT '';
        ALTER TABLE dead_tokens ADD COLUMN at BIGINT;
        """

    private static let freezing = """
        CREATE TABLE frozen_audiences (
            campaign BIGINT PRIMARY KEY,
            source BIGINT,
            excluded BIGINT,
            list BIGINT NOT NULL DEFAULT 0,
            position BIGINT NOT NULL DEFAULT 0,
            last BIGINT NOT NULL DEFAULT 0,
            chunks BIGINT NOT NULL DEFAULT 0,
            devices BIGINT NOT NULL DEFAULT 0,
            duplicates BIGINT NOT NULL DEFAULT 0,
            no_token BIGINT NOT NULL DEFAULT 0,
            at_most BIGINT
        );
        ALTER TABLE campaigns ADD COLUMN no_token BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN failure TEXT COLLATE "C";
        """

    private static let messages = """
        CREATE TABLE events (
            seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            routing_key TEXT COLLATE "C" NOT NULL,
            body BYTEA NOT NULL,
            correlation_id TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL
        );
        CREATE TABLE parked (
            id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            digest BYTEA NOT NULL UNIQUE,
            queue TEXT COLLATE "C" NOT NULL,
            reason TEXT COLLATE "C" NOT NULL,
            errors TEXT COLLATE "C" NOT NULL,
            app TEXT COLLATE "C",
            campaign TEXT COLLATE "C",
            devices BIGINT,
            first_at BIGINT NOT NULL,
            last_at BIGINT NOT NULL,
            count BIGINT NOT NULL DEFAULT 1,
            headers TEXT COLLATE "C" NOT NULL,
            body BYTEA NOT NULL
        );
        """
}
#endif
