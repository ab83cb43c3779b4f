public import Campaigns
import GRDB

/// Finds the duplicate devices of an upload, exactly and in bounded memory.
///
/// A device is a hash of 16 bytes. The latest hashes are in memory (`RecentHashes`); older ones are in sorted runs of a
/// private temporary database, which goes to SQLite's folder for temporary files and disappears with the filter. An
/// index in memory (`RunIndex`) says in which runs a hash may be, so that a new device is hardly ever looked for in
/// them: an ordered table of all hashes would be read and written all over for each batch. Confined to one task; its
/// calls block.
public final class TokenFilter {
    /// The cache size of the database in KiB: pages on their way to the file, and what is looked for.
    private static let cacheKiB = 4_096
    /// The hashes of a row of a run: about half a page, so that a row is one page.
    private static let rowMax = 128

    /// The location that errors name in place of a path.
    private static let location = "in the folder for temporary files"

    private let queue: DatabaseQueue
    private var prefixes: [ProviderName: UInt128] = [:]
    private var recent = RecentHashes()
    private var index = RunIndex()

    /// A filter that has seen no device.
    public init() throws(LedgerError) {
        do {
            var configuration = Configuration()
            configuration.label = "token filter"
            // An empty path means a database private to this connection (sqlite.org/inmemorydb.html).
            queue = try DatabaseQueue(path: "", configuration: configuration)
            try queue.writeWithoutTransaction { db in
                // The database never outlives the process, so it needs no journal.
                try db.execute(sql: "PRAGMA journal_mode = OFF")
                try db.execute(sql: "PRAGMA synchronous = OFF")
                try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheKiB)")
                try db.execute(
                    sql: """
                        CREATE TABLE runs (run INTEGER, first INTEGER, hashes BLOB, PRIMARY KEY (run, first))
                        WITHOUT ROWID
                        """
                )
            }
        } catch { throw LedgerError(error, path: Self.location) }
    }

    /// Returns for each device (provider and token as raw bytes) whether it is new, in the devices' order.
    ///
    /// The first of several equal devices counts as new. Pass a few thousand per call.
    public func areNew(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var isNew = [Bool](repeating: false, count: devices.count)
        do {
            try queue.inTransaction { db in
                for (position, device) in devices.enumerated() {
                    let hash = TokenHash.value(prefix: prefix(device.provider), token: device.token)
                    guard try !isKnown(hash, in: db) else { continue }
                    isNew[position] = true
                    recent.insert(hash)
                    if recent.isFull { try writeRun(to: db) }
                }
                return .commit
            }
        } catch { throw LedgerError(error, path: Self.location) }
        return isNew
    }

    /// Returns for each device whether it was entered before; enters none.
    public func wereSeen(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var wereSeen: [Bool] = []
        wereSeen.reserveCapacity(devices.count)
        do {
            try queue.read { db in
                for device in devices {
                    let hash = TokenHash.value(prefix: prefix(device.provider), token: device.token)
                    wereSeen.append(try isKnown(hash, in: db))
                }
            }
        } catch { throw LedgerError(error, path: Self.location) }
        return wereSeen
    }

    private func prefix(_ provider: ProviderName) -> UInt128 {
        if let known = prefixes[provider] { return known }
        let prefix = TokenHash.prefix(app: "", provider: provider.rawValue)
        prefixes[provider] = prefix
        return prefix
    }

    private func isKnown(_ hash: UInt128, in db: Database) throws -> Bool {
        if recent.contains(hash) { return true }
        for run in index.runs(with: hash) where try isThere(hash, run: run, in: db) { return true }
        return false
    }

    /// Looks for a hash in the one row of a run that may have it.
    private func isThere(_ hash: UInt128, run: Int, in db: Database) throws -> Bool {
        let rows = try db.rows(
            "SELECT hashes FROM runs WHERE run = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
            .int(run),
            .integer(Self.order(hash))
        )
        guard try rows.next() else { return false }
        let (hashes, wanted) = (rows.blob("hashes"), TokenHash.bytes(hash))
        return stride(from: 0, to: hashes.count, by: 16).contains { hashes[$0..<$0 + 16].elementsEqual(wanted) }
    }

    /// Moves the latest hashes into a run of their own.
    private func writeRun(to db: Database) throws {
        let hashes = recent.takeAll()
        let run = index.addRun(hashes)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: hashes.count, by: Self.rowMax) {
            bytes.removeAll(keepingCapacity: true)
            for hash in hashes[start..<min(start + Self.rowMax, hashes.count)] {
                for shift in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: hash >> UInt128(120 - shift * 8))) }
            }
            _ = try db.run(
                "INSERT INTO runs (run, first, hashes) VALUES (?1, ?2, ?3)",
                .int(run),
                .integer(Self.order(hashes[start])),
                .blob(bytes)
            )
        }
    }

    /// The high half of a hash as a database integer, in the order of the hashes.
    private static func order(_ hash: UInt128) -> Int64 {
        Int64(bitPattern: UInt64(truncatingIfNeeded: hash >> 64) ^ (1 << 63))
    }
}
