import GRDB

/// The tables in SQLite's dialect.
///
/// Instants are milliseconds since the Unix epoch.
enum SQLiteSchema {
    /// The application id in the file's header: `FANF`.
    static let applicationID: Int32 = 0x4641_4E46

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            for statement in [meta, lists, campaigns, shards, messages] { try db.execute(sql: statement) }
        }
        migrator.registerMigration("message_id_at") { db in
            try db.execute(sql: "ALTER TABLE campaigns ADD COLUMN message_id_at INTEGER")
        }
        migrator.registerMigration("breakers") { db in
            for statement in [breakers, suspects, guarding] { try db.execute(sql: statement) }
        }
        migrator.registerMigration("short_way") { db in
            try db.execute(sql: "ALTER TABLE campaigns ADD COLUMN short_way INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("pacing") { db in try db.execute(sql: pacing) }
        migrator.registerMigration("pauses") { db in try db.execute(sql: pauses) }
        migrator.registerMigration("variants") { db in
            try db.execute(sql: variants)
        }
        migrator.registerMigration("registry") { db in
            for statement in [devices, deaths, freezing] { try db.execute(sql: statement) }
        }
        migrator.registerMigration("life") { db in try db.execute(sql: life) }
        migrator.registerMigration("superseding") { db in try db.execute(sql: superseding) }
        migrator.registerMigration("parts") { db in try db.execute(sql: parts) }
        migrator.registerMigration("operating") { db in try db.execute(sql: operating) }
        migrator.registerMigration("quiet_hours") { db in try db.execute(sql: quietHours) }
        migrator.registerMigration("repeating") { db in try db.execute(sql: repeating) }
        migrator.registerMigration("counting") { db in try db.execute(sql: counting) }
        migrator.registerMigration("providers") { db in try db.execute(sql: providers) }
        migrator.registerMigration("asked_events") { db in try db.execute(sql: askedEvents) }
        migrator.registerMigration("audit") { db in try db.execute(sql: audit) }
        migrator.registerMigration("quotas") { db in try db.execute(sql: quotas) }
        migrator.registerMigration("webhooks") { db in try db.execute(sql: webhooks) }
        migrator.registerMigration("tracking") { db in try db.execute(sql: tracking) }
        migrator.registerMigration("contents") { db in try db.execute(sql: contents) }
        migrator.registerMigration("device_secrets") { db in try db.execute(sql: deviceSecrets) }
        migrator.registerMigration("blanking") { db in try db.execute(sql: blanking) }
        migrator.registerMigration("in_app") { db in try db.execute(sql: inApp) }
        migrator.registerMigration("claims") { db in try db.execute(sql: claims) }
        migrator.registerMigration("device_keys") { db in try db.execute(sql: deviceKeys) }
        migrator.registerMigration("clock") { db in try db.execute(sql: clock) }
        migrator.registerMigration("quiet_rules") { db in try db.execute(sql: quietRules) }
        migrator.registerMigration("untold") { db in try db.execute(sql: untold) }
        return migrator
    }

    private static let meta = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('store_id', lower(hex(randomblob(8))));
        INSERT INTO meta VALUES ('revision', 1);

        CREATE TABLE workers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            roles TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL
        );
        CREATE TABLE worker_apps (
            worker INTEGER NOT NULL,
            app TEXT NOT NULL,
            PRIMARY KEY (worker, app)
        ) WITHOUT ROWID;
        """

    /// The state of a list (`ListState`): 0 being written, 1 finished, 2 to be removed.
    private static let lists = """
        CREATE TABLE lists (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            name TEXT,
            version TEXT,
            state INTEGER NOT NULL DEFAULT 0,
            devices INTEGER NOT NULL DEFAULT 0,
            chunks INTEGER NOT NULL DEFAULT 0,
            duplicates INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            touched_at INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX list_versions ON lists (app, name, version) WHERE state = 1 AND name IS NOT NULL;
        CREATE INDEX list_leftovers ON lists (touched_at) WHERE state <> 1;

        CREATE TABLE chunks (
            list INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            first_index INTEGER NOT NULL,
            count INTEGER NOT NULL,
            provider TEXT NOT NULL,
            environment TEXT,
            locale TEXT,
            time_zone TEXT,
            bare BLOB NOT NULL,
            with_variables BLOB,
            device_ids BLOB,
            PRIMARY KEY (list, ordinal)
        ) WITHOUT ROWID;
        CREATE INDEX chunk_counts ON chunks (list, ordinal, count);

        CREATE TABLE chunk_dead (
            list INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            learnt INTEGER NOT NULL,
            bits BLOB NOT NULL,
            PRIMARY KEY (list, ordinal)
        ) WITHOUT ROWID;
        CREATE INDEX dead_to_learn ON chunk_dead (list, ordinal) WHERE learnt = 0;
        CREATE TABLE dead_tokens (hash BLOB PRIMARY KEY) WITHOUT ROWID;
        """

    private static let campaigns = """
        CREATE TABLE campaigns (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            stage TEXT NOT NULL,
            paused_by TEXT NOT NULL DEFAULT '',
            expires_at INTEGER NOT NULL,
            urgency TEXT NOT NULL,
            provider TEXT NOT NULL,
            list INTEGER NOT NULL,
            chunks INTEGER NOT NULL,
            cursor INTEGER NOT NULL DEFAULT 0,
            audience INTEGER NOT NULL,
            duplicates INTEGER NOT NULL,
            rest_outcome INTEGER,
            rest_devices INTEGER NOT NULL DEFAULT 0,
            lease_owner INTEGER NOT NULL DEFAULT 0,
            lease_until INTEGER NOT NULL DEFAULT 0,
            lease_epoch INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            started_at INTEGER,
            completed_at INTEGER,
            push_type TEXT NOT NULL,
            priority INTEGER NOT NULL,
            drop_if_offline INTEGER NOT NULL,
            collapse_id TEXT NOT NULL,
            max_attempts INTEGER NOT NULL,
            drop_unknown INTEGER NOT NULL,
            carries_variables INTEGER NOT NULL,
            trace_parent TEXT NOT NULL,
            correlation_id TEXT NOT NULL,
            name TEXT,
            payload BLOB NOT NULL,
            tags TEXT NOT NULL,
            metadata TEXT NOT NULL,
            identity BLOB NOT NULL,
            job BLOB NOT NULL,
            UNIQUE (app, id)
        );
        CREATE INDEX campaign_ids ON campaigns (id);
        CREATE INDEX open_campaigns ON campaigns (number) WHERE completed_at IS NULL;

        CREATE TABLE refused (
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            document BLOB NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (app, id)
        ) WITHOUT ROWID;
        """

    /// One row per shard; a retry shard's `parent` is the `child` number of the shard that it comes from.
    ///
    /// `progress` is NULL while all devices are pending. `positions` is NULL for the whole chunk. State 4 is settled
    /// (`ShardState`).
    private static let shards = """
        CREATE TABLE shards (
            campaign INTEGER NOT NULL,
            part INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            child INTEGER NOT NULL,
            parent INTEGER NOT NULL,
            state INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            epoch INTEGER NOT NULL DEFAULT 0,
            owner INTEGER NOT NULL DEFAULT 0,
            claims INTEGER NOT NULL DEFAULT 0,
            attempt INTEGER NOT NULL,
            rung INTEGER,
            not_before INTEGER,
            due_at INTEGER,
            since INTEGER NOT NULL,
            chunk INTEGER NOT NULL,
            count INTEGER NOT NULL,
            accepted INTEGER NOT NULL DEFAULT 0,
            invalid INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            expired INTEGER NOT NULL DEFAULT 0,
            superseded INTEGER NOT NULL DEFAULT 0,
            cancelled INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            retried INTEGER NOT NULL DEFAULT 0,
            requests INTEGER NOT NULL DEFAULT 0,
            unanswered INTEGER NOT NULL DEFAULT 0,
            reasons TEXT,
            aside TEXT,
            path TEXT NOT NULL,
            positions BLOB,
            progress BLOB,
            PRIMARY KEY (campaign, part, ordinal, child)
        ) WITHOUT ROWID;
        CREATE INDEX open_shards ON shards (state, campaign) WHERE state <> 4;
        """

    /// `probe` is a shard's key; without it, its owner and lease have no meaning.
    private static let breakers = """
        CREATE TABLE breakers (
            app TEXT NOT NULL,
            provider TEXT NOT NULL,
            is_open INTEGER NOT NULL,
            since INTEGER NOT NULL,
            reason TEXT NOT NULL,
            failures INTEGER NOT NULL,
            probe_at INTEGER NOT NULL,
            probe TEXT,
            probe_owner INTEGER NOT NULL,
            probe_until INTEGER,
            PRIMARY KEY (app, provider)
        ) WITHOUT ROWID;
        """

    /// Tokens that a provider called wrong once.
    private static let suspects = """
        ALTER TABLE chunk_dead ADD COLUMN suspects BLOB NOT NULL DEFAULT x'';
        CREATE TABLE suspect_tokens (hash BLOB PRIMARY KEY) WITHOUT ROWID;
        """

    /// The counts of the wrong-environment guard.
    private static let guarding = """
        ALTER TABLE campaigns ADD COLUMN guard_passed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN guard_answers INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN guard_suspects INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN guard_trips INTEGER NOT NULL DEFAULT 0;
        """

    /// The state of each provider's quota: the starts of its ramp and of its next slot, as for rates.
    private static let quotas = """
        CREATE TABLE quotas (key TEXT PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Rates: a campaign's limit and the start of its next slot, the same for apps, and a shard's slot (`Pacing`).
    ///
    /// Slots are in microseconds since the epoch.
    private static let pacing = """
        ALTER TABLE campaigns ADD COLUMN per_second INTEGER;
        ALTER TABLE campaigns ADD COLUMN ramp_up INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN pace_first INTEGER;
        ALTER TABLE campaigns ADD COLUMN pace_next INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE shards ADD COLUMN slot_at INTEGER;
        ALTER TABLE shards ADD COLUMN slot_length INTEGER;
        CREATE TABLE app_paces (app TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// An operator's pauses; an empty column matches any value.
    private static let pauses = """
        CREATE TABLE pauses (
            app TEXT NOT NULL,
            provider TEXT NOT NULL,
            urgency TEXT NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (app, provider, urgency)
        ) WITHOUT ROWID;
        """

    /// A campaign's content by language, if it has several languages or templates; `locale` '' is the standard content.
    private static let variants = """
        CREATE TABLE variants (
            campaign INTEGER NOT NULL,
            variant INTEGER NOT NULL,
            locale TEXT NOT NULL,
            push_type TEXT NOT NULL,
            payload BLOB NOT NULL,
            message_id_at INTEGER,
            personal BLOB NOT NULL,
            PRIMARY KEY (campaign, variant)
        ) WITHOUT ROWID;
        CREATE TABLE list_variables (
            list INTEGER NOT NULL,
            name TEXT NOT NULL,
            bytes_max INTEGER NOT NULL,
            PRIMARY KEY (list, name)
        ) WITHOUT ROWID;
        """

    /// `number` is the app's number × 2^32 + the device's, so that an app's devices are neighbors and a page is a
    /// range.
    ///
    /// Hashes are 64 bits of `TokenHash` over the app and the text; the text of a row that is found by hash is
    /// compared.
    private static let devices = """
        CREATE TABLE registry_apps (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL UNIQUE,
            next INTEGER NOT NULL DEFAULT 1
        );
        CREATE TABLE devices (
            number INTEGER PRIMARY KEY,
            state INTEGER NOT NULL,
            suspect INTEGER NOT NULL DEFAULT 0,
            ended_at INTEGER,
            badge INTEGER NOT NULL DEFAULT 0,
            changed_at INTEGER NOT NULL,
            installation_hash INTEGER NOT NULL,
            user_hash INTEGER,
            token_hash INTEGER,
            installation TEXT,
            token BLOB,
            traits BLOB NOT NULL,
            user_key TEXT
        );
        CREATE INDEX device_installations ON devices (installation_hash);
        CREATE INDEX device_users ON devices (user_hash) WHERE user_hash IS NOT NULL;
        CREATE INDEX device_tokens ON devices (token_hash) WHERE token_hash IS NOT NULL;
        """

    /// `died` has positions whose deaths are not learned yet, with the provider's instants; `opted_out` is never sent
    /// to.
    private static let deaths = """
        ALTER TABLE chunk_dead ADD COLUMN died BLOB NOT NULL DEFAULT x'';
        ALTER TABLE chunk_dead ADD COLUMN opted_out BLOB NOT NULL DEFAULT x'';
        ALTER TABLE dead_tokens ADD COLUMN at INTEGER;
        """

    /// The progress of a campaign whose audience is not complete; `source` is the list that it is cut from, if any.
    private static let freezing = """
        CREATE TABLE frozen_audiences (
            campaign INTEGER PRIMARY KEY,
            source INTEGER,
            excluded INTEGER,
            list INTEGER NOT NULL DEFAULT 0,
            position INTEGER NOT NULL DEFAULT 0,
            last INTEGER NOT NULL DEFAULT 0,
            chunks INTEGER NOT NULL DEFAULT 0,
            devices INTEGER NOT NULL DEFAULT 0,
            duplicates INTEGER NOT NULL DEFAULT 0,
            no_token INTEGER NOT NULL DEFAULT 0,
            at_most INTEGER
        );
        ALTER TABLE campaigns ADD COLUMN no_token INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN failure TEXT;
        """

    private static let messages = """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            routing_key TEXT NOT NULL,
            body BLOB NOT NULL,
            correlation_id TEXT NOT NULL,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE parked (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            digest BLOB NOT NULL UNIQUE,
            queue TEXT NOT NULL,
            reason TEXT NOT NULL,
            errors TEXT NOT NULL,
            app TEXT,
            campaign TEXT,
            devices INTEGER,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            count INTEGER NOT NULL DEFAULT 1,
            headers TEXT NOT NULL,
            body BLOB NOT NULL
        );
        """
}
