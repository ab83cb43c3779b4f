public import Campaigns

/// A page of the registry's devices that the index names.
public struct IndexedPage: Sendable {
    /// The devices, and the number after which the next page begins.
    public var page: RegistryPage
    /// The rows of the index that were read, and the marks of changed devices.
    public var indexRows: Int
    /// The devices that the index named.
    public var named: Int
}

extension LedgerReader {
    /// The live devices with the next numbers after `after` and up to `end` that an expression has, and those that have
    /// changed since they were indexed; nil if the index no longer answers.
    ///
    /// Everything is read in this transaction: what the index does not say yet, the marks say. Each device must be
    /// judged by the whole segment.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - after: The number after which the page begins.
    ///   - end: The last number of the walk.
    ///   - limit: The most devices; some 4,096.
    ///   - answer: The devices of a block for which the question at an index holds.
    public func registryPage(
        by plan: IndexPlan,
        after: Int64,
        end: Int64,
        limit: Int,
        answer: (Int, Int64) -> IndexBlock?
    ) throws(LedgerError) -> IndexedPage? {
        guard try indexStanding(last: end, changedMost: 0).answers(upTo: end) else { return nil }
        let first = IndexBlock.block(of: after + 1)
        let last = min(IndexBlock.block(of: end), first + Int64(plan.blocks(forDevices: limit)) - 1)
        let until = min(end, IndexBlock.number(block: last, place: IndexBlock.places - 1))
        let rows = try indexRows(of: plan.expression, blocks: first...last)
        let changed = try changedDevices(after: after, until: until, limit: limit)
        var marks = changed[...]
        var numbers: [Int64] = []
        for block in first...last where numbers.count <= limit {
            var devices = rows.devices(of: plan.expression, block: block, answer: answer)
            while let mark = marks.first, IndexBlock.block(of: mark) == block {
                if devices == nil { devices = IndexBlock() }
                devices?.insert(IndexBlock.place(of: mark))
                _ = marks.popFirst()
            }
            devices?.forEach { place in
                let number = IndexBlock.number(block: block, place: place)
                if number > after, number <= end { numbers.append(number) }
            }
        }
        let isFull = numbers.count >= limit
        if isFull { numbers.removeSubrange(limit...) }
        let reached = isFull ? numbers.last ?? until : until
        var page = RegistryPage(next: reached < end ? reached : nil, room: numbers.count)
        try append(numbers, to: &page)
        return IndexedPage(page: page, indexRows: rows.count + changed.count, named: numbers.count)
    }

    /// The next devices that changed since they were indexed.
    private func changedDevices(after: Int64, until: Int64, limit: Int) throws(LedgerError) -> [Int64] {
        let rows = try db.rows(
            "SELECT number FROM device_index_marks WHERE number > ?1 AND number <= ?2 ORDER BY number LIMIT ?3",
            .integer(after),
            .integer(until),
            .int(limit)
        )
        return try rows.map { row in row.int64("number") }
    }

    /// Appends the live devices with these numbers, which are in rising order.
    private func append(_ numbers: [Int64], to page: inout RegistryPage) throws(LedgerError) {
        for range in Placeholders.ranges(numbers.count) {
            let rows = try db.rows(
                """
                SELECT number, suspect, installation, token, traits, user_key FROM devices
                WHERE number IN (\(Placeholders.list(range.count))) AND state = \(RegisteredDevice.State.live.sql)
                ORDER BY number
                """,
                values: numbers[range].map { .integer($0) }
            )
            let columns = RegistryPage.Columns(of: rows)
            while try rows.next() { page.append(rows, columns) }
        }
    }
}
