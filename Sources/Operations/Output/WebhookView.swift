package import Campaigns
package import Delivery
package import Store

/// A webhook for people and scripts, without the URL's path, which may be a secret.
package struct WebhookView: Sendable {
    private let record: WebhookRecord

    /// Creates a view of the ledger's record.
    package init(_ record: WebhookRecord) { self.record = record }

    /// The name, such as `webhook 3 (news)`.
    package var name: String { "webhook \(record.number) (\(record.app))" }

    /// The URL's scheme and host.
    package var destination: String { (try? WebhookURL(record.url))?.description ?? "-" }

    /// The state of a webhook, in one word.
    package enum State: String, Sendable {
        /// It takes its events, or has none.
        case ok
        /// It did not take its next event, which is tried again.
        case failing
        /// It was given up.
        case disabled
    }

    /// The webhook's state.
    package var state: State {
        if record.state.disabledAt != nil { return .disabled }
        return record.state.failures > 0 ? .failing : .ok
    }

    /// The host, the waiting events and the reason for failure, in one line.
    package var detail: String {
        var parts = [destination]
        if record.waiting > 0 { parts.append("events waiting: \(NumberText.grouped(record.waiting))") }
        if let since = record.state.failingSince { parts.append("fails since \(since.rfc3339)") }
        if !record.state.reason.isEmpty { parts.append(record.state.reason) }
        if let since = record.state.disabledAt {
            parts.append("given up at \(since.rfc3339)")
        } else if record.state.failures > 0 {
            parts.append("next try at \(record.state.dueAt.rfc3339)")
        }
        return parts.joined(separator: ", ")
    }

    /// The webhook's health, for `status`.
    var health: FleetStatusView.Health {
        FleetStatusView.Health(name: name, isWell: state == .ok, detail: detail)
    }

    /// The problem of a webhook that takes no events; nil when there is none.
    package var problem: HealthProblem? {
        guard state != .ok else { return nil }
        let reason = record.state.reason
        return .webhook(name, number: record.number, reason: reason, isGivenUp: state == .disabled)
    }

    /// An element of `webhook list --json`.
    package var json: JSONValue {
        .object([
            "id": .number(JSONNumber(Int(record.number))), "app": .string(record.app), "host": .string(destination),
            "state": .string(state.rawValue), "events": .array(record.kinds.kinds.map { .string($0.rawValue) }),
            "waiting": .number(JSONNumber(record.waiting)),
            "waiting_since": record.waitingSince.map { .string($0.rfc3339) } ?? .null,
            "failures": .number(JSONNumber(record.state.failures)),
            "failing_since": record.state.failingSince.map { .string($0.rfc3339) } ?? .null,
            "reason": record.state.reason.isEmpty ? .null : .string(record.state.reason),
            "next_try_at": record.state.failures > 0 && record.state.disabledAt == nil
                ? .string(record.state.dueAt.rfc3339) : .null,
            "disabled_at": record.state.disabledAt.map { .string($0.rfc3339) } ?? .null,
        ])
    }

    /// The row of `webhook list`, under ``headings``.
    package var row: [String] {
        [
            "\(record.number)", record.app, destination, state.rawValue, NumberText.grouped(record.waiting),
            record.waitingSince?.rfc3339 ?? "", record.state.reason,
        ]
    }

    /// The headings of ``row``.
    package static let headings = ["id", "app", "host", "state", "waiting", "since", "reason"]
}
