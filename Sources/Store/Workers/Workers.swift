public import Campaigns
public import Delivery

extension LedgerTransaction {
    /// Registers a worker process and returns its id, which is never 0 and never reused.
    public func registerWorker(
        name: String,
        roles: [String],
        accounts: AppAccounts,
        skew: Int64 = 0,
        now: Timestamp
    ) throws(LedgerError) -> Int64 {
        let inserted = try db.writtenNumber(
            "INSERT INTO workers (name, roles, started_at, seen_at, skew) VALUES (?1, ?2, ?3, ?3, ?4) RETURNING id",
            .text(name),
            .text(roles.joined(separator: ",")),
            .int(now.milliseconds),
            .int(skew)
        )
        guard let id = inserted else { throw .failed("a worker without an id") }
        try write(accounts, worker: id)
        // Nobody needs a worker's row a day after its last report.
        let old = now.milliseconds - 86_400_000
        try db.run("DELETE FROM worker_apps WHERE worker IN (SELECT id FROM workers WHERE seen_at < ?1)", .int(old))
        try db.run("DELETE FROM workers WHERE seen_at < ?1", .int(old))
        return id
    }

    /// Reports that a worker lives, which accounts it has and how it is; call it every few seconds, and when the
    /// accounts change.
    ///
    /// `skew` is the lead of its host's wall clock over the shared time, in milliseconds.
    public func reportWorker(
        _ id: Int64,
        accounts: AppAccounts,
        skew: Int64 = 0,
        health: WorkerHealth? = nil,
        now: Timestamp
    ) throws(LedgerError) {
        try db.run(
            "UPDATE workers SET seen_at = ?2, skew = ?3, health = ?4 WHERE id = ?1",
            .int(id),
            .int(now.milliseconds),
            .int(skew),
            .text(health?.json.text)
        )
        let rows = try db.rows("SELECT app, providers FROM worker_apps WHERE worker = ?1", .int(id))
        var known = AppAccounts()
        while try rows.next() { known.add(rows) }
        if known != accounts { try write(accounts, worker: id) }
    }

    /// Removes a worker that shuts down cleanly.
    public func removeWorker(_ id: Int64) throws(LedgerError) {
        try db.run("DELETE FROM workers WHERE id = ?1", .int(id))
        try db.run("DELETE FROM worker_apps WHERE worker = ?1", .int(id))
    }

    private func write(_ accounts: AppAccounts, worker: Int64) throws(LedgerError) {
        try db.run("DELETE FROM worker_apps WHERE worker = ?1", .int(worker))
        for (app, providers) in accounts.providers {
            // The columns are named, so that a later version's column does not matter.
            try db.run(
                "INSERT INTO worker_apps (worker, app, providers) VALUES (?1, ?2, ?3)",
                .int(worker),
                .text(app),
                .text(providers.map(\.rawValue).sorted().joined(separator: ","))
            )
        }
    }
}

extension LedgerReader {
    /// The owner of a running row, as far as the worker's own row tells.
    public func owner(of record: ShardRecord, now: Timestamp) throws(LedgerError) -> Claim.Owner {
        guard record.state == .running, record.owner != 0 else { return .nobody }
        guard let seenAt = try db.number("SELECT seen_at FROM workers WHERE id = ?1", .int(record.owner)) else {
            return .left
        }
        // No worker can report so far ahead: the report counts as passed, which is no evidence of a death.
        if seenAt > FutureLimit.done.limit(now).milliseconds { return .left }
        return seenAt >= now.advanced(by: .zero - WorkerRecord.silenceMax).milliseconds ? .alive : .dead
    }

    /// The workers that reported within the last ten seconds, without their health.
    public func liveWorkers(now: Timestamp) throws(LedgerError) -> [WorkerRecord] {
        try workers(heardWithin: WorkerRecord.silenceMax, health: "NULL", now: now)
    }

    /// The workers that reported within the last hour and did not say goodbye, with their health.
    public func knownWorkers(now: Timestamp) throws(LedgerError) -> [WorkerRecord] {
        try workers(heardWithin: WorkerRecord.keptFor, health: "w.health", now: now)
    }

    /// `health` is the SQL of the reports, which those who ask often do without.
    private func workers(
        heardWithin span: Duration,
        health: String,
        now: Timestamp
    ) throws(LedgerError) -> [WorkerRecord] {
        let rows = try db.rows(
            """
            SELECT w.id, w.name, w.roles, w.started_at, w.seen_at, a.app, a.providers, w.skew, \(health) AS health
            FROM workers w LEFT JOIN worker_apps a ON a.worker = w.id
            WHERE w.seen_at BETWEEN ?1 AND ?2 ORDER BY w.id, a.app
            """,
            .time(now.advanced(by: .zero - span)),
            .time(FutureLimit.done.limit(now))
        )
        var workers: [WorkerRecord] = []
        while try rows.next() {
            let id = rows.int64("id")
            if workers.last?.id != id {
                let health = rows.optionalText("health").flatMap { JSONReader.read(Array($0.utf8)).value }
                workers.append(
                    WorkerRecord(
                        id: id,
                        name: rows.text("name"),
                        roles: rows.words("roles"),
                        accounts: AppAccounts(),
                        startedAt: rows.time("started_at"),
                        seenAt: rows.time("seen_at"),
                        skew: rows.optionalInt64("skew"),
                        health: health.map { WorkerHealth($0) }
                    )
                )
            }
            if !rows.isNull("app") { workers[workers.count - 1].accounts.add(rows) }
        }
        return workers
    }

    /// The apps that a live worker can send for; intake accepts jobs by this set.
    public func liveApps(now: Timestamp) throws(LedgerError) -> Set<String> {
        Set(try liveAccounts(now: now).providers.keys)
    }

    /// The apps that a live worker can send for, with the providers that any of them has credentials for.
    ///
    /// `worker` is one that asks, and so lives whatever its row says: after a freeze it decides about jobs before it
    /// has reported again.
    public func liveAccounts(now: Timestamp, asking worker: Int64 = 0) throws(LedgerError) -> AppAccounts {
        let since = now.advanced(by: .zero - WorkerRecord.silenceMax).milliseconds
        let rows = try db.rows(
            """
            SELECT DISTINCT a.app, a.providers FROM workers w JOIN worker_apps a ON a.worker = w.id
            WHERE w.seen_at BETWEEN ?1 AND ?2 OR w.id = ?3
            """,
            .int(since),
            .time(FutureLimit.done.limit(now)),
            .integer(worker)
        )
        var accounts = AppAccounts()
        while try rows.next() { accounts.add(rows) }
        return accounts
    }

    /// The apps that a live worker can send for, and those that ever had a campaign.
    public func knownApps(now: Timestamp) throws(LedgerError) -> Set<String> {
        var apps = try liveApps(now: now)
        let rows = try db.rows("SELECT DISTINCT app FROM campaigns")
        while try rows.next() { apps.insert(rows.text("app")) }
        return apps
    }
}

extension AppAccounts {
    /// Adds a row's account; a worker older than FCM support names no providers and has APNs.
    fileprivate mutating func add(_ rows: borrowing Rows) {
        let isOld = rows.isNull("providers")
        let names = isOld ? [ProviderName.apns] : rows.words("providers").map { ProviderName(rawValue: $0) }
        providers[rows.text("app"), default: []].formUnion(names)
    }
}
