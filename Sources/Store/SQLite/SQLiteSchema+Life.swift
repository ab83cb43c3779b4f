/// The tables and columns of a campaign's life: when it begins, by which clocks, what operators do to it, what is counted.
extension SQLiteSchema {
    /// `release_seconds`: how long a campaign lasts from its release; NULL when its end is the producer's own instant.
    static let life = """
        ALTER TABLE campaigns ADD COLUMN send_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN hold INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE campaigns ADD COLUMN release_seconds INTEGER;
        ALTER TABLE campaigns ADD COLUMN fired_at INTEGER;
        """

    /// `collapse_marked_at`: when the older campaigns of the key were superseded, by the clock that workers share;
    /// `stopped_runs`: runs of those that open no stream any more.
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

    /// A part of a campaign has the positions from `first_chunk` to before `end_chunk` of `chunk_order`, along which the
    /// cursor walks.
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

    /// `end_changes`: how often an operator gave it another end; `content_…`: what `ContentGuard` has seen.
    ///
    /// `cut_at` and `begun_at`: when a shard's row was written and when it was claimed first. `history`: what happened to a
    /// campaign, kept as long as it is; a campaign of 0 is what happened to the app.
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

    /// Each part has a cursor of its own: quiet hours interrupt one while others go on.
    ///
    /// The campaign's cursor counts the chunks that are cut.
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

    /// Which hours are quiet, in minutes since midnight, on whose clock (NULL: UTC), and up to when `quiet_spans` has them;
    /// NULL is a part without, or one of before this, which has them all.
    static let quietRules = """
        ALTER TABLE parts ADD COLUMN quiet_from INTEGER;
        ALTER TABLE parts ADD COLUMN quiet_to INTEGER;
        ALTER TABLE parts ADD COLUMN quiet_zone TEXT;
        ALTER TABLE parts ADD COLUMN quiet_until INTEGER;
        """

    /// `next_at`: the instant of the next run; `excluded`: a list that is kept for the runs.
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

    /// `badges`: four bytes for each place of the chunk; `charges`: see `FrequencyCharge`, `device`: see `CountedDevice`.
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

    /// Campaigns of several providers: `campaigns.provider` is empty then, each provider has a row in `campaign_providers`
    /// with what is its own, and its content in `provider_variants`.
    ///
    /// A part of such a campaign has one provider; its `release_at` and `expires_at` are 0 when they are the campaign's
    /// own. `providers`: names with commas between; NULL is what a worker of before them has written.
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

    /// What apps want to be told of each shard (`AskedEvents`), as workers have read it last.
    static let askedEvents = """
        CREATE TABLE asked_events (app TEXT PRIMARY KEY, events INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Who did what by the HTTP API.
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

    /// `events`: bits of `EventKinds`; `digest`: tells one configuration of a webhook from another, without its secrets.
    ///
    /// What waits for a webhook are rows of its own, not a place in `events`: with several writers the numbers of events
    /// are not committed in their order, and a cursor would step over those that come late.
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
