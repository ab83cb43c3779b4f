import Campaigns

/// The providers' verdicts on tokens, for lists and registry alike.
extension LedgerTransaction {
    /// Records that a token died at an instant of the provider's clock; nil if a mark of an earlier version has no
    /// instant.
    ///
    /// If a device of the registry was registered later, the token is good again: the device lives on, and future lists
    /// use it.
    func bury(_ hash: UInt128, at: Int64?) throws(LedgerError) {
        let rows = try db.rows(
            "SELECT number, state, traits FROM devices WHERE token_hash = ?1",
            .integer(TokenHash.short(hash))
        )
        var found: [(number: Int64, isLive: Bool, since: Int64?)] = []
        while try rows.next() {
            let isLive = rows.int64("state") == Int64(RegisteredDevice.State.live.rawValue)
            let traits = DeviceTraits(packed: rows.blob("traits"))
            found.append((rows.int64("number"), isLive, traits?.registeredAt?.milliseconds))
        }
        // A token of an activity never lives again: the next activity has another, and so has the device itself.
        try db.run("DELETE FROM activity_tokens WHERE token_hash = ?1", .integer(TokenHash.short(hash)))
        for device in found where device.isLive {
            guard let at else { return }
            if let since = device.since, since > at { return }
            try db.run(
                "UPDATE devices SET state = ?3, suspect = 0, ended_at = ?2 WHERE number = ?1",
                .integer(device.number),
                .integer(at),
                .int(RegisteredDevice.State.dead.rawValue)
            )
        }
        try db.run(
            """
            INSERT INTO dead_tokens (hash, at) VALUES (?1, ?2)
            ON CONFLICT (hash) DO UPDATE SET at = excluded.at
            WHERE excluded.at IS NOT NULL AND (dead_tokens.at IS NULL OR dead_tokens.at < excluded.at)
            """,
            .blob(TokenHash.bytes(hash)),
            at.map { .integer($0) } ?? .null(.integer)
        )
    }

    /// Records that a token was called wrong once.
    func distrust(_ hash: UInt128) throws(LedgerError) {
        try db.run(
            "INSERT INTO suspect_tokens (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
            .blob(TokenHash.bytes(hash))
        )
        for table in ["devices", "activity_tokens"] {
            try db.run("UPDATE \(table) SET suspect = 1 WHERE token_hash = ?1", .integer(TokenHash.short(hash)))
        }
    }

    /// Removes the verdicts on a token that was registered after them.
    func trust(_ hash: UInt128) throws(LedgerError) {
        try db.run("DELETE FROM dead_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash)))
        try db.run("DELETE FROM suspect_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash)))
    }
}
