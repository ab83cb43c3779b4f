package import Campaigns

/// A broadcast channel, for people and for scripts.
package struct ChannelRow: Sendable, Equatable {
    private let channel: BroadcastChannel

    /// Creates a row.
    package init(_ channel: BroadcastChannel) { self.channel = channel }

    /// One object of `channel ls --json` and of the API.
    package var json: JSONValue {
        [
            "app": .string(channel.app), "name": .string(channel.name), "id": .string(channel.id),
            "environment": .string(channel.environment.rawValue), "storage": .string(channel.storage.rawValue),
            "created_at": .string(channel.createdAt.rfc3339),
        ]
    }

    /// Returns the table.
    package static func table(_ rows: [ChannelRow]) -> String {
        var table = TextTable([
            ("app", .left), ("name", .left), ("environment", .left), ("storage", .left), ("created at", .left),
            ("id", .left),
        ])
        for channel in rows.map(\.channel) {
            table.add([
                channel.app, channel.name, channel.environment.rawValue, channel.storage.rawValue,
                channel.createdAt.rfc3339, channel.id,
            ])
        }
        return table.text
    }
}
