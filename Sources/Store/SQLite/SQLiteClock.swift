import Campaigns
import Delivery
import GRDB
import Synchronization

/// Keeps the shared time of a ledger in a file: the anchor that all processes of the host compute it from.
final class SQLiteClock: Sendable {
    let clock = LedgerClock(.host)
    private let kept = Atomic(false)
    private let lookedAt = Atomic(Int64.min)
    /// How often it is looked whether the anchor still holds.
    private static let lookEvery = Duration.seconds(1)
    /// How often the time is written down, for the next boot.
    private static let noteEvery = Duration.seconds(5)

    private struct Row {
        var anchor: HostAnchor
        var last: Timestamp
    }

    /// Whether the ledger has an anchor; not before its tables are up to date.
    var isKept: Bool { kept.load(ordering: .relaxed) }

    func keep() { kept.store(true, ordering: .relaxed) }

    /// Whether a transaction that writes has to look whether the anchor holds.
    var isLookDue: Bool {
        let looked = MonotonicInstant(nanoseconds: lookedAt.load(ordering: .relaxed))
        return isKept && MonotonicClock.now() >= looked.advanced(by: Self.lookEvery)
    }

    /// Reads the anchor anew when it is time; within a transaction that reads.
    func refresh(_ db: Database) throws(LedgerError) {
        guard clock.isDue, let row = try read(db) else { return }
        let now = MonotonicClock.now()
        if row.anchor.boot == MonotonicClock.boot { clock.set(lead: row.anchor.lead(at: now)) }
    }

    /// Looks whether the anchor still holds, and sets another one if not; on the connection that writes.
    ///
    /// With `isNoting` it writes down every few seconds what time it is; otherwise it writes only what it must, so that
    /// who only reads needs not wait for the write lock.
    func look(_ db: Database, isNoting: Bool) throws {
        let row = try read(db)
        let now = MonotonicClock.now()
        lookedAt.store(now.nanoseconds, ordering: .relaxed)
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
        // Of several processes that see the same step the last one's anchor stays: they are alike.
        if next != row?.anchor || !isNoted { try write(next, last: shared, db) }
        clock.set(lead: next.lead(at: now))
    }

    /// The shared time of a ledger that nobody else has open, kept from now on; within a transaction that writes.
    static func now(of db: Database) throws(LedgerError) -> Timestamp {
        let time = SQLiteClock()
        do { try time.look(db, isNoting: true) } catch { throw LedgerError(error, path: "") }
        return time.clock.now()
    }

    private func read(_ db: Database) throws(LedgerError) -> Row? {
        let rows = try db.rows("SELECT boot, at, lead, goal, last FROM clock WHERE id = 1", [])
        guard try rows.next() else { return nil }
        let anchor = HostAnchor(
            boot: rows.text(0),
            at: MonotonicInstant(nanoseconds: rows.int64(1) * 1000),
            lead: rows.int64(2),
            goal: rows.int64(3)
        )
        return Row(anchor: anchor, last: rows.time(4))
    }

    private func write(_ anchor: HostAnchor, last: Timestamp, _ db: Database) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO clock (id, boot, at, lead, goal, last) VALUES (1, ?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (id) DO UPDATE SET boot = excluded.boot, at = excluded.at, lead = excluded.lead,
                goal = excluded.goal, last = excluded.last
            """,
            [
                .text(anchor.boot), .integer(anchor.at.microseconds), .integer(anchor.lead), .integer(anchor.goal),
                .time(last),
            ]
        )
    }

    /// Whether nothing is open but what begins and ends after an instant.
    private func isAtRest(_ db: Database, before instant: Timestamp) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            """
            SELECT 1 FROM campaigns c LEFT JOIN repeats r ON r.campaign = c.number
            WHERE c.completed_at IS NULL AND (c.stage <> 'scheduled' OR c.has_parts = 1 OR c.expires_at <= ?1
                OR coalesce(CASE c.repeats WHEN 0 THEN c.send_at ELSE r.next_at END, 0) <= ?1)
            LIMIT 1
            """,
            [.time(instant)]
        )
        return try !rows.next()
    }

    private func isUnattended(_ db: Database, now: Timestamp) throws(LedgerError) -> Bool {
        let silence = LedgerReader.workerSilenceMax
        let rows = try db.rows(
            "SELECT 1 FROM workers WHERE seen_at BETWEEN ?1 AND ?2 LIMIT 1",
            [.time(now.advanced(by: .zero - silence)), .time(now.advanced(by: silence))]
        )
        return try !rows.next()
    }
}
