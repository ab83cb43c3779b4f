import Campaigns

/// The removal of forgotten devices from existing lists: uploaded ones and those of running campaigns.
extension LedgerReader {
    /// The positions of some tokens in the next chunks of an app's lists; `next` is nil when all chunks were examined.
    public func entries(
        of tokens: Set<[UInt8]>,
        app: String,
        after entry: (list: UInt32, ordinal: Int64),
        limit: Int = 50
    ) throws(LedgerError) -> (found: [ListEntry], next: (list: UInt32, ordinal: Int64)?) {
        let rows = try db.rows(
            """
            SELECT k.list, k.ordinal, k.bare FROM chunks k JOIN lists l ON l.number = k.list
            WHERE l.app = ?1 AND l.state <> \(ListState.removed.sql)
                AND (k.list > ?2 OR (k.list = ?2 AND k.ordinal > ?3))
            ORDER BY k.list, k.ordinal LIMIT ?4
            """,
            .text(app),
            .int(entry.list),
            .integer(entry.ordinal),
            .int(limit)
        )
        var (found, last, seen): ([ListEntry], (list: UInt32, ordinal: Int64), Int) = ([], entry, 0)
        while try rows.next() {
            (last, seen) = ((rows.uint32("list"), rows.int64("ordinal")), seen + 1)
            // Most chunks contain none of the tokens and are not decoded.
            guard tokens.contains(where: { rows.contains("bare", $0) }) else { continue }
            let devices: DeviceBatch
            do { devices = try DeviceBatch(encoded: rows.blob("bare")) } catch {
                throw .failed("chunk \(last.ordinal) of list \(last.list): \(error)")
            }
            let positions = (0..<devices.count).filter {
                tokens.contains(Array(devices.tokens[devices.tokenRange(at: $0)]))
            }
            if !positions.isEmpty {
                found.append(ListEntry(list: last.list, ordinal: UInt32(last.ordinal), positions: positions))
            }
        }
        return (found, seen == limit ? last : nil)
    }
}

/// The positions of devices in a chunk of a list.
public struct ListEntry: Sendable, Equatable {
    /// The list.
    public var list: UInt32
    /// The chunk in it.
    public var ordinal: UInt32
    /// The positions in the chunk.
    public var positions: [Int]
}

extension LedgerTransaction {
    /// Leaves out these devices: shards that are cut from now on do not send to them, and they end `skipped`.
    public func leaveOut(_ entries: [ListEntry]) throws(LedgerError) {
        for entry in entries { try markOptedOut(entry.positions, list: entry.list, ordinal: entry.ordinal) }
    }
}
