public import Campaigns

/// A range of the registry in its stored form, so that a walk over millions of devices needs little memory.
public struct RegistryPage: Sendable {
    /// The number after which the next page begins; nil after the last page.
    public var next: Int64?
    private var bytes: [UInt8] = []
    private var rows: [Row] = []

    /// About the bytes of a device with a token of APNs: larger ones make the page grow.
    private static let usualBytes = 160

    /// A device; each of its columns begins in `bytes` where the one before ends.
    private struct Row {
        var number: Int64
        var installationEnd: UInt32
        var tokenEnd: UInt32
        var traitsEnd: UInt32
        var userEnd: UInt32
        var isSuspect: Bool
    }

    /// The columns of a page's query, found once for all of its rows.
    struct Columns {
        fileprivate let number: Rows.Column
        fileprivate let suspect: Rows.Column
        fileprivate let installation: Rows.Column
        fileprivate let token: Rows.Column
        fileprivate let traits: Rows.Column
        fileprivate let user: Rows.Column

        init(of rows: borrowing Rows) {
            number = rows.column("number")
            suspect = rows.column("suspect")
            installation = rows.column("installation")
            token = rows.column("token")
            traits = rows.column("traits")
            user = rows.column("user_key")
        }
    }

    /// A device of a page; its bytes are valid only inside `forEach`.
    public struct Entry {
        /// The number in the ledger.
        public var number: Int64
        /// True if the token was called wrong once.
        public var isSuspect: Bool
        /// The installation as UTF-8.
        public var installation: UnsafeRawBufferPointer
        /// The token as raw bytes.
        public var token: UnsafeRawBufferPointer
        /// The traits that segments select by.
        public var traits: PackedTraits
        /// The user's key as UTF-8; empty for none.
        public var user: UnsafeRawBufferPointer
    }

    /// The number of devices in the page.
    public var count: Int { rows.count }

    /// A page with room for so many devices of the usual size.
    init(next: Int64?, room devices: Int) {
        self.next = next
        rows.reserveCapacity(devices)
        bytes.reserveCapacity(devices * Self.usualBytes)
    }

    mutating func append(_ row: borrowing Rows, _ columns: Columns) {
        func take(_ column: Rows.Column) -> UInt32 {
            row.append(column, to: &bytes)
            return UInt32(bytes.count)
        }
        rows.append(
            Row(
                number: row.int64(columns.number),
                installationEnd: take(columns.installation),
                tokenEnd: take(columns.token),
                traitsEnd: take(columns.traits),
                userEnd: take(columns.user),
                isSuspect: row.bool(columns.suspect)
            )
        )
    }

    /// Calls `body` with each device, in order of their numbers.
    ///
    /// Throws `LedgerError` for traits that this version cannot read.
    public func forEach(_ body: (Entry) throws -> Void) throws {
        try bytes.withUnsafeBytes { all in
            func slice(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: all[Int(start)..<Int(end)])
            }
            var start: UInt32 = 0
            for row in rows {
                guard let traits = PackedTraits(slice(row.tokenEnd, row.traitsEnd)) else {
                    throw LedgerError.failed("device \(row.number) has traits that this version cannot read")
                }
                try body(
                    Entry(
                        number: row.number,
                        isSuspect: row.isSuspect,
                        installation: slice(start, row.installationEnd),
                        token: slice(row.installationEnd, row.tokenEnd),
                        traits: traits,
                        user: slice(row.traitsEnd, row.userEnd)
                    )
                )
                start = row.userEnd
            }
        }
    }
}

extension LedgerReader {
    /// The number of device numbers that a page covers.
    public static let registryPageSpan: Int64 = 4096

    /// The bounds of a walk over an app's devices that begins now; it does not meet devices that are added later.
    public func registryEnd(app: String) throws(LedgerError) -> (start: Int64, end: Int64)? {
        guard let found = try registryApp(app) else { return nil }
        return (found.number << 32, found.number << 32 | (found.next - 1))
    }

    /// The live devices with the next numbers after `after` and up to `end`.
    public func registryPage(after: Int64, end: Int64) throws(LedgerError) -> RegistryPage {
        let last = min(after + Self.registryPageSpan, end)
        let rows = try db.rows(
            """
            SELECT number, suspect, installation, token, traits, user_key FROM devices
            WHERE number > ?1 AND number <= ?2 AND state = \(RegisteredDevice.State.live.sql) ORDER BY number
            """,
            .integer(after),
            .integer(last)
        )
        var page = RegistryPage(next: last < end ? last : nil, room: Int(last - after))
        let columns = RegistryPage.Columns(of: rows)
        while try rows.next() { page.append(rows, columns) }
        return page
    }

    /// Devices that an integration key has registered, among the next numbers; `next` is nil after the last.
    public func devices(
        app: String,
        cameWith key: Int64,
        after: Int64,
        end: Int64
    ) throws(LedgerError) -> (devices: [RegisteredDevice], next: Int64?) {
        let last = min(after + Self.registryPageSpan, end)
        let rows = try db.rows(
            """
            SELECT \(DeviceRows.columns) FROM devices
            WHERE number > ?1 AND number <= ?2 AND came_with = ?3
                AND state <> \(RegisteredDevice.State.forgotten.sql)
            ORDER BY number
            """,
            .integer(after),
            .integer(last),
            .integer(key)
        )
        let devices = try rows.map { row throws(LedgerError) in try DeviceRows.device(row, app: app) }
        return (devices, last < end ? last : nil)
    }

    /// Devices in any state with the next numbers, for an export; `next` is nil after the last.
    public func devices(
        app: String,
        after: Int64,
        end: Int64
    ) throws(LedgerError) -> (devices: [RegisteredDevice], next: Int64?) {
        let last = min(after + Self.registryPageSpan, end)
        let rows = try db.rows(
            "SELECT \(DeviceRows.columns) FROM devices WHERE number > ?1 AND number <= ?2 ORDER BY number",
            .integer(after),
            .integer(last)
        )
        let devices = try rows.map { row throws(LedgerError) in try DeviceRows.device(row, app: app) }
        return (devices, last < end ? last : nil)
    }
}
