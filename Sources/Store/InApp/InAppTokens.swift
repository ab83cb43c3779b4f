public import Campaigns
public import Delivery

/// The tokens of a list as sorted hashes, in which a session looks up its device's token.
///
/// They take 8 bytes a device: 32 MB for four million while they are collected. A hash is 64 bits of `TokenHash`. So
/// for a list of four million devices, one unlisted device in 4 × 10¹² is mistaken for a listed one.
public struct InAppTokens: Sendable {
    private let app: String
    private var prefixes: [ProviderName: UInt128] = [:]
    private var hashes: [Int64] = []

    /// The number of hashes in a row.
    private static let rowCount = 1024

    /// An empty collection for a list of an app.
    public init(app: String) {
        self.app = app
    }

    /// Adds a chunk's devices, except forgotten ones.
    public mutating func add(_ chunk: StoredChunk) {
        let provider = chunk.group.provider
        let prefix = prefixes[provider] ?? TokenHash.prefix(app: app, provider: provider.rawValue)
        prefixes[provider] = prefix
        for index in 0..<chunk.devices.count where !chunk.optedOut.contains(index) {
            let token = chunk.devices.tokens[chunk.devices.tokenRange(at: index)]
            hashes.append(TokenHash.short(TokenHash.value(prefix: prefix, token: token)))
        }
    }

    /// Returns the rows to write, in order, and empties this collection.
    public mutating func finish() -> [Row] {
        hashes.sort()
        defer { hashes = [] }
        return stride(from: 0, to: hashes.count, by: Self.rowCount).map { start in
            let part = hashes[start..<min(start + Self.rowCount, hashes.count)]
            return Row(first: part[start], bytes: part.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) })
        }
    }

    /// A range of neighboring hashes.
    public struct Row: Sendable {
        let first: Int64
        let bytes: [UInt8]

        /// Returns true if the bytes of a stored row contain a hash.
        static func contains(_ hash: Int64, _ bytes: [UInt8]) -> Bool {
            var (low, high) = (0, bytes.count / 8)
            while low < high {
                let middle = (low + high) / 2
                let found = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[middle * 8 + $1]) << UInt64(8 * $1) }
                if Int64(bitPattern: found) == hash { return true }
                if Int64(bitPattern: found) < hash { low = middle + 1 } else { high = middle }
            }
            return false
        }
    }
}

extension LedgerReader {
    /// The lists whose tokens an in-app campaign still needs; empty if it needs none or has them all.
    public func inAppLists(campaign: UInt32) throws(LedgerError) -> [UInt32] {
        let rows = try db.rows(
            """
            SELECT c.list, coalesce(i.excluded, 0) AS excluded
            FROM in_app_campaigns i JOIN campaigns c ON c.number = i.campaign
            WHERE i.campaign = ?1 AND i.prepared = 0 AND i.ended = 0
            """,
            .int(campaign)
        )
        guard try rows.next() else { return [] }
        return Array(Set([rows.uint32("list"), rows.uint32("excluded")].filter { $0 > 0 })).sorted()
    }

    /// The lists of in-app campaigns, among those asked for, that contain a device's token.
    public func inAppLists(
        _ asked: [(campaign: UInt32, list: UInt32)],
        app: String,
        provider: ProviderName,
        token: [UInt8]
    ) throws(LedgerError) -> Set<UInt32> {
        let prefix = TokenHash.prefix(app: app, provider: provider.rawValue)
        let hash = TokenHash.short(TokenHash.value(prefix: prefix, token: token))
        var found: Set<UInt32> = []
        for (campaign, list) in asked where !found.contains(list) {
            let rows = try db.rows(
                """
                SELECT hashes FROM in_app_tokens WHERE campaign = ?1 AND list = ?2 AND first <= ?3
                ORDER BY first DESC LIMIT 1
                """,
                .int(campaign),
                .int(list),
                .integer(hash)
            )
            if try rows.next(), InAppTokens.Row.contains(hash, rows.blob("hashes")) { found.insert(list) }
        }
        return found
    }
}

extension LedgerTransaction {
    /// Writes some of a list's tokens; returns false if another worker has the lease or the campaign is over.
    ///
    /// `isFirst` first removes the tokens that another planner wrote.
    public func writeInAppTokens(
        _ rows: [InAppTokens.Row],
        list: UInt32,
        isFirst: Bool,
        by lease: LeaseToken
    ) throws(LedgerError) -> Bool {
        guard try mayPrepare(lease) else { return false }
        let campaign = lease.campaign
        if isFirst {
            try db.run("DELETE FROM in_app_tokens WHERE campaign = ?1 AND list = ?2", .int(campaign), .int(list))
        }
        for row in rows {
            try db.run(
                "INSERT INTO in_app_tokens (campaign, list, first, hashes) VALUES (?1, ?2, ?3, ?4)",
                .int(campaign),
                .int(list),
                .integer(row.first),
                .blob(row.bytes)
            )
        }
        return true
    }

    /// Marks all lists of a campaign as complete; returns false if another worker has the lease or the campaign is
    /// over.
    public func finishInAppTokens(by lease: LeaseToken) throws(LedgerError) -> Bool {
        guard try mayPrepare(lease) else { return false }
        try db.run("UPDATE in_app_campaigns SET prepared = 1 WHERE campaign = ?1", .int(lease.campaign))
        return true
    }

    private func mayPrepare(_ lease: LeaseToken) throws(LedgerError) -> Bool {
        guard try holdsLease(lease) else { return false }
        return try db.number(
            "SELECT 1 FROM in_app_campaigns WHERE campaign = ?1 AND ended = 0",
            .int(lease.campaign)
        ) != nil
    }
}
