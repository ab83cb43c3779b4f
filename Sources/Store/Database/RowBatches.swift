/// Many rows in few statements: of PostgreSQL each is a round trip, and that is what a row costs.
enum RowBatches {
    /// Rows of a statement, the most first: three texts only, so that all stay prepared.
    private static let sizes = [100, 10, 1]

    /// So many rows, cut into batches that have one of the sizes each.
    static func ranges(_ count: Int) -> [Range<Int>] {
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
    /// Inserts rows, each with a value for each column of `table`, which names them: `parts (campaign, part)`.
    ///
    /// `orElse` stands behind the rows, for example what becomes of one that is there.
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
        let rows = (0..<count).map { row in
            "(" + (1...width).map { "?\(row * width + $0)" }.joined(separator: ", ") + ")"
        }
        return "INSERT INTO \(table) VALUES \(rows.joined(separator: ", ")) \(orElse)"
    }
}
