public import Campaigns

/// A row of `campaign list`.
public struct CampaignRow: Sendable, Equatable {
    /// The campaign with its counts; only what the table shows needs to be filled.
    public var status: CampaignStatusView

    /// A row of a campaign.
    public init(_ status: CampaignStatusView) {
        self.status = status
    }

    /// The table.
    public static func table(_ rows: [CampaignRow]) -> String {
        var table = TextTable([
            ("app", .left), ("id", .left), ("state", .left), ("audience", .right), ("accepted", .right),
            ("pending", .right), ("accepted at", .left),
        ])
        for row in rows {
            let status = row.status
            table.add([
                status.app, status.id, status.state, NumberText.grouped(status.audience),
                NumberText.grouped(status.outcomes.accepted), NumberText.grouped(status.pending.total),
                status.acceptedAt?.rfc3339 ?? "",
            ])
        }
        return table.text
    }
}

/// A version of an uploaded list, as `list ls` shows it.
public struct ListRow: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The list's name.
    public var name: String
    /// The hash of its content.
    public var version: String
    /// Distinct devices.
    public var devices: Int
    /// Devices that the file had more than once.
    public var duplicates: Int
    /// When it was uploaded.
    public var createdAt: Timestamp

    /// A version of a list.
    public init(app: String, name: String, version: String, devices: Int, duplicates: Int, createdAt: Timestamp) {
        self.app = app
        self.name = name
        self.version = version
        self.devices = devices
        self.duplicates = duplicates
        self.createdAt = createdAt
    }

    /// One object of `list ls --json`.
    public var json: JSONValue {
        .object([
            "app": .string(app), "name": .string(name), "version": .string(version),
            "devices": .number(JSONNumber(devices)), "duplicates": .number(JSONNumber(duplicates)),
            "created_at": .string(createdAt.rfc3339),
        ])
    }

    /// The table.
    public static func table(_ rows: [ListRow]) -> String {
        var table = TextTable([
            ("app", .left), ("name", .left), ("version", .left), ("devices", .right), ("duplicates", .right),
            ("created at", .left),
        ])
        for row in rows {
            table.add([
                row.app, row.name, row.version, NumberText.grouped(row.devices), NumberText.grouped(row.duplicates),
                row.createdAt.rfc3339,
            ])
        }
        return table.text
    }
}

/// A message that is set aside for a person, as `parked list` shows it (contract, section 3).
public struct ParkedRow: Sendable, Equatable {
    /// Its number in the ledger, as text.
    public var id: String
    /// The queue that it came from.
    public var queue: String
    /// Why it is parked, a stable word.
    public var reason: String
    /// What is wrong with it.
    public var errors: [Problem] = []
    /// The app, when it is known.
    public var app: String?
    /// The campaign's id, when it is known.
    public var campaign: String?
    /// How many devices wait with it.
    public var devices = 0
    /// When it was parked for the first time.
    public var firstAt: Timestamp
    /// When it was parked for the last time.
    public var lastAt: Timestamp

    /// A parked message; what is not always known is filled in.
    public init(id: String, queue: String, reason: String, firstAt: Timestamp, lastAt: Timestamp) {
        self.id = id
        self.queue = queue
        self.reason = reason
        self.firstAt = firstAt
        self.lastAt = lastAt
    }

    /// One object of `parked list --json`.
    public var json: JSONValue {
        .object([
            "id": .string(id), "queue": .string(queue), "reason": .string(reason),
            "errors": .array(errors.map(\.json)), "app": app.map(JSONValue.string) ?? .null,
            "campaign": campaign.map(JSONValue.string) ?? .null, "devices": .number(JSONNumber(devices)),
            "first_at": .string(firstAt.rfc3339), "last_at": .string(lastAt.rfc3339),
        ])
    }

    /// The table.
    public static func table(_ rows: [ParkedRow]) -> String {
        var table = TextTable([
            ("id", .left), ("queue", .left), ("reason", .left), ("app", .left), ("campaign", .left),
            ("devices", .right), ("parked at", .left),
        ])
        for row in rows {
            table.add([
                row.id, row.queue, row.reason, row.app ?? "", row.campaign ?? "", NumberText.grouped(row.devices),
                row.lastAt.rfc3339,
            ])
        }
        return table.text
    }

    /// All that is known of one message, for `parked show`.
    public var text: String {
        var table = TextTable(columns: [.left, .left])
        let facts = [
            ("id", id), ("queue", queue), ("reason", reason), ("app", app ?? "unknown"),
            ("campaign", campaign ?? "unknown"), ("devices", NumberText.grouped(devices)),
            ("first at", firstAt.rfc3339), ("last at", lastAt.rfc3339),
        ]
        for (name, value) in facts { table.add([name, value]) }
        return ([table.text] + errors.map(\.text)).joined(separator: "\n")
    }
}
