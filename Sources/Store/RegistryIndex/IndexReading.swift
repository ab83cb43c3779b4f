public import Campaigns

/// The rows of the registry's index that an expression needs.
extension LedgerReader {
    /// The facts of the index; `changed` is counted for one app, and only up to a limit.
    public func indexStanding(last: Int64, changedMost: Int) throws(LedgerError) -> IndexPlan.Standing {
        let rows = try db.rows("SELECT version, built_to FROM device_index_state")
        guard try rows.next() else { throw .failed("the registry's index has no state") }
        let (version, builtTo) = (rows.int64("version"), rows.int64("built_to"))
        let changed = try db.number(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM device_index_marks WHERE number > ?1 AND number <= ?2 LIMIT ?3
            ) AS changed
            """,
            .integer(last & ~0xFFFF_FFFF),
            .integer(last),
            .int(changedMost)
        )
        return IndexPlan.Standing(version: version, builtTo: builtTo, changed: Int(changed ?? 0))
    }

    /// Returns true if the index is not complete, or a device has changed.
    public func indexHasWork() throws(LedgerError) -> Bool {
        let standing = try indexStanding(last: 0, changedMost: 0)
        guard standing.version == IndexTerm.version else { return false }
        if standing.builtTo < .max { return true }
        return try db.number("SELECT number FROM device_index_marks LIMIT 1") != nil
    }

    /// The number of live devices with a term among an app's device numbers up to `last`; reads a row for each 4,096
    /// of these at most.
    public func indexCount(of term: IndexTerm, last: Int64) throws(LedgerError) -> (devices: Int, rows: Int) {
        let rows = try db.rows(
            """
            SELECT coalesce(sum(count), 0) AS devices, count(*) AS read
            FROM device_index WHERE term = ?1 AND block >= ?2 AND block <= ?3
            """,
            .integer(term.key),
            .integer(IndexBlock.block(of: last & ~0xFFFF_FFFF)),
            .integer(IndexBlock.block(of: last))
        )
        return try rows.next() ? (rows.int("devices"), rows.int("read")) : (0, 0)
    }

    /// The number of the index's rows and of the bytes of their values; reads all of them, for measurements.
    public func indexSize() throws(LedgerError) -> (rows: Int, bytes: Int) {
        let rows = try db.rows(
            "SELECT count(*) AS rows, coalesce(sum(length(devices) + 24), 0) AS bytes FROM device_index"
        )
        return try rows.next() ? (rows.int("rows"), rows.int("bytes")) : (0, 0)
    }

    /// The rows of an expression's terms in a range of blocks.
    public func indexRows(
        of expression: IndexExpression,
        blocks: ClosedRange<Int64>
    ) throws(LedgerError) -> IndexRows {
        var found = IndexRows()
        for case .term(let term) in expression.leaves {
            let rows = try db.rows(
                "SELECT block, devices FROM device_index WHERE term = ?1 AND block >= ?2 AND block <= ?3",
                .integer(term.key),
                .integer(blocks.lowerBound),
                .integer(blocks.upperBound)
            )
            while try rows.next() {
                let block = rows.int64("block")
                guard let devices = IndexBlock(bytes: rows.blob("devices")) else {
                    throw .failed("the registry's index has a row of \(term.name) that this version cannot read")
                }
                found.add(devices, of: term, block: block)
            }
        }
        return found
    }
}

/// Rows of the registry's index.
public struct IndexRows: Sendable {
    private struct Place: Hashable {
        var term: Int64
        var block: Int64
    }

    private var devices: [Place: IndexBlock] = [:]

    /// The number of rows.
    public var count: Int { devices.count }

    mutating func add(_ found: IndexBlock, of term: IndexTerm, block: Int64) {
        devices[Place(term: term.key, block: block)] = found
    }

    /// Returns the devices of a block that an expression has; nil for none.
    ///
    /// `answer` has the devices of the block for which the question at an index holds.
    public func devices(
        of expression: IndexExpression,
        block: Int64,
        answer: (Int, Int64) -> IndexBlock?
    ) -> IndexBlock? {
        expression.devices { leaf in
            switch leaf {
            case .term(let term): devices[Place(term: term.key, block: block)]
            case .question(let index): answer(index, block)
            }
        }
    }
}
