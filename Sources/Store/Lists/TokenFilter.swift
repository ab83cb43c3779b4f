public import Campaigns
import GRDB

/// Tells which devices of an upload came before, exactly and in bounded memory.
///
/// Keeps 16 bytes of hash a device in a private temporary database, which stays in memory up to `cacheKiB` and goes to
/// SQLite's folder for temporary files beyond. It is gone with the filter. Confined to one task; its calls block.
public final class TokenFilter {
    /// What the pages of the database may take, in KiB: the hashes of half a million devices.
    private static let cacheKiB = 16_384

    /// What an error names instead of a path.
    private static let place = "in the folder for temporary files"

    private let queue: DatabaseQueue
    private var prefixes: [ProviderName: UInt128] = [:]

    /// A filter that has seen nothing.
    public init() throws(LedgerError) {
        do {
            var configuration = Configuration()
            configuration.label = "token filter"
            // An empty path is a database of this connection alone (sqlite.org/inmemorydb.html).
            queue = try DatabaseQueue(path: "", configuration: configuration)
            try queue.writeWithoutTransaction { db in
                // Nothing of it outlives the process, so nothing of it needs a journal.
                try db.execute(sql: "PRAGMA journal_mode = OFF")
                try db.execute(sql: "PRAGMA synchronous = OFF")
                try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheKiB)")
                try db.execute(sql: "CREATE TABLE seen (hash BLOB PRIMARY KEY) WITHOUT ROWID")
            }
        } catch { throw LedgerError(error, path: Self.place) }
    }

    /// Says for each device (provider and token as raw bytes) whether it is the first of its kind, in their order.
    ///
    /// Some thousand a call: they are entered in the order of their hashes, so that neighbours share pages.
    public func areNew(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var isNew = [Bool](repeating: false, count: devices.count)
        var keys: [(hash: UInt128, index: Int)] = []
        keys.reserveCapacity(devices.count)
        for (index, device) in devices.enumerated() {
            keys.append((TokenHash.value(prefix: prefix(device.provider), token: device.token), index))
        }
        // Of devices that are alike the first is the one that counts.
        keys.sort { $0.hash == $1.hash ? $0.index < $1.index : $0.hash < $1.hash }
        do {
            try queue.inTransaction { db in
                for key in keys {
                    let entered = try db.run(
                        "INSERT INTO seen (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
                        [.blob(TokenHash.bytes(key.hash))]
                    )
                    isNew[key.index] = entered == 1
                }
                return .commit
            }
        } catch { throw LedgerError(error, path: Self.place) }
        return isNew
    }

    /// Says for each device whether it was entered before; enters none.
    public func wereSeen(_ devices: [(provider: ProviderName, token: [UInt8])]) throws(LedgerError) -> [Bool] {
        var hashes: [[UInt8]] = []
        for device in devices {
            hashes.append(TokenHash.bytes(TokenHash.value(prefix: prefix(device.provider), token: device.token)))
        }
        let asked = hashes
        do {
            return try queue.read { db in
                try asked.map { hash in
                    try db.rows("SELECT 1 FROM seen WHERE hash = ?1", [.blob(hash)]).next()
                }
            }
        } catch { throw LedgerError(error, path: Self.place) }
    }

    private func prefix(_ provider: ProviderName) -> UInt128 {
        if let known = prefixes[provider] { return known }
        let prefix = TokenHash.prefix(app: "", provider: provider.rawValue)
        prefixes[provider] = prefix
        return prefix
    }
}
