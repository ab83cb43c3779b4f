-- The tables in SQLite's dialect, as migrations in the order of their application; a released one never changes.
-- Instants are milliseconds since the Unix epoch. The comments here hold for postgresql.sql too.

-- migration 1

-- The file's header says whose it is: FANF.
PRAGMA application_id = 1178684998;

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

-- The state of a list (ListState): 0 being written, 1 finished, 2 to be removed.
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

-- One row per shard; a retry shard's parent is the child number of the shard that it comes from.
--
-- progress is NULL while all devices are pending. positions is NULL for the whole chunk. State 4 is settled
-- (ShardState).
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

-- migration message_id_at

ALTER TABLE campaigns ADD COLUMN message_id_at INTEGER;

-- migration breakers

-- probe is a shard's key; without it, its owner and lease have no meaning.
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

-- Tokens that a provider called wrong once.
ALTER TABLE chunk_dead ADD COLUMN suspects BLOB NOT NULL DEFAULT x'';
CREATE TABLE suspect_tokens (hash BLOB PRIMARY KEY) WITHOUT ROWID;

-- The counts of the wrong-environment guard.
ALTER TABLE campaigns ADD COLUMN guard_passed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN guard_answers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN guard_suspects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN guard_trips INTEGER NOT NULL DEFAULT 0;

-- migration short_way

ALTER TABLE campaigns ADD COLUMN short_way INTEGER NOT NULL DEFAULT 0;

-- migration pacing

-- Rates: a campaign's limit and the start of its next slot, the same for apps, and a shard's slot (Pacing).
--
-- Slots are in microseconds since the epoch.
ALTER TABLE campaigns ADD COLUMN per_second INTEGER;
ALTER TABLE campaigns ADD COLUMN ramp_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN pace_first INTEGER;
ALTER TABLE campaigns ADD COLUMN pace_next INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shards ADD COLUMN slot_at INTEGER;
ALTER TABLE shards ADD COLUMN slot_length INTEGER;
CREATE TABLE app_paces (app TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;

-- migration pauses

-- An operator's pauses; an empty column matches any value.
CREATE TABLE pauses (
    app TEXT NOT NULL,
    provider TEXT NOT NULL,
    urgency TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (app, provider, urgency)
) WITHOUT ROWID;

-- migration variants

-- A campaign's content by language, if it has several languages or templates; locale '' is the standard content.
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

-- migration registry

-- number is the app's number × 2^32 + the device's, so that an app's devices are neighbors and a page is a
-- range.
--
-- Hashes are 64 bits of TokenHash over the app and the text; the text of a row that is found by hash is
-- compared.
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

-- died has positions whose deaths are not learned yet, with the provider's instants; opted_out is never sent
-- to.
ALTER TABLE chunk_dead ADD COLUMN died BLOB NOT NULL DEFAULT x'';
ALTER TABLE chunk_dead ADD COLUMN opted_out BLOB NOT NULL DEFAULT x'';
ALTER TABLE dead_tokens ADD COLUMN at INTEGER;

-- The progress of a campaign whose audience is not complete; source is the list that it is cut from, if any.
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

-- migration life

-- release_seconds is a campaign's lifetime from its release; NULL if the producer gave the end as an instant.
ALTER TABLE campaigns ADD COLUMN send_at INTEGER;
ALTER TABLE campaigns ADD COLUMN hold INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN release_seconds INTEGER;
ALTER TABLE campaigns ADD COLUMN fired_at INTEGER;

-- migration superseding

-- collapse_marked_at is the instant at which a campaign superseded the older ones of its key, on the time that
-- workers share.
--
-- stopped_runs has runs of those that open no more streams.
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

-- migration parts

-- A part of a campaign has the positions from first_chunk to before end_chunk in chunk_order; its cursor
-- advances along them.
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

-- migration operating

-- end_changes counts an operator's changes of the end; the content_… columns are the counts of ContentGuard.
--
-- cut_at and begun_at are the instants of a shard's insertion and first claim. history has a campaign's
-- events and is kept as long as the campaign; events of an app have campaign 0.
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

-- migration quiet_hours

-- Each part has its own cursor, because quiet hours interrupt one part while others go on.
--
-- The campaign's cursor counts all chunks that are cut.
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

-- migration repeating

-- next_at is the instant of the next run; excluded is a list that is kept for the runs.
--
-- A run is a campaign of its own.
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

-- migration counting

-- badges has four bytes for each position of the chunk; for charges see FrequencyCharge, for device
-- CountedDevice.
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

-- migration providers

-- Campaigns of several providers have an empty campaigns.provider.
--
-- Each provider has a row in campaign_providers for its own state, and its content in provider_variants. A
-- part of such a campaign has one provider; its release_at and expires_at are 0 if the campaign's apply.
-- providers has comma-separated names; NULL was written by a worker of an earlier version.
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

-- migration asked_events

-- The shard events that apps ask for (AskedEvents), as a worker last read them.
CREATE TABLE asked_events (app TEXT PRIMARY KEY, events INTEGER NOT NULL) WITHOUT ROWID;

-- migration audit

-- The audit log of the HTTP API.
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

-- migration quotas

-- The state of each provider's quota: the starts of its ramp and of its next slot, as for rates.
CREATE TABLE quotas (key TEXT PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL) WITHOUT ROWID;

-- migration webhooks

-- events has bits of EventKinds; digest identifies a webhook's configuration without its secrets.
--
-- A webhook's waiting events have rows of their own instead of a position in events. With several writers,
-- events are not committed in the order of their numbers, and a position would skip late ones.
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

-- migration tracking

-- step is type + 16 × surface (TrackedStep), device the index in the campaign, and detail a button or
-- reason.
--
-- An event with a detail has a second row without one, so that a device counts once whatever it pressed.
-- registered is the device's number in the registry, which segments use. poll_totals has the questions and
-- choices of polls; the choice without a name counts the devices.
CREATE TABLE tracked (
    campaign INTEGER NOT NULL,
    step INTEGER NOT NULL,
    device INTEGER NOT NULL,
    detail TEXT NOT NULL,
    registered INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (campaign, step, device, detail)
) WITHOUT ROWID;
CREATE TABLE tracking_totals (
    campaign INTEGER NOT NULL,
    step INTEGER NOT NULL,
    detail TEXT NOT NULL,
    devices INTEGER NOT NULL,
    PRIMARY KEY (campaign, step, detail)
) WITHOUT ROWID;
CREATE TABLE poll_answers (
    campaign INTEGER NOT NULL,
    device INTEGER NOT NULL,
    registered INTEGER NOT NULL,
    at INTEGER NOT NULL,
    answers TEXT NOT NULL,
    PRIMARY KEY (campaign, device)
) WITHOUT ROWID;
CREATE TABLE poll_totals (
    campaign INTEGER NOT NULL,
    question TEXT NOT NULL,
    choice TEXT NOT NULL,
    devices INTEGER NOT NULL,
    PRIMARY KEY (campaign, question, choice)
) WITHOUT ROWID;

-- migration contents

-- The content that apps fetch by its id (campaign is 0 for an upload), and the kinds of campaigns.
ALTER TABLE campaigns ADD COLUMN kind TEXT NOT NULL DEFAULT 'notification';
CREATE TABLE contents (
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    content_type TEXT NOT NULL,
    version TEXT NOT NULL,
    campaign INTEGER NOT NULL,
    at INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (app, id)
);
CREATE INDEX contents_by_campaign ON contents (campaign);

-- migration device_secrets

-- The SHA-256 of a device's secret for the edge, and the kit version that the device reports.
ALTER TABLE devices ADD COLUMN secret_hash BLOB;
ALTER TABLE devices ADD COLUMN kit_version TEXT;
CREATE UNIQUE INDEX device_secrets ON devices (secret_hash) WHERE secret_hash IS NOT NULL;

-- migration blanking

-- The forgotten devices whose bytes are erased from a chunk; an index finds those not yet erased.
ALTER TABLE chunk_dead ADD COLUMN blanked BLOB NOT NULL DEFAULT x'';
CREATE INDEX forgotten_to_blank ON chunk_dead (list, ordinal) WHERE blanked <> opted_out;

-- migration in_app

-- The tables of in-app campaigns; devices are numbers of the registry.
--
-- prepared says that the campaign's lists are in in_app_tokens; given counts the devices that received the
-- message. in_app_tokens has sorted hashes of a list's tokens, up to 1,024 per row, 8 bytes each, least
-- significant byte first; first is a row's first hash. in_app_given lists the devices that received the
-- message. in_app_displays has the last time at which a device displayed the message; tracked has only the
-- first.
ALTER TABLE campaigns ADD COLUMN in_app INTEGER NOT NULL DEFAULT 0;
CREATE TABLE in_app_campaigns (
    campaign INTEGER PRIMARY KEY,
    app TEXT NOT NULL,
    excluded INTEGER,
    prepared INTEGER NOT NULL DEFAULT 0,
    ended INTEGER NOT NULL DEFAULT 0,
    given INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX open_in_app_campaigns ON in_app_campaigns (campaign) WHERE ended = 0;
CREATE TABLE in_app_tokens (
    campaign INTEGER NOT NULL,
    list INTEGER NOT NULL,
    first INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (campaign, list, first)
) WITHOUT ROWID;
CREATE TABLE in_app_given (
    campaign INTEGER NOT NULL,
    device INTEGER NOT NULL,
    PRIMARY KEY (campaign, device)
) WITHOUT ROWID;
CREATE TABLE in_app_displays (
    campaign INTEGER NOT NULL,
    device INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (campaign, device)
) WITHOUT ROWID;

-- migration claims

-- The number of workers that died with a shard, and the number of devices that may have received its push
-- unreported.
ALTER TABLE shards ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shards ADD COLUMN maybe_sent INTEGER NOT NULL DEFAULT 0;

-- migration device_keys

-- The number of the integration key with which a device registered (EdgeSecret.keyNumber); NULL for an imported
-- one.
ALTER TABLE devices ADD COLUMN came_with INTEGER;

-- migration clock

-- The anchor of the shared time (HostAnchor), from which all processes of the host compute it.
--
-- at, lead and goal are in microseconds, last in milliseconds. workers.skew is the lead of the host's
-- wall clock over the shared time in milliseconds; NULL for workers of earlier versions.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY,
    boot TEXT NOT NULL,
    at INTEGER NOT NULL,
    lead INTEGER NOT NULL,
    goal INTEGER NOT NULL,
    last INTEGER NOT NULL
);
ALTER TABLE workers ADD COLUMN skew INTEGER;

-- migration quiet_rules

-- The quiet hours in minutes since midnight, their time zone (NULL for UTC), and the instant up to which
-- quiet_spans has them.
--
-- The instant is NULL for parts without quiet hours, and for older parts, which have all their spans.
ALTER TABLE parts ADD COLUMN quiet_from INTEGER;
ALTER TABLE parts ADD COLUMN quiet_to INTEGER;
ALTER TABLE parts ADD COLUMN quiet_zone TEXT;
ALTER TABLE parts ADD COLUMN quiet_until INTEGER;

-- migration untold

-- Completed campaigns with devices that no push could reach, for their apps to tell of; one row each.
CREATE TABLE untold (
    campaign INTEGER PRIMARY KEY,
    expires_at INTEGER NOT NULL
);
CREATE INDEX untold_ends ON untold (expires_at);

-- migration worker_health

-- What the worker cannot do, and the state of its credentials, as JSON (WorkerHealth); NULL for workers of earlier
-- versions.
ALTER TABLE workers ADD COLUMN health TEXT;

-- migration retry_reasons

-- The devices of a retry row by the reason of their last try (ReasonCounts); of a settled row, those that expired
-- instead of another try. NULL in rows of earlier versions.
ALTER TABLE shards ADD COLUMN retry_reasons TEXT;

-- migration sent_jobs

-- The jobs that servers have published lately, with their hashes: a repeat is known before its verdict (SentJob).
CREATE TABLE sent_jobs (
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    identity BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (app, id)
) WITHOUT ROWID;
CREATE INDEX sent_job_times ON sent_jobs (at);

-- migration reload_orders

-- Orders to all workers to read their files again; only the newest is kept. A number is never reused, because a
-- worker's answer (in its row's health) names the number.
CREATE TABLE reload_orders (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL
);

-- migration audience_flows

-- A campaign whose audience is sent while it is frozen (AudienceFlow); frozen_audiences has the others.
--
-- Such a campaign stays in the stage planning until its audience is complete, so that earlier versions neither cut nor
-- complete it; flows says what it is. holder is the worker whose lease knows of this table. skips_denied says that its
-- push is an alert. The share of the registry that it has, and the share's error, are in millionths. unexamined is the
-- estimate of the devices that a campaign which ended before never looked at.
--
-- audience_ranges has the ranges of the registry that are not over, each with a lease of its own: the devices after
-- position, up to last, are left. chunks, devices and no_token count what lies between first and position, and splits
-- the chunks among it that were closed before they were full.
CREATE TABLE audience_flows (
    campaign INTEGER PRIMARY KEY,
    holder INTEGER NOT NULL,
    excluded INTEGER,
    list INTEGER NOT NULL,
    ranges INTEGER NOT NULL,
    skips_denied INTEGER NOT NULL,
    per_million INTEGER NOT NULL,
    error_per_million INTEGER NOT NULL
);
CREATE TABLE audience_ranges (
    campaign INTEGER NOT NULL,
    range_number INTEGER NOT NULL,
    first INTEGER NOT NULL,
    position INTEGER NOT NULL,
    last INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    devices INTEGER NOT NULL,
    no_token INTEGER NOT NULL,
    splits INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (campaign, range_number)
);
ALTER TABLE campaigns ADD COLUMN flows INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN unexamined INTEGER;

-- migration device_index

-- The registry's index (IndexTerm): for a term and 4,096 neighboring device numbers, the live devices with the term
-- (IndexBlock) and their count.
--
-- Triggers mark what changes, so that a worker of any version keeps the index true; a worker of this version or a later
-- one applies the marks. A mark's traits are those that the index has of the device, NULL for none. Devices up to
-- built_to are in the index, as far as they are not marked. version is that of the rules for terms. keeper is the worker
-- that applies marks, until its lease ends.
CREATE TABLE device_index (
    term INTEGER NOT NULL,
    block INTEGER NOT NULL,
    count INTEGER NOT NULL,
    devices BLOB NOT NULL,
    PRIMARY KEY (term, block)
) WITHOUT ROWID;
CREATE TABLE device_index_marks (number INTEGER PRIMARY KEY, indexed BLOB);
CREATE TABLE device_index_state (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    built_to INTEGER NOT NULL,
    keeper INTEGER NOT NULL DEFAULT 0,
    keeper_until INTEGER NOT NULL DEFAULT 0
);
INSERT INTO device_index_state (id, version, built_to)
SELECT 1, 1, CASE WHEN EXISTS (SELECT 1 FROM devices) THEN 0 ELSE 9223372036854775807 END;
CREATE TRIGGER device_index_added AFTER INSERT ON devices BEGIN
    INSERT INTO device_index_marks (number, indexed) VALUES (new.number, NULL) ON CONFLICT (number) DO NOTHING;
END;
CREATE TRIGGER device_index_changed AFTER UPDATE OF state, traits ON devices
WHEN old.state <> new.state OR old.traits <> new.traits BEGIN
    INSERT INTO device_index_marks (number, indexed)
    VALUES (old.number, CASE old.state WHEN 0 THEN old.traits END) ON CONFLICT (number) DO NOTHING;
END;
CREATE TRIGGER device_index_removed AFTER DELETE ON devices BEGIN
    INSERT INTO device_index_marks (number, indexed)
    VALUES (old.number, CASE old.state WHEN 0 THEN old.traits END) ON CONFLICT (number) DO NOTHING;
END;

-- migration uploads

-- Uploads that have an id, each of one version of a list (ListUpload). The state of an upload is that of its list; its
-- row goes with the list. chunks is the number of chunks in the ledger, digest the hash of all of them. parts is the
-- number of parts that came over HTTP, in upload_parts until the list is complete, and bytes their size.
CREATE TABLE uploads (
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    list INTEGER NOT NULL,
    name TEXT NOT NULL,
    chunks INTEGER NOT NULL DEFAULT 0,
    digest BLOB NOT NULL,
    format TEXT,
    parts INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app, id)
) WITHOUT ROWID;
CREATE INDEX upload_lists ON uploads (list);
CREATE TABLE upload_parts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    list INTEGER NOT NULL,
    part INTEGER NOT NULL,
    digest BLOB NOT NULL,
    bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX upload_part_order ON upload_parts (list, part);

-- The campaigns that wait for an upload (UploadWait). Such a campaign is in the stage planning without a row in
-- frozen_audiences, so that no version plans it; it gets that row when the upload is complete.
CREATE TABLE upload_waits (
    campaign INTEGER PRIMARY KEY,
    app TEXT NOT NULL,
    upload TEXT NOT NULL,
    excluded INTEGER,
    at_most INTEGER
);

-- migration audience_as_of

-- The instant as of which an audience is judged: questions about campaigns count events up to it, whoever freezes which
-- part. NULL in a row of an earlier version, until a planner of this one opens the audience.
ALTER TABLE frozen_audiences ADD COLUMN as_of INTEGER;
ALTER TABLE audience_flows ADD COLUMN as_of INTEGER;

-- migration channels

-- The broadcast channels of apps: our name for the id that Apple gave.
CREATE TABLE channels (
    app TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    environment TEXT NOT NULL,
    storage TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (app, name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX channel_ids ON channels (app, id);

-- migration activity_tokens

-- The tokens of devices for Live Activities, with their apps' types of attributes. activity is the app's id of what
-- the activity shows; it is empty for the token that starts activities of the type. at is the instant at which the
-- ledger got the token.
CREATE TABLE activity_tokens (
    device INTEGER NOT NULL,
    type TEXT NOT NULL,
    activity TEXT NOT NULL,
    token BLOB NOT NULL,
    token_hash INTEGER NOT NULL,
    suspect INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (device, type, activity)
) WITHOUT ROWID;
CREATE INDEX activity_followers ON activity_tokens (activity, type, device) WHERE activity <> '';
CREATE INDEX activity_token_hashes ON activity_tokens (token_hash);
CREATE INDEX activity_token_times ON activity_tokens (at) WHERE activity <> '';

-- The activities that a campaign has ended, by the app's number in the registry: tokens that came up to then take no
-- more updates.
CREATE TABLE ended_activities (
    app INTEGER NOT NULL,
    type TEXT NOT NULL,
    activity TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (app, type, activity)
) WITHOUT ROWID;
