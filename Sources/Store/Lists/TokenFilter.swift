public import Campaigns
import GRDB

/// Finds the duplicate devices of an upload, exactly and in bounded memory.
///
/// Keeps a hash of 16 bytes per device in a private temporary database. The database stays in memory up to `cacheKiB`,
/// goes to SQLite's folder for temporary files beyond that, and disappears with the filter. Confined to one task; its
/// calls block.
public final class TokenFilter {
    /// The cache size of the database in KiB: the hashes of half a million devices.
    private static let cacheKiB = 16_384

    /// The location that errors name in place of a path.
    private static let location = "in the folder for temporary files"

    private let queue: DatabaseQueue
    private var prefixes: [ProviderName: UInt128] = [:]

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
                try db.execute(sql: "CREATE TABLE seen (hash BLOB PRIMARY KEY) WITHOUT ROWID")
            }
        } catch { throw LedgerError(error, path: Self.location) }
    }

    /// Returns for each device (provider and token as raw bytes) whether it is new, in the devices' order.
    ///
    /// Pass a few thousand per call: they are inserted in the order of their hashes, so that neighbors share pages.
    public func areNew(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var isNew = [Bool](repeating: false, count: devices.count)
        var keys: [(hash: UInt128, index: Int)] = []
        keys.reserveCapacity(devices.count)
        for (index, device) in devices.enumerated() {
            keys.append((TokenHash.value(prefix: prefix(device.provider), token: device.token), index))
        }
        // The first of several equal devices counts as new.
        keys.sort { $0.hash == $1.hash ? $0.index < $1.index : $0.hash < $1.hash }
        do {
            try queue.inTransaction { db in
                for key in keys {
                    let entered = try db.run(
                        "INSERT INTO seen (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
                        .blob(TokenHash.bytes(key.hash))
                    )
                    isNew[key.index] = entered == 1
                }
                return .commit
            }
        } catch { throw LedgerError(error, path: Self.location) }
        return isNew
    }

    /// Returns for each device whether it was entered before; enters none.
    public func wereSeen(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var hashes: [[UInt8]] = []
        for device in devices {
            hashes.append(TokenHash.bytes(TokenHash.value(prefix: prefix(device.provider), token: device.token)))
        }
        let asked = hashes
        do {
            return try queue.read { db in
                try asked.map { hash in
                    try db.rows("SELECT 1 FROM seen WHERE hash = ?1", .blob(hash)).next()
                }
            }
        } catch { throw LedgerError(error, path: Self.location) }
    }

    private func prefix(_ provider: ProviderName) -> UInt128 {
        if let known = prefixes[provider] { return known }
        let prefix = TokenHash.prefix(app: "", provider: provider.rawValue)
        prefixes[provider] = prefix
        return prefix
    }
}
