package import Campaigns

/// A row of `campaign list`.
package struct CampaignRow: Sendable, Equatable {
    /// The id within its app.
    package var id: String
    /// The app.
    package var app: String
    /// The job's name for people.
    package var name: String?
    /// The campaign's kind, in the contract's word.
    package var kind = CampaignKind.notification.rawValue
    /// One of the contract's states.
    package var state: String
    /// Devices in the audience.
    package var audience: Int
    /// The instant of its acceptance.
    package var acceptedAt: Timestamp
    /// The instant at which its last device got an outcome.
    package var completedAt: Timestamp?
    /// The reasons for its pause, in the contract's words.
    package var reasons: [String] = []
    /// Devices per second that get an outcome at present; nil when nothing runs.
    package var rate: Int?
    /// The instant of its end at that rate.
    package var etaAt: Timestamp?
    /// Its devices by outcome; nil when they were not counted.
    package var outcomes: OutcomeCounts?

    /// Creates a row.
    package init(
        id: String,
        app: String,
        name: String?,
        state: String,
        audience: Int,
        acceptedAt: Timestamp,
        completedAt: Timestamp?
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.state = state
        self.audience = audience
        self.acceptedAt = acceptedAt
        self.completedAt = completedAt
    }

    /// One object of `campaign list --json`.
    package var json: JSONValue {
        let ended = Outcome.allCases.map { outcome in
            JSONMember(outcome.name, outcomes.map { .number(JSONNumber($0[outcome])) } ?? .null)
        }
        return .object((facts.members ?? []) + ended)
    }

    private var facts: JSONValue {
        .object([
            "id": .string(id), "app": .string(app), "name": name.map(JSONValue.string) ?? .null,
            "state": .string(state), "audience": .number(JSONNumber(audience)),
            "rate": rate.map { .number(JSONNumber($0)) } ?? .null, "eta_at": etaAt.map { .string($0.rfc3339) } ?? .null,
            "accepted_at": .string(acceptedAt.rfc3339),
            "completed_at": completedAt.map { .string($0.rfc3339) } ?? .null,
            "state_reason": reasons.isEmpty ? .null : .string(reasons.joined(separator: ", ")),
            "kind": .string(kind),
        ])
    }

    /// Returns the table.
    package static func table(_ rows: [CampaignRow]) -> String {
        var table = TextTable([
            ("app", .left), ("id", .left), ("state", .left), ("audience", .right), ("accepted", .right),
            ("rate", .right), ("done at", .left), ("accepted at", .left), ("completed at", .left),
        ])
        for row in rows {
            let why = row.reasons.isEmpty ? "" : " (\(row.reasons.joined(separator: ", ")))"
            table.add([
                row.app, row.id, row.state + why, NumberText.grouped(row.audience),
                row.outcomes.map { NumberText.percent($0.accepted, of: row.audience) } ?? "",
                row.rate.map { NumberText.grouped($0) + "/s" } ?? "", row.etaAt?.rfc3339 ?? "",
                row.acceptedAt.rfc3339, row.completedAt?.rfc3339 ?? "",
            ])
        }
        return table.text
    }
}

/// A version of an uploaded list, as `list ls` shows it.
package struct ListRow: Sendable, Equatable {
    /// The app.
    package var app: String
    /// The list's name.
    package var name: String
    /// The hash of its content.
    package var version: String
    /// Distinct devices.
    package var devices: Int
    /// Devices that the file had more than once.
    package var duplicates: Int
    /// The instant of its upload.
    package var createdAt: Timestamp

    /// Creates a row.
    package init(app: String, name: String, version: String, devices: Int, duplicates: Int, createdAt: Timestamp) {
        self.app = app
        self.name = name
        self.version = version
        self.devices = devices
        self.duplicates = duplicates
        self.createdAt = createdAt
    }

    /// One object of `list ls --json`.
    package var json: JSONValue {
        .object([
            "app": .string(app), "name": .string(name), "version": .string(version),
            "devices": .number(JSONNumber(devices)), "duplicates": .number(JSONNumber(duplicates)),
            "created_at": .string(createdAt.rfc3339),
        ])
    }

    /// Returns the table.
    package static func table(_ rows: [ListRow]) -> String {
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

/// A message set aside for a person, as `parked list` shows it (contract, section 3).
package struct ParkedRow: Sendable, Equatable {
    /// The message's number in the ledger, as text.
    package var id: String
    /// The queue that it came from.
    package var queue: String
    /// The reason for parking, a stable word.
    package var reason: String
    /// The problems of the message.
    package var errors: [Problem] = []
    /// The app, when it is known.
    package var app: String?
    /// The campaign's id, when it is known.
    package var campaign: String?
    /// The number of devices that wait with it.
    package var devices = 0
    /// The instant at which it was first parked.
    package var firstAt: Timestamp
    /// The instant at which it was last parked.
    package var lastAt: Timestamp

    /// Creates a row; facts that are not always known are set afterwards.
    package init(id: String, queue: String, reason: String, firstAt: Timestamp, lastAt: Timestamp) {
        self.id = id
        self.queue = queue
        self.reason = reason
        self.firstAt = firstAt
        self.lastAt = lastAt
    }

    /// One object of `parked list --json`.
    package var json: JSONValue {
        .object([
            "id": .string(id), "queue": .string(queue), "reason": .string(reason),
            "errors": .array(errors.map(\.json)), "app": app.map(JSONValue.string) ?? .null,
            "campaign": campaign.map(JSONValue.string) ?? .null, "devices": .number(JSONNumber(devices)),
            "first_at": .string(firstAt.rfc3339), "last_at": .string(lastAt.rfc3339),
        ])
    }

    /// Returns the table.
    package static func table(_ rows: [ParkedRow]) -> String {
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

    /// All facts of the message, for `parked show`.
    package var text: String {
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
