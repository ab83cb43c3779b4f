public import Campaigns

/// A device's token that starts activities of a type.
public struct StartToken: Sendable, Equatable {
    /// The token as raw bytes.
    public var token: [UInt8]
    /// True if it was called wrong once.
    public var isSuspect: Bool

    /// Creates a token from the values of its row.
    public init(token: [UInt8], isSuspect: Bool) {
        (self.token, self.isSuspect) = (token, isSuspect)
    }
}

extension LedgerReader {
    /// The live devices that follow an activity, with the activity's tokens in place of their own, in the order of the
    /// registry.
    ///
    /// - Parameters:
    ///   - name: The activity.
    ///   - after: The number after which the page begins.
    ///   - end: The last number of the walk.
    ///   - limit: The most devices.
    public func followers(
        of name: ActivityName,
        after: Int64,
        end: Int64,
        limit: Int
    ) throws(LedgerError) -> RegistryPage {
        let ended = try db.number(
            "SELECT at FROM ended_activities WHERE app = ?1 AND type = ?2 AND activity = ?3",
            .integer(end >> 32),
            .text(name.type),
            .text(name.id)
        )
        // The word about the empty name is the index's.
        let rows = try db.rows(
            """
            SELECT d.number, t.suspect, d.installation, t.token, d.traits, d.user_key
            FROM activity_tokens t JOIN devices d ON d.number = t.device
            WHERE t.activity = ?1 AND t.activity <> '' AND t.type = ?2 AND t.device > ?3 AND t.device <= ?4
                AND t.at > ?5 AND d.state = \(RegisteredDevice.State.live.sql)
            ORDER BY t.device LIMIT ?6
            """,
            .text(name.id),
            .text(name.type),
            .integer(after),
            .integer(end),
            .integer(ended ?? -1),
            .int(limit)
        )
        var (page, last) = (RegistryPage(next: nil, room: 0), after)
        let columns = RegistryPage.Columns(of: rows)
        while try rows.next() {
            page.append(rows, columns)
            last = rows.int64("number")
        }
        if page.count == limit, last < end { page.next = last }
        return page
    }

    /// The tokens of some devices that start activities of a type, by the devices' numbers.
    public func startTokens(of type: String, devices: [Int64]) throws(LedgerError) -> [Int64: StartToken] {
        var tokens: [Int64: StartToken] = [:]
        for range in Placeholders.ranges(devices.count) {
            let rows = try db.rows(
                """
                SELECT device, token, suspect FROM activity_tokens
                WHERE device IN (\(Placeholders.list(range.count))) AND type = ?\(range.count + 1) AND activity = ''
                """,
                values: devices[range].map { .integer($0) } + [.text(type)]
            )
            while try rows.next() {
                tokens[rows.int64("device")] = StartToken(token: rows.blob("token"), isSuspect: rows.bool("suspect"))
            }
        }
        return tokens
    }
}
