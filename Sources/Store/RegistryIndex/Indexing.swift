public import Campaigns
import Delivery

/// The upkeep of the registry's index: triggers mark the devices that change, and these pieces apply the marks.
///
/// Only bodies that run alone change it (`Ledger.WriteScope.ledger`).
extension LedgerTransaction {
    /// Applies the next marks, or else builds the index for the next devices; returns false if there is nothing to do.
    ///
    /// A crash undoes a piece as a whole: the cursor moves with what it stands for. An index that another version began
    /// is left alone.
    public func maintainIndex(_ piece: inout Piece) throws(LedgerError) -> Bool {
        let standing = try reader.indexStanding(last: 0, changedMost: 0)
        guard standing.version == IndexTerm.version else { return false }
        var (builtTo, didAnything) = (standing.builtTo, false)
        while piece.allowance > 0 {
            let limit = piece.allowance
            var count = try applyMarks(upTo: builtTo, limit: limit)
            if count < limit, builtTo < .max {
                let built = try buildIndex(after: builtTo, limit: limit - count)
                (builtTo, count) = (built.to, count + built.devices)
            }
            guard count > 0 else { break }
            didAnything = true
            piece.did(count)
        }
        return didAnything
    }

    /// Returns true if a worker is the one that keeps the index; takes or renews its lease, which is like a planner's.
    ///
    /// Two keepers would do no harm: they would do each other's work.
    public func keepsIndex(_ worker: Int64, now: Timestamp) throws(LedgerError) -> Bool {
        let rows = try db.rows("SELECT keeper, keeper_until FROM device_index_state")
        guard try rows.next() else { return false }
        let lease = PlannerLease(owner: rows.int64("keeper"), epoch: 0, until: rows.time("keeper_until"))
        guard let taken = lease.taken(by: worker, isPaced: false, now: now) else { return false }
        if (taken.owner, taken.until) != (lease.owner, lease.until) {
            try db.run(
                "UPDATE device_index_state SET keeper = ?1, keeper_until = ?2",
                .integer(worker),
                .time(taken.until)
            )
        }
        return true
    }

    /// Applies the mark of one device at once, so that nothing of its traits is kept.
    func unindex(_ number: Int64) throws(LedgerError) {
        let standing = try reader.indexStanding(last: 0, changedMost: 0)
        guard standing.version == IndexTerm.version else { return }
        var changes = IndexChanges()
        if number <= standing.builtTo {
            let rows = try db.rows(
                "SELECT indexed FROM device_index_marks WHERE number = ?1 AND indexed IS NOT NULL",
                .integer(number)
            )
            while try rows.next() { changes.remove(number, Self.keys(rows, "indexed")) }
        }
        try apply(changes)
        try db.run("DELETE FROM device_index_marks WHERE number = ?1", .integer(number))
    }

    /// Applies the first marks of devices that the index has; returns their number.
    private func applyMarks(upTo end: Int64, limit: Int) throws(LedgerError) -> Int {
        let rows = try db.rows(
            """
            SELECT m.number, m.indexed, d.traits FROM device_index_marks m
            LEFT JOIN devices d ON d.number = m.number AND d.state = \(RegisteredDevice.State.live.sql)
            WHERE m.number <= ?1 ORDER BY m.number LIMIT ?2
            """,
            .integer(end),
            .int(limit)
        )
        var changes = IndexChanges()
        var numbers: [Int64] = []
        while try rows.next() {
            let number = rows.int64("number")
            let (old, new) = (Self.keys(rows, "indexed"), Self.keys(rows, "traits"))
            changes.remove(number, old.subtracting(new))
            changes.insert(number, new.subtracting(old))
            numbers.append(number)
        }
        guard let first = numbers.first, let last = numbers.last else { return 0 }
        try apply(changes)
        try db.run(
            "DELETE FROM device_index_marks WHERE number >= ?1 AND number <= ?2",
            .integer(first),
            .integer(last)
        )
        return numbers.count
    }

    /// Builds the index for the next devices, whose marks then say nothing new; returns the last and their number.
    private func buildIndex(after: Int64, limit: Int) throws(LedgerError) -> (to: Int64, devices: Int) {
        let rows = try db.rows(
            "SELECT number, state, traits FROM devices WHERE number > ?1 ORDER BY number LIMIT ?2",
            .integer(after),
            .int(limit)
        )
        var changes = IndexChanges()
        var (last, count) = (after, 0)
        while try rows.next() {
            (last, count) = (rows.int64("number"), count + 1)
            guard rows.int64("state") == Int64(RegisteredDevice.State.live.rawValue) else { continue }
            changes.insert(last, Self.keys(rows, "traits"))
        }
        try apply(changes)
        let end = count < limit ? Int64.max : last
        try db.run(
            "DELETE FROM device_index_marks WHERE number > ?1 AND number <= ?2",
            .integer(after),
            .integer(end)
        )
        try db.run("UPDATE device_index_state SET built_to = ?1", .integer(end))
        return (end, count)
    }

    /// The keys of the terms of traits; none for NULL.
    private static func keys(_ rows: borrowing Rows, _ column: StaticString) -> Set<Int64> {
        guard let bytes = rows.optionalBlob(column) else { return [] }
        return bytes.withUnsafeBytes { PackedTraits($0)?.indexKeys ?? [] }
    }

    /// Writes changes into the rows of the index.
    private func apply(_ changes: IndexChanges) throws(LedgerError) {
        let places = changes.places
        for range in RowBatches.ranges(places.count) {
            let batch = places[range]
            var devices = try indexed(batch)
            for place in batch { changes.apply(to: &devices[place, default: IndexBlock()], at: place) }
            let written = batch.filter { devices[$0]?.isEmpty == false }
            try db.insert(
                into: "device_index (term, block, count, devices)",
                written.map { place in
                    let devices = devices[place] ?? IndexBlock()
                    return [.integer(place.term), .integer(place.block), .int(devices.count), .blob(devices.bytes)]
                },
                orElse: "ON CONFLICT (term, block) DO UPDATE SET count = excluded.count, devices = excluded.devices"
            )
            for place in batch where devices[place]?.isEmpty != false {
                try db.run(
                    "DELETE FROM device_index WHERE term = ?1 AND block = ?2",
                    .integer(place.term),
                    .integer(place.block)
                )
            }
        }
    }

    /// The rows that the index has at some places.
    private func indexed(
        _ places: ArraySlice<IndexChanges.Place>
    ) throws(LedgerError) -> [IndexChanges.Place: IndexBlock] {
        let rows = try db.rows(
            """
            WITH wanted (term, block) AS (VALUES \(Placeholders.rows(places.count, columns: 2)))
            SELECT i.term, i.block, i.devices
            FROM wanted w JOIN device_index i ON i.term = w.term AND i.block = w.block
            """,
            values: places.flatMap { [.integer($0.term), .integer($0.block)] }
        )
        var found: [IndexChanges.Place: IndexBlock] = [:]
        while try rows.next() {
            let place = IndexChanges.Place(term: rows.int64("term"), block: rows.int64("block"))
            guard let devices = IndexBlock(bytes: rows.blob("devices")) else {
                throw .failed("the registry's index has a row that this version cannot read")
            }
            found[place] = devices
        }
        return found
    }
}

/// Changes of the index that are written together, a row once.
struct IndexChanges {
    /// The key of a row.
    struct Place: Hashable {
        var term: Int64
        var block: Int64
    }

    private struct Change {
        var added = IndexBlock()
        var removed = IndexBlock()
    }

    private var changes: [Place: Change] = [:]

    /// The rows that change, in their order in the table.
    var places: [Place] { changes.keys.sorted { ($0.term, $0.block) < ($1.term, $1.block) } }

    mutating func insert(_ number: Int64, _ terms: Set<Int64>) {
        let (block, offset) = (IndexBlock.block(of: number), IndexBlock.place(of: number))
        for term in terms { changes[Place(term: term, block: block), default: Change()].added.insert(offset) }
    }

    mutating func remove(_ number: Int64, _ terms: Set<Int64>) {
        let (block, offset) = (IndexBlock.block(of: number), IndexBlock.place(of: number))
        for term in terms { changes[Place(term: term, block: block), default: Change()].removed.insert(offset) }
    }

    func apply(to devices: inout IndexBlock, at place: Place) {
        guard let change = changes[place] else { return }
        devices.subtract(change.removed)
        devices.formUnion(change.added)
    }
}
