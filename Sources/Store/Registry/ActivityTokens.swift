public import Campaigns

/// The tokens of devices for Live Activities.
///
/// A device says all of them at once: one that it no longer names is gone, and one that it names anew takes the place
/// of the old. They belong to the installation, and are left out of sending while its own token is dead.
extension LedgerTransaction {
    /// Replaces the tokens of a device.
    ///
    /// A token that a provider has called dead is not taken again: an activity's token never lives again.
    func setActivities(
        _ tokens: [ActivityToken],
        of device: Int64,
        _ keys: RegistryKeys,
        now: Timestamp
    ) throws(LedgerError) {
        let known = try reader.activities(of: device)
        let said = Set(tokens)
        for old in known where !said.contains(old) { try removeActivity(old, of: device) }
        let kept = Set(known)
        for token in tokens where !kept.contains(token) {
            let hash = keys.token(token.token, .apns)
            let bytes = TokenHash.bytes(hash)
            if try db.number("SELECT 1 FROM dead_tokens WHERE hash = ?1", .blob(bytes)) != nil { continue }
            let isSuspect = try db.number("SELECT 1 FROM suspect_tokens WHERE hash = ?1", .blob(bytes)) != nil
            // A token belongs to one installation, the one that named it last.
            try db.run("DELETE FROM activity_tokens WHERE token_hash = ?1", .integer(TokenHash.short(hash)))
            try db.run(
                """
                INSERT INTO activity_tokens (device, type, activity, token, token_hash, suspect, at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """,
                .integer(device),
                .text(token.type),
                .text(token.id ?? ""),
                .blob(token.token),
                .integer(TokenHash.short(hash)),
                .bool(isSuspect),
                .time(now)
            )
        }
    }

    private func removeActivity(_ token: ActivityToken, of device: Int64) throws(LedgerError) {
        try db.run(
            "DELETE FROM activity_tokens WHERE device = ?1 AND type = ?2 AND activity = ?3",
            .integer(device),
            .text(token.type),
            .text(token.id ?? "")
        )
    }

    /// Moves the tokens of a device whose row in the registry changes; the device that had the row loses its own.
    ///
    /// - Parameters:
    ///   - from: The device's row until now; nil if it had none.
    ///   - to: Its row from now on.
    func moveActivities(from: Int64?, to: Int64) throws(LedgerError) {
        try db.run("DELETE FROM activity_tokens WHERE device = ?1", .integer(to))
        guard let from else { return }
        try db.run("UPDATE activity_tokens SET device = ?2 WHERE device = ?1", .integer(from), .integer(to))
    }
}

extension LedgerReader {
    /// The tokens of a device for Live Activities, by type and id; the one that starts a type comes first.
    public func activities(of device: Int64) throws(LedgerError) -> [ActivityToken] {
        let rows = try db.rows(
            "SELECT type, activity, token FROM activity_tokens WHERE device = ?1 ORDER BY type, activity",
            .integer(device)
        )
        var tokens: [ActivityToken] = []
        while try rows.next() {
            let id = rows.text("activity")
            tokens.append(ActivityToken(type: rows.text("type"), id: id.isEmpty ? nil : id, token: rows.blob("token")))
        }
        return tokens
    }
}
