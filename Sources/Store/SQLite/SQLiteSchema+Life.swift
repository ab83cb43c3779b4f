/// The tables and columns of a campaign's life: its start, its clocks, operators' orders, and counting.
extension SQLiteSchema {
    /// `release_seconds` is a campaign's lifetime from its release; NULL if the producer gave the end as an instant.
    static let life = """
        ALTER TABLE campaigns ADD COLUMN send_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN hold INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN release_seconds INTEGER;
        ALTER TABLE campaigns ADD COLUMN fired_at INTEGER;
        """

    /// `collapse_marked_at` is the instant at which a campaign superseded the older ones of its key, on the time that
    /// workers share.
    ///
    /// `stopped_runs` has runs of those that open no more streams.
    static let superseding = """
        ALTER TABLE campaigns ADD COLUMN collapse_key BLOB;
        ALTER TABLE campaigns ADD COLUMN collapse_marked_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN released_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN superseded_by INTEGER;
        CREATE INDEX collapsing ON campaigns (collapse_key, created_at) WHERE collapse_key IS NOT NULL;
        CREATE TABLE stopped_runs (
            campaign INTEGER NOT NULL,
            part INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            child INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            PRIMARY KEY (campaign, part, ordinal, child)
        ) WITHOUT ROWID;
        """

    /// A part of a campaign has the positions from `first_chunk` to before `end_chunk` in `chunk_order`; its cursor
    /// advances along them.
    static let parts = """
        ALTER TABLE campaigns ADD COLUMN has_parts INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE parts (
            campaign INTEGER NOT NULL,
            part INTEGER NOT NULL,
            time_zone TEXT,
            release_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            first_chunk INTEGER NOT NULL,
            end_chunk INTEGER NOT NULL,
            devices INTEGER NOT NULL,
            PRIMARY KEY (campaign, part)
        ) WITHOUT ROWID;
        CREATE TABLE chunk_order (
            campaign INTEGER NOT NULL,
            position INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            part INTEGER NOT NULL,
            PRIMARY KEY (campaign, position)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX chunk_parts ON chunk_order (campaign, ordinal);
        """

    /// `end_changes` counts an operator's changes of the end; the `content_…` columns are the counts of `ContentGuard`.
    ///
    /// `cut_at` and `begun_at` are the instants of a shard's insertion and first claim. `history` has a campaign's
    /// events and is kept as long as the campaign; events of an app have campaign 0.
    static let operating = """
        ALTER TABLE campaigns ADD COLUMN end_changes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN content_answers INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN content_faults INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN content_trips INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE shards ADD COLUMN cut_at INTEGER;
        ALTER TABLE shards ADD COLUMN begun_at INTEGER;
        CREATE TABLE history (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            campaign INTEGER NOT NULL,
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            actor TEXT NOT NULL,
            at INTEGER NOT NULL,
            data TEXT NOT NULL
        );
        CREATE INDEX history_of_campaigns ON history (campaign, seq);
        CREATE INDEX history_of_apps ON history (at) WHERE campaign = 0;
        """

    /// Each part has its own cursor, because quiet hours interrupt one part while others go on.
    ///
    /// The campaign's cursor counts all chunks that are cut.
    static let quietHours = """
        ALTER TABLE campaigns ADD COLUMN has_quiet_hours INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE parts ADD COLUMN cursor INTEGER NOT NULL DEFAULT 0;
        UPDATE parts SET cursor = (
            SELECT max(parts.first_chunk, min(parts.end_chunk, c.cursor)) FROM campaigns c WHERE c.number = parts.campaign
        ) WHERE campaign IN (SELECT number FROM campaigns);
        CREATE TABLE quiet_spans (
            campaign INTEGER NOT NULL,
            part INTEGER NOT NULL,
            begins_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            PRIMARY KEY (campaign, part, begins_at)
        ) WITHOUT ROWID;
        """

    /// The quiet hours in minutes since midnight, their time zone (NULL for UTC), and the instant up to which
    /// `quiet_spans` has them.
    ///
    /// The instant is NULL for parts without quiet hours, and for older parts, which have all their spans.
    static let quietRules = """
        ALTER TABLE parts ADD COLUMN quiet_from INTEGER;
        ALTER TABLE parts ADD COLUMN quiet_to INTEGER;
        ALTER TABLE parts ADD COLUMN quiet_zone TEXT;
        ALTER TABLE parts ADD COLUMN quiet_until INTEGER;
        """

    /// `next_at` is the instant of the next run; `excluded` is a list that is kept for the runs.
    ///
    /// A run is a campaign of its own.
    static let repeating = """
        ALTER TABLE campaigns ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE repeats (
            campaign INTEGER PRIMARY KEY,
            next_at INTEGER,
            excluded INTEGER,
            restored_at INTEGER,
            missed_at INTEGER,
            missed_why TEXT
        );
        CREATE TABLE runs (
            parent INTEGER NOT NULL,
            instant INTEGER NOT NULL,
            campaign INTEGER NOT NULL,
            PRIMARY KEY (parent, instant)
        ) WITHOUT ROWID;
        CREATE INDEX run_campaigns ON runs (campaign);
        """

    /// `badges` has four bytes for each position of the chunk; for `charges` see `FrequencyCharge`, for `device`
    /// `CountedDevice`.
    static let counting = """
        ALTER TABLE campaigns ADD COLUMN ignores_cap INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN badge_step TEXT;
        ALTER TABLE campaigns ADD COLUMN badge_count INTEGER;
        ALTER TABLE registry_apps ADD COLUMN counts_badges INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE chunk_badges (
            campaign INTEGER NOT NULL,
            chunk INTEGER NOT NULL,
            badges BLOB NOT NULL,
            PRIMARY KEY (campaign, chunk)
        ) WITHOUT ROWID;
        CREATE TABLE frequency_charges (
            device BLOB PRIMARY KEY,
            keep_until INTEGER NOT NULL,
            charges BLOB NOT NULL
        ) WITHOUT ROWID;
        """

    /// Campaigns of several providers have an empty `campaigns.provider`.
    ///
    /// Each provider has a row in `campaign_providers` for its own state, and its content in `provider_variants`. A
    /// part of such a campaign has one provider; its `release_at` and `expires_at` are 0 if the campaign's apply.
    /// `providers` has comma-separated names; NULL was written by a worker of an earlier version.
    static let providers = """
        ALTER TABLE lists ADD COLUMN providers TEXT;
        ALTER TABLE parts ADD COLUMN provider TEXT;
        ALTER TABLE worker_apps ADD COLUMN providers TEXT;
        CREATE TABLE campaign_providers (
            campaign INTEGER NOT NULL,
            provider TEXT NOT NULL,
            push_type TEXT NOT NULL,
            priority INTEGER NOT NULL,
            collapse_id TEXT NOT NULL,
            devices INTEGER NOT NULL,
            rest_devices INTEGER NOT NULL DEFAULT 0,
            paused_by TEXT NOT NULL DEFAULT '',
            guard_passed INTEGER NOT NULL DEFAULT 0,
            guard_answers INTEGER NOT NULL DEFAULT 0,
            guard_suspects INTEGER NOT NULL DEFAULT 0,
            guard_trips INTEGER NOT NULL DEFAULT 0,
            content_answers INTEGER NOT NULL DEFAULT 0,
            content_faults INTEGER NOT NULL DEFAULT 0,
            content_trips INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (campaign, provider)
        ) WITHOUT ROWID;
        CREATE TABLE provider_variants (
            campaign INTEGER NOT NULL,
            provider TEXT NOT NULL,
            variant INTEGER NOT NULL,
            locale TEXT NOT NULL,
            payload BLOB NOT NULL,
            message_id_at INTEGER,
            personal BLOB NOT NULL,
            PRIMARY KEY (campaign, provider, variant)
        ) WITHOUT ROWID;
        """

    /// The shard events that apps ask for (`AskedEvents`), as a worker last read them.
    static let askedEvents = """
        CREATE TABLE asked_events (app TEXT PRIMARY KEY, events INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// The audit log of the HTTP API.
    static let audit = """
        CREATE TABLE audit (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            role TEXT NOT NULL,
            peer TEXT NOT NULL,
            operation TEXT NOT NULL,
            path TEXT NOT NULL,
            status INTEGER NOT NULL,
            request TEXT NOT NULL
        );
        CREATE INDEX audit_by_time ON audit (at);
        """

    /// `events` has bits of `EventKinds`; `digest` identifies a webhook's configuration without its secrets.
    ///
    /// A webhook's waiting events have rows of their own instead of a position in `events`. With several writers,
    /// events are not committed in the order of their numbers, and a position would skip late ones.
    static let webhooks = """
        CREATE TABLE webhooks (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            url TEXT NOT NULL,
            events INTEGER NOT NULL,
            digest BLOB NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            failing_since INTEGER,
            due_at INTEGER NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            disabled_at INTEGER,
            owner INTEGER NOT NULL DEFAULT 0,
            lease_until INTEGER NOT NULL DEFAULT 0,
            UNIQUE (app, url)
        );
        CREATE TABLE webhook_events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            webhook INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            UNIQUE (webhook, seq)
        );
        CREATE INDEX webhook_events_by_time ON webhook_events (created_at);
        """
}
