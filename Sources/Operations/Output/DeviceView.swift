package import Campaigns
import PushProviders
package import Store

/// A device of the registry as `device show` and `device export` print it.
package struct DeviceView: Sendable {
    private let device: RegisteredDevice
    private let activities: [ActivityToken]

    /// Creates a view of a device; `activities` are its tokens for Live Activities.
    package init(_ device: RegisteredDevice, activities: [ActivityToken] = []) {
        self.device = device
        self.activities = activities
    }

    /// Returns the view of a device with all that the registry has of it.
    package static func read(
        _ device: RegisteredDevice,
        in ledger: Ledger
    ) async throws(LedgerError) -> DeviceView {
        let number = device.number
        return DeviceView(device, activities: try await ledger.read { try $0.activities(of: number) })
    }

    /// The device as a line of an import, without unknown values.
    package var line: JSONValue {
        let traits = device.traits
        return .object([
            "id": device.installation.map(JSONValue.string),
            "token": device.token.map { .string(ProviderRegistry.tokens.text(of: $0, provider: traits.provider)) },
            "provider": .string(traits.provider.rawValue),
            "environment": traits.environment.map { .string($0.rawValue) },
            "user": device.user.map(JSONValue.string),
            "locale": traits.locale.map(JSONValue.string),
            "time_zone": traits.timeZone.map(JSONValue.string),
            "app_version": traits.appVersion.map(JSONValue.string),
            "permission": traits.permission == .unknown ? nil : .string(traits.permission.rawValue),
            "badge": device.badge == 0 ? nil : .number(JSONNumber(device.badge)),
            "registered_at": traits.registeredAt.map { .string($0.rfc3339) },
            "tags": traits.tags.isEmpty ? nil : .array(traits.tags.map(JSONValue.string)),
            "attributes": traits.attributes.isEmpty ? nil : attributes,
        ])
    }

    private var attributes: JSONValue {
        .object(
            device.traits.attributes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { JSONMember($0.key, $0.value.json) }
        )
    }

    /// All facts of the device in the registry, one object of `device show --json`.
    package var json: JSONValue {
        .object(
            (line.members ?? []).filter { $0.name != "badge" } + [
                JSONMember("app", .string(device.app)), JSONMember("state", .string("\(device.state)")),
                JSONMember("suspect", .bool(device.isSuspect)),
                JSONMember("has_secret", .bool(device.secretHash != nil)),
                JSONMember("kit_version", device.kitVersion.map(JSONValue.string) ?? .null),
                JSONMember("ended_at", device.endedAt.map { .string($0.rfc3339) } ?? .null),
                JSONMember("badge", .number(JSONNumber(device.badge))),
                JSONMember("changed_at", .string(device.changedAt.rfc3339)),
            ] + (activities.isEmpty ? [] : [JSONMember("activities", .array(activities.map(Self.json)))])
        )
    }

    private static func json(_ activity: ActivityToken) -> JSONValue {
        .object([
            "type": .string(activity.type), "id": activity.id.map(JSONValue.string),
            "token": .string(ProviderRegistry.tokens.text(of: activity.token, provider: .apns)),
        ])
    }

    /// The device for people, a fact a line.
    package var text: String {
        var table = TextTable(columns: [.left, .left])
        for member in json.members ?? [] where member.value != .null {
            let value: String
            switch member.value {
            case .string(let text): value = text
            case .array(let words): value = words.map { $0.string ?? $0.text }.joined(separator: ", ")
            case .object(let pairs):
                value = pairs.map { "\($0.name)=\($0.value.string ?? $0.value.text)" }.joined(separator: ", ")
            default: value = member.value.text
            }
            table.add([member.name.replacing("_", with: " "), value])
        }
        return table.text
    }
}
