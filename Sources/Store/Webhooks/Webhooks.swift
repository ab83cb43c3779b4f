public import Campaigns
public import Delivery

/// Webhooks: their configuration, their waiting events and their delivery by workers (`WebhookState` decides).
extension LedgerTransaction {
    /// The time for which a worker holds a webhook without renewing its lease; a try takes less.
    public static let webhookLease = WebhookState.leaseLength

    /// Makes the webhooks of these apps match the configuration; returns true if that changes anything.
    ///
    /// This applies to all workers until it is set again. A new or changed webhook starts anew, even if it was
    /// disabled. The waiting events of a removed webhook are removed with it.
    @discardableResult
    public func setWebhooks(_ configured: [String: [WebhookEntry]], now: Timestamp) throws(LedgerError) -> Bool {
        var changes = 0
        for (app, entries) in configured.sorted(by: { $0.key < $1.key }) {
            for known in try reader.webhooks(app: app) where !entries.contains(where: { $0.url == known.url }) {
                try db.run("DELETE FROM webhook_events WHERE webhook = ?1", .integer(known.number), scope: .shards)
                changes += try db.run("DELETE FROM webhooks WHERE number = ?1", .integer(known.number))
            }
            for entry in entries {
                changes += try db.run(
                    """
                    INSERT INTO webhooks (app, url, events, digest, due_at) VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT (app, url) DO UPDATE SET events = excluded.events, digest = excluded.digest,
                        due_at = excluded.due_at, failures = 0, failing_since = NULL, reason = '', disabled_at = NULL
                    WHERE webhooks.events <> excluded.events OR webhooks.digest <> excluded.digest
                    """,
                    .text(app),
                    .text(entry.url),
                    .integer(entry.kinds.rawValue),
                    .blob(entry.digest),
                    .time(now)
                )
            }
        }
        return changes > 0
    }

    /// Adds an event for the app's webhooks that want its kind, in the transaction that it reports.
    ///
    /// A disabled webhook gets events as long as events are kept, so that they are delivered once somebody fixes it.
    /// After that it costs nothing.
    func addToWebhooks(_ sequence: Int64, _ event: CampaignEvent) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO webhook_events (webhook, seq, body, created_at)
            SELECT w.number, e.seq, e.body, e.created_at FROM webhooks w JOIN events e ON e.seq = ?1
            WHERE w.app = ?2 AND (w.events & ?3) <> 0 AND (w.disabled_at IS NULL OR w.disabled_at > ?4)
            """,
            .integer(sequence),
            .text(event.app),
            .integer(EventKinds(event.kind).rawValue),
            .time(event.time.advanced(by: .zero - WebhookState.failingMax)),
            scope: .shards
        )
    }

    /// Leases a webhook to a worker, or renews its lease.
    ///
    /// Returns nil if another worker has it, it is gone or disabled, or it is not due yet.
    public func takeWebhook(_ number: Int64, worker: Int64, now: Timestamp) throws(LedgerError) -> WebhookState? {
        let taken = try db.run(
            """
            UPDATE webhooks SET owner = ?2, lease_until = ?3
            WHERE number = ?1 AND disabled_at IS NULL AND (due_at <= ?4 OR due_at > ?5)
                AND (owner IN (0, ?2) OR lease_until <= ?4 OR lease_until > ?6)
            """,
            .integer(number),
            .integer(worker),
            .time(now.advanced(by: Self.webhookLease)),
            .time(now),
            .time(FutureLimit.webhookCooldown.limit(now)),
            .time(FutureLimit.webhookLease.limit(now))
        )
        return taken > 0 ? try reader.webhook(number)?.state : nil
    }

    /// Removes events that a webhook took.
    ///
    /// Any worker may report this, even if another has the lease by now.
    public func webhookTook(_ sequences: [Int64], number: Int64) throws(LedgerError) {
        for sequence in sequences {
            try db.run(
                "DELETE FROM webhook_events WHERE webhook = ?1 AND seq = ?2",
                .integer(number),
                .integer(sequence),
                scope: .shards
            )
        }
    }

    /// Stores a webhook's state and releases its lease; has no effect if another worker has the lease by now.
    ///
    /// Returns true if this worker had it.
    @discardableResult
    public func leaveWebhook(
        _ number: Int64,
        worker: Int64,
        state: WebhookState
    ) throws(LedgerError) -> Bool {
        try db.run(
            """
            UPDATE webhooks SET owner = 0, lease_until = 0, failures = ?3, failing_since = ?4, due_at = ?5, reason = ?6,
                disabled_at = ?7
            WHERE number = ?1 AND owner = ?2
            """,
            .integer(number),
            .integer(worker),
            .int(state.failures),
            .time(state.failingSince),
            .time(state.dueAt),
            .text(state.reason),
            .time(state.disabledAt)
        ) > 0
    }

    /// Makes a webhook due at once, even a disabled one (use `synced`); returns nil if there is none.
    public func resumeWebhook(_ number: Int64, now: Timestamp) throws(LedgerError) -> WebhookRecord? {
        guard var record = try reader.webhook(number) else { return nil }
        record.state.resume(now: now)
        try db.run(
            """
            UPDATE webhooks SET failures = 0, failing_since = NULL, due_at = ?2, reason = '', disabled_at = NULL
            WHERE number = ?1
            """,
            .integer(number),
            .time(now)
        )
        return record
    }
}

extension LedgerReader {
    /// All webhooks with the numbers of their waiting events, by app and address.
    public func webhooks(app: String? = nil) throws(LedgerError) -> [WebhookRecord] {
        let rows = try db.rows(
            """
            SELECT \(WebhookRows.columns) FROM webhooks w WHERE ?1 = '' OR w.app = ?1 ORDER BY w.app, w.url
            """,
            .text(app ?? "")
        )
        return try rows.map { WebhookRows.record($0) }
    }

    /// Webhooks with events to deliver now that no worker has leased.
    public func dueWebhooks(now: Timestamp) throws(LedgerError) -> [WebhookRecord] {
        let rows = try db.rows(
            """
            SELECT \(WebhookRows.columns) FROM webhooks w
            WHERE w.disabled_at IS NULL AND (w.due_at <= ?1 OR w.due_at > ?2)
                AND (w.owner = 0 OR w.lease_until <= ?1 OR w.lease_until > ?3)
                AND EXISTS (SELECT 1 FROM webhook_events e WHERE e.webhook = w.number)
            ORDER BY w.number
            """,
            .time(now),
            .time(FutureLimit.webhookCooldown.limit(now)),
            .time(FutureLimit.webhookLease.limit(now))
        )
        return try rows.map { WebhookRows.record($0) }
    }

    /// A webhook by its number.
    func webhook(_ number: Int64) throws(LedgerError) -> WebhookRecord? {
        let rows = try db.rows(
            "SELECT \(WebhookRows.columns) FROM webhooks w WHERE w.number = ?1",
            .integer(number)
        )
        return try rows.next() ? WebhookRows.record(rows) : nil
    }

    /// The first events that wait for a webhook.
    public func webhookEvents(_ number: Int64, limit: Int) throws(LedgerError) -> [WebhookEvent] {
        let rows = try db.rows(
            "SELECT seq, body FROM webhook_events WHERE webhook = ?1 ORDER BY seq LIMIT ?2",
            .integer(number),
            .int(limit)
        )
        return try rows.map { WebhookEvent(sequence: $0.int64("seq"), body: $0.blob("body")) }
    }
}

/// The columns of a webhook.
private enum WebhookRows {
    static let columns = """
        w.number, w.app, w.url, w.events, w.failures, w.failing_since, w.due_at, w.reason, w.disabled_at,
        (SELECT count(*) FROM webhook_events e WHERE e.webhook = w.number) AS waiting,
        (SELECT created_at FROM webhook_events e WHERE e.webhook = w.number ORDER BY e.seq LIMIT 1) AS waiting_since
        """

    static func record(_ rows: borrowing Rows) -> WebhookRecord {
        WebhookRecord(
            number: rows.int64("number"),
            app: rows.text("app"),
            url: rows.text("url"),
            kinds: EventKinds(rawValue: rows.int64("events")),
            state: WebhookState(
                failures: rows.int("failures"),
                failingSince: rows.optionalTime("failing_since"),
                dueAt: rows.time("due_at"),
                reason: rows.text("reason"),
                disabledAt: rows.optionalTime("disabled_at")
            ),
            waiting: rows.int("waiting"),
            waitingSince: rows.optionalTime("waiting_since")
        )
    }
}
