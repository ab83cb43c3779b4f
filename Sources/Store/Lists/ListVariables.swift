import Campaigns

/// The names of a list's variables and the length of each one's longest value, kept beside the devices.
extension LedgerTransaction {
    /// Records a chunk's variables.
    func note(_ columns: [DeviceBatch.VariableColumn], of list: UInt32) throws(LedgerError) {
        for column in columns {
            guard let longest = column.longest else { continue }
            try db.run(
                """
                INSERT INTO list_variables (list, name, bytes_max) VALUES (?1, ?2, ?3)
                ON CONFLICT (list, name) DO UPDATE SET bytes_max = excluded.bytes_max
                WHERE list_variables.bytes_max < excluded.bytes_max
                """,
                .int(list),
                .text(column.name),
                .int(longest)
            )
        }
    }
}

extension LedgerReader {
    /// The variables of a list, by name, with the longest value's bytes; empty for lists older than this record.
    public func variables(ofList number: UInt32) throws(LedgerError) -> [String: Int] {
        let rows = try db.rows("SELECT name, bytes_max FROM list_variables WHERE list = ?1", .int(number))
        var variables: [String: Int] = [:]
        while try rows.next() { variables[rows.text("name")] = rows.int("bytes_max") }
        return variables
    }
}
