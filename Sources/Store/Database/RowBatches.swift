/// Many rows in few statements: each statement is a round trip on PostgreSQL, which is the main cost of a row.
enum RowBatches {
    /// Cuts `count` rows into batches, each of one of the sizes.
    ///
    /// The sizes are given largest first and end with 1; they are few, so that all statements stay prepared.
    static func ranges(_ count: Int, sizes: [Int] = [100, 10, 1]) -> [Range<Int>] {
        var (ranges, start): ([Range<Int>], Int) = ([], 0)
        for size in sizes {
            while count - start >= size {
                ranges.append(start..<start + size)
                start += size
            }
        }
        return ranges
    }
}

extension LedgerConnection {
    /// Inserts rows with a value for each column that `table` names: `parts (campaign, part)`.
    ///
    /// `orElse` follows the rows in the statement, for example with the handling of conflicts.
    func insert(into table: String, _ rows: [[SQLValue]], orElse: String = "") throws(LedgerError) {
        guard let width = rows.first?.count else { return }
        var texts: [Int: String] = [:]
        for range in RowBatches.ranges(rows.count) {
            let text = texts[range.count] ?? Self.insertion(into: table, range.count, width, orElse)
            texts[range.count] = text
            try run(text, values: rows[range].flatMap(\.self))
        }
    }

    private static func insertion(into table: String, _ count: Int, _ width: Int, _ orElse: String) -> String {
        "INSERT INTO \(table) VALUES \(Placeholders.rows(count, columns: width)) \(orElse)"
    }
}
