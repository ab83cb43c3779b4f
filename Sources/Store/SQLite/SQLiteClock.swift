import Campaigns
import Delivery
import GRDB
import Synchronization

/// The shared time of a ledger in a file; all processes of the host compute it from the anchor that this keeps.
final class SQLiteClock: Sendable {
    let clock = LedgerClock(.host)
    private let kept = Atomic(false)
    private let checkedAt = Atomic(Int64.min)
    /// The interval of checks of the anchor.
    private static let checkInterval = Duration.seconds(1)
    /// The interval at which the time is stored for the next boot.
    private static let noteEvery = Duration.seconds(5)

    private struct Row {
        var anchor: HostAnchor
        var last: Timestamp
    }

    /// True if the ledger has an anchor; false until its tables are up to date.
    var isKept: Bool { kept.load(ordering: .relaxed) }

    func keep() { kept.store(true, ordering: .relaxed) }

    /// True if a writing transaction has to check the anchor.
    var isCheckDue: Bool {
        let checked = MonotonicInstant(nanoseconds: checkedAt.load(ordering: .relaxed))
        return isKept && MonotonicClock.now() >= checked.advanced(by: Self.checkInterval)
    }

    /// Rereads the anchor if that is due, or at once; call it within a transaction.
    func refresh(_ db: Database, atOnce: Bool = false) throws(LedgerError) {
        guard isKept, atOnce || clock.isDue, let row = try read(db) else { return }
        let now = MonotonicClock.now()
        if row.anchor.boot == MonotonicClock.boot { clock.set(lead: row.anchor.lead(at: now)) }
    }

    /// Checks the anchor and replaces it if it no longer holds; call it on the writing connection.
    ///
    /// With `isNoting` it also stores the time every few seconds. Otherwise it writes only what is necessary, so that a
    /// process that only reads need not wait for the write lock.
    func check(_ db: Database, isNoting: Bool) throws {
        let row = try read(db)
        let now = MonotonicClock.now()
        checkedAt.store(now.nanoseconds, ordering: .relaxed)
        var facts = HostAnchor.Facts(
            boot: MonotonicClock.boot,
            monotonic: now,
            wall: WallClock.now(),
            last: row?.last
        )
        let step = HostAnchor.step(row?.anchor, facts)
        if HostAnchor.isStep(step), let anchor = row?.anchor {
            let shared = now.shared(lead: anchor.lead(at: now))
            let later = max(shared, Timestamp(milliseconds: facts.wall.milliseconds))
            facts.isAtRest = try isAtRest(db, before: later)
            facts.isUnattended = try isUnattended(db, now: shared)
        }
        let next = HostAnchor.judged(row?.anchor, facts)
        let shared = now.shared(lead: next.lead(at: now))
        let isNoted = row.map { $0.last <= shared && shared.since($0.last) < Self.noteEvery } ?? false || !isNoting
        // If several processes see the same step, the last one's anchor stays; their anchors are alike.
        if next != row?.anchor || !isNoted { try write(next, last: shared, db) }
        if let anchor = row?.anchor, anchor.boot == facts.boot {
            try moveWorkers(from: now.shared(lead: anchor.lead(at: now)), to: shared, db)
        }
        clock.set(lead: next.lead(at: now))
    }

    /// The shared time of a ledger that nobody else has open, stored from now on; call it within a writing transaction.
    static func now(of db: Database) throws(LedgerError) -> Timestamp {
        let time = SQLiteClock()
        do { try time.check(db, isNoting: true) } catch { throw LedgerError(error, path: "") }
        return time.clock.now()
    }

    private func read(_ db: Database) throws(LedgerError) -> Row? {
        let rows = try db.rows("SELECT boot, at, lead, goal, last FROM clock WHERE id = 1")
        guard try rows.next() else { return nil }
        let anchor = HostAnchor(
            boot: rows.text("boot"),
            at: MonotonicInstant(nanoseconds: rows.int64("at") * 1000),
            lead: rows.int64("lead"),
            goal: rows.int64("goal")
        )
        return Row(anchor: anchor, last: rows.time("last"))
    }

    private func write(_ anchor: HostAnchor, last: Timestamp, _ db: Database) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO clock (id, boot, at, lead, goal, last) VALUES (1, ?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (id) DO UPDATE SET boot = excluded.boot, at = excluded.at, lead = excluded.lead,
                goal = excluded.goal, last = excluded.last
            """,
            .text(anchor.boot),
            .integer(anchor.at.microseconds),
            .integer(anchor.lead),
            .integer(anchor.goal),
            .time(last)
        )
    }

    /// Takes the workers that live along when the time is set at once.
    ///
    /// They would count as dead until their next report, and a job that comes meanwhile would be refused, because no
    /// worker has credentials for its app.
    private func moveWorkers(from before: Timestamp, to shared: Timestamp, _ db: Database) throws(LedgerError) {
        guard shared != before else { return }
        try db.run(
            "UPDATE workers SET seen_at = seen_at + ?1 WHERE seen_at BETWEEN ?2 AND ?3",
            .integer(shared.milliseconds - before.milliseconds),
            .time(before.advanced(by: .zero - WorkerRecord.silenceMax)),
            .time(before)
        )
    }

    /// Returns true if the only open campaigns are those that begin and end after an instant.
    private func isAtRest(_ db: Database, before instant: Timestamp) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT 1 FROM campaigns c LEFT JOIN repeats r ON r.campaign = c.number
            WHERE c.completed_at IS NULL AND (c.stage <> \(CampaignStage.scheduled.sql) OR c.has_parts = 1
                OR c.expires_at <= ?1 OR coalesce(CASE c.repeats WHEN 0 THEN c.send_at ELSE r.next_at END, 0) <= ?1)
            LIMIT 1
            """,
            .time(instant)
        )
        return try !rows.next()
    }

    private func isUnattended(_ db: Database, now: Timestamp) throws(LedgerError) -> Bool {
        let silence = WorkerRecord.silenceMax
        let rows = try db.rows(
            "SELECT 1 FROM workers WHERE seen_at BETWEEN ?1 AND ?2 LIMIT 1",
            .time(now.advanced(by: .zero - silence)),
            .time(now.advanced(by: silence))
        )
        return try !rows.next()
    }
}
