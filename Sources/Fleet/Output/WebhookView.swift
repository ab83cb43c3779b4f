public import Campaigns
import Delivery
public import Store

/// A webhook as people and scripts see it: without its path, which may be a secret.
public struct WebhookView: Sendable {
    private let record: WebhookRecord

    /// Shows what the ledger has.
    public init(_ record: WebhookRecord) { self.record = record }

    /// For example `webhook 3 (news)`.
    public var name: String { "webhook \(record.number) (\(record.app))" }

    /// Scheme and host.
    public var place: String { (try? WebhookURL(record.url))?.description ?? "-" }

    /// How a webhook is, in one word.
    public enum State: String, Sendable {
        /// It takes its events, or has none.
        case ok
        /// The first of its events was not taken, and is tried again.
        case failing
        /// It was given up.
        case disabled
    }

    /// How it is.
    public var state: State {
        if record.state.disabledAt != nil { return .disabled }
        return record.state.failures > 0 ? .failing : .ok
    }

    /// Where it is, what waits and why, one line.
    public var detail: String {
        var parts = [place]
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

    /// For `status`.
    var health: FleetStatusView.Health {
        FleetStatusView.Health(name: name, isWell: state == .ok, detail: detail)
    }

    /// What a person has to do; nil when nothing.
    var need: String? {
        guard record.state.disabledAt != nil else { return nil }
        return
            "\(name) was given up (\(record.state.reason)): mend the receiver, then fanfare webhook resume \(record.number)"
    }

    /// `webhook list --json`, an element.
    public var json: JSONValue {
        .object([
            "id": .number(JSONNumber(Int(record.number))), "app": .string(record.app), "host": .string(place),
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

    /// The same as a row of `webhook list`, under these headings.
    public var row: [String] {
        [
            "\(record.number)", record.app, place, state.rawValue, NumberText.grouped(record.waiting),
            record.waitingSince?.rfc3339 ?? "", record.state.reason,
        ]
    }

    /// The headings of ``row``.
    public static let headings = ["id", "app", "host", "state", "waiting", "since", "reason"]
}
