public import Campaigns

/// A worker process as the ledger knows it.
public struct WorkerRecord: Sendable, Equatable {
    /// Its id; never used again.
    public var id: Int64
    /// Host and process, for people.
    public var name: String
    /// What it does.
    public var roles: [String]
    /// The apps that it has credentials of.
    public var apps: [String]
    /// When it started.
    public var startedAt: Timestamp
    /// When it last reported.
    public var seenAt: Timestamp
}

extension LedgerTransaction {
    /// Enters a worker process and returns its id, which is never 0 and never used again.
    public func registerWorker(
        name: String,
        roles: [String],
        apps: [String],
        now: Timestamp
    ) throws(LedgerError) -> Int64 {
        let inserted = try db.number(
            "INSERT INTO workers (name, roles, started_at, seen_at) VALUES (?1, ?2, ?3, ?3) RETURNING id",
            .text(name),
            .text(roles.joined(separator: ",")),
            .int(now.milliseconds)
        )
        guard let id = inserted else { throw .failed("a worker without an id") }
        try writeApps(apps, worker: id)
        // A day after its last word nobody asks for it any more.
        let old = now.milliseconds - 86_400_000
        try db.run("DELETE FROM worker_apps WHERE worker IN (SELECT id FROM workers WHERE seen_at < ?1)", .int(old))
        try db.run("DELETE FROM workers WHERE seen_at < ?1", .int(old))
        return id
    }

    /// Says that a worker lives and which apps it knows; every few seconds, and when its apps change.
    public func reportWorker(_ id: Int64, apps: [String], now: Timestamp) throws(LedgerError) {
        try db.run("UPDATE workers SET seen_at = ?2 WHERE id = ?1", .int(id), .int(now.milliseconds))
        let rows = try db.rows("SELECT app FROM worker_apps WHERE worker = ?1", .int(id))
        var known: Set<String> = []
        while try rows.next() { known.insert(rows.text(0)) }
        if known != Set(apps) { try writeApps(apps, worker: id) }
    }

    /// Removes a worker that stops in good order.
    public func removeWorker(_ id: Int64) throws(LedgerError) {
        try db.run("DELETE FROM workers WHERE id = ?1", .int(id))
        try db.run("DELETE FROM worker_apps WHERE worker = ?1", .int(id))
    }

    private func writeApps(_ apps: [String], worker: Int64) throws(LedgerError) {
        try db.run("DELETE FROM worker_apps WHERE worker = ?1", .int(worker))
        for app in Set(apps) {
            // By name: a later version's column does not stop this one.
            try db.run("INSERT INTO worker_apps (worker, app) VALUES (?1, ?2)", .int(worker), .text(app))
        }
    }
}

extension LedgerReader {
    /// A worker that has not reported for this long does not count as live.
    public static let workerSilenceMax = Duration.seconds(10)

    /// The workers that reported within the last ten seconds.
    public func liveWorkers(now: Timestamp) throws(LedgerError) -> [WorkerRecord] {
        let since = now.advanced(by: .zero - Self.workerSilenceMax).milliseconds
        let rows = try db.rows(
            """
            SELECT w.id, w.name, w.roles, w.started_at, w.seen_at, a.app
            FROM workers w LEFT JOIN worker_apps a ON a.worker = w.id
            WHERE w.seen_at >= ?1 ORDER BY w.id, a.app
            """,
            .int(since)
        )
        var workers: [WorkerRecord] = []
        while try rows.next() {
            let id = rows.int64(0)
            if workers.last?.id != id {
                workers.append(
                    WorkerRecord(
                        id: id,
                        name: rows.text(1),
                        roles: rows.words(2),
                        apps: [],
                        startedAt: rows.time(3),
                        seenAt: rows.time(4)
                    )
                )
            }
            if let app = rows.optionalText(5) { workers[workers.count - 1].apps.append(app) }
        }
        return workers
    }

    /// The apps that a live worker can send for: intake accepts by this list.
    public func liveApps(now: Timestamp) throws(LedgerError) -> Set<String> {
        let since = now.advanced(by: .zero - Self.workerSilenceMax).milliseconds
        let rows = try db.rows(
            """
            SELECT DISTINCT a.app FROM workers w JOIN worker_apps a ON a.worker = w.id WHERE w.seen_at >= ?1
            """,
            .int(since)
        )
        var apps: Set<String> = []
        while try rows.next() { apps.insert(rows.text(0)) }
        return apps
    }

    /// The apps that a live worker can send for, and those that ever had a campaign.
    public func knownApps(now: Timestamp) throws(LedgerError) -> Set<String> {
        var apps = try liveApps(now: now)
        let rows = try db.rows("SELECT DISTINCT app FROM campaigns")
        while try rows.next() { apps.insert(rows.text(0)) }
        return apps
    }
}
