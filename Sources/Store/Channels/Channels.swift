public import Campaigns

extension LedgerTransaction {
    /// Notes a channel under its name (use `synced`); returns false if the app has one with this name or id.
    public func addChannel(_ channel: BroadcastChannel) throws(LedgerError) -> Bool {
        let rows = try db.rows(
            "SELECT 1 FROM channels WHERE app = ?1 AND (name = ?2 OR id = ?3)",
            .text(channel.app),
            .text(channel.name),
            .text(channel.id)
        )
        guard try !rows.next() else { return false }
        try db.run(
            "INSERT INTO channels (app, name, id, environment, storage, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .text(channel.app),
            .text(channel.name),
            .text(channel.id),
            .text(channel.environment.rawValue),
            .text(channel.storage.rawValue),
            .time(channel.createdAt)
        )
        return true
    }

    /// Forgets a channel (use `synced`); returns false if the app has none with this name.
    public func removeChannel(app: String, name: String) throws(LedgerError) -> Bool {
        guard try reader.channel(app: app, name: name) != nil else { return false }
        try db.run("DELETE FROM channels WHERE app = ?1 AND name = ?2", .text(app), .text(name))
        return true
    }
}

extension LedgerReader {
    /// An app's channel by its name; nil if the app has none.
    public func channel(app: String, name: String) throws(LedgerError) -> BroadcastChannel? {
        let rows = try db.rows(
            "SELECT \(ChannelRows.columns) FROM channels WHERE app = ?1 AND name = ?2",
            .text(app),
            .text(name)
        )
        return try rows.next() ? ChannelRows.channel(rows) : nil
    }

    /// The channels of an app, or of all apps, by app and name.
    public func channels(app: String? = nil) throws(LedgerError) -> [BroadcastChannel] {
        let rows = try db.rows(
            "SELECT \(ChannelRows.columns) FROM channels WHERE ?1 = '' OR app = ?1 ORDER BY app, name",
            .text(app ?? "")
        )
        var channels: [BroadcastChannel] = []
        while try rows.next() { if let channel = ChannelRows.channel(rows) { channels.append(channel) } }
        return channels
    }
}

/// The columns of a channel.
private enum ChannelRows {
    static let columns = "app, name, id, environment, storage, at"

    /// Returns the channel of a row; nil if a later version wrote what this one cannot use.
    static func channel(_ rows: borrowing Rows) -> BroadcastChannel? {
        guard let storage: BroadcastChannel.Storage = rows.value("storage"),
            let environment = PushEnvironment(rawValue: rows.text("environment"))
        else { return nil }
        return BroadcastChannel(
            app: rows.text("app"),
            name: rows.text("name"),
            id: rows.text("id"),
            environment: environment,
            storage: storage,
            createdAt: rows.time("at")
        )
    }
}
