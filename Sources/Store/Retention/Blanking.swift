import Campaigns
import Delivery

/// The removal of forgotten devices' data from lists.
extension LedgerTransaction {
    /// Blanks forgotten and opted-out devices of some chunks: tokens, variables and names.
    ///
    /// Returns the number of examined chunks, 0 if nothing is left to do. Skips lists that an open campaign uses: its
    /// shards name devices by their positions in a chunk and may still have to send to them. Positions, counts and
    /// totals stay unchanged.
    public func blankForgotten(chunksMax: Int = 20) throws(LedgerError) -> Int {
        let rows = try db.rows(
            """
            SELECT d.list, d.ordinal, d.opted_out, k.bare, k.with_variables, k.device_ids
            FROM chunk_dead d JOIN chunks k ON k.list = d.list AND k.ordinal = d.ordinal
            WHERE d.blanked <> d.opted_out
                AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.list = d.list AND c.completed_at IS NULL)
            LIMIT ?1
            """,
            .int(chunksMax)
        )
        let chunks = try rows.map { row throws(LedgerError) in try BlankChunk(row) }
        for chunk in chunks {
            try db.run(
                """
                UPDATE chunks SET bare = ?3, with_variables = ?4, device_ids = ?5 WHERE list = ?1 AND ordinal = ?2
                """,
                .int(chunk.list),
                .integer(chunk.ordinal),
                .blob(chunk.bare),
                .blob(chunk.full),
                .blob(chunk.names)
            )
            try db.run(
                "UPDATE chunk_dead SET blanked = ?3 WHERE list = ?1 AND ordinal = ?2",
                .int(chunk.list),
                .integer(chunk.ordinal),
                .blob(chunk.optedOut)
            )
        }
        return chunks.count
    }
}

/// A chunk without the data of some devices.
private struct BlankChunk {
    let list: UInt32
    let ordinal: Int64
    let optedOut: [UInt8]
    let bare: [UInt8]
    let full: [UInt8]?
    let names: [UInt8]?

    init(_ rows: borrowing Rows) throws(LedgerError) {
        (list, ordinal, optedOut) = (rows.uint32("list"), rows.int64("ordinal"), rows.blob("opted_out"))
        let gone = DeadBits(bytes: optedOut)
        do {
            bare = try DeviceBatch(encoded: rows.blob("bare")).blanked { gone[$0] }.encoded()
            full = try rows.optionalBlob("with_variables").map {
                try DeviceBatch(encoded: $0).blanked { gone[$0] }.encoded()
            }
        } catch {
            throw .failed("chunk \(ordinal) of list \(list): \(error)")
        }
        var ids = DeviceIDs(stored: rows.blob("device_ids"))
        ids.remove { gone[$0] }
        names = ids.isEmpty ? nil : ids.bytes
    }
}

extension DeviceBatch {
    /// Returns a batch with the same positions, in which some devices have zeros for tokens and no variables.
    fileprivate func blanked(_ isGone: (Int) -> Bool) -> DeviceBatch {
        var result = DeviceBatch()
        for position in 0..<count {
            let token = tokens[tokenRange(at: position)]
            result.append(
                token: isGone(position) ? Array(repeating: UInt8(ascii: "0"), count: token.count) : Array(token)
            )
        }
        for column in variables {
            result.set(column.name, column.values.enumerated().map { isGone($0.offset) ? nil : $0.element })
        }
        return result
    }
}
