package import Campaigns
import Delivery
import PushProviders
package import Store

/// A device's history in a campaign, as `device trace` prints it.
package struct DeviceTraceView: Sendable {
    private let trace: DeviceTrace

    /// Creates a view of a trace.
    package init(_ trace: DeviceTrace) {
        self.trace = trace
    }

    /// The name of the device's outcome, `pending`, or `forgotten`.
    private var outcome: String {
        if let outcome = trace.outcome { return outcome.name }
        return trace.isForgotten ? "forgotten" : "pending"
    }

    /// The state of a pending device, in the words of `pending_detail`.
    private var pendingIn: String? {
        guard trace.outcome == nil, !trace.isForgotten else { return nil }
        guard let step = trace.steps.last else { return "unplanned" }
        switch step.state {
        case .running: return "sending"
        case .parked: return "parked"
        case .aside where step.aside != .rate: return "held"
        case .unpublished, .out, .aside: return step.rung == nil ? "queued" : "retrying"
        case .settled: return nil
        }
    }

    private var nextRetry: Timestamp? { pendingIn == "retrying" ? trace.steps.last?.dueAt : nil }

    /// The id of the device's requests; nil while none was sent.
    private var requestID: String? {
        guard trace.requests > 0 else { return nil }
        let hash = CampaignHash(app: trace.campaign.app, id: trace.campaign.id)
        return ProviderRegistry.provider(named: trace.provider)?.requestID(campaign: hash, device: trace.index)
    }

    /// The device's trace in one campaign: the object of `device trace --json` without the campaign and the token.
    package var deviceJSON: JSONValue {
        .object((json.members ?? []).filter { !["campaign", "app", "name", "accepted_at", "token"].contains($0.name) })
    }

    /// One object of `device trace --json`.
    package var json: JSONValue {
        .object([
            "campaign": .string(trace.campaign.id), "app": .string(trace.campaign.app),
            "name": trace.name.map(JSONValue.string) ?? .null,
            "accepted_at": .string(trace.acceptedAt.rfc3339),
            "token": .string(ProviderRegistry.tokens.text(of: trace.token, provider: trace.provider)),
            "provider": .string(trace.provider.rawValue),
            "id": trace.id.map(JSONValue.string) ?? .null, "outcome": .string(outcome),
            "pending_in": pendingIn.map(JSONValue.string) ?? .null,
            "reason": trace.reason.map(JSONValue.string) ?? .null,
            "provider_id": requestID.map(JSONValue.string) ?? .null,
            "requests": .number(JSONNumber(trace.requests)),
            "planned_at": Self.instant(trace.steps.first?.plannedAt),
            "first_request_at": Self.instant(trace.firstRequestAt),
            "last_answer_at": Self.instant(trace.lastAnswerAt),
            "settled_at": Self.instant(trace.outcome == nil ? nil : trace.steps.last?.settledAt),
            "next_retry_at": Self.instant(nextRetry),
            "displayed_at": Self.instant(trace.displayedAt),
            "read": .bool(trace.readAt != nil), "read_at": Self.instant(trace.readAt),
            "told": .array(told.map(Self.json)),
            "attempts": .array(trace.steps.map(Self.json)),
        ])
    }

    /// The phone's reports, in order.
    private var told: [DeviceTrace.Told] {
        trace.told.sorted { left, right in
            (left.at, left.surface.rawValue, left.type.rawValue, left.detail)
                < (right.at, right.surface.rawValue, right.type.rawValue, right.detail)
        }
    }

    private static func json(_ said: DeviceTrace.Told) -> JSONValue {
        .object([
            "surface": .string(said.surface.word), "type": .string(said.type.word),
            "detail": said.detail.isEmpty ? .null : .string(said.detail), "at": .string(said.at.rfc3339),
        ])
    }

    /// A text that says if a person has read the message.
    private var reading: String {
        if let at = trace.readAt { return "yes, \(at.rfc3339)" }
        if let at = trace.displayedAt { return "no, but on the screen at \(at.rfc3339)" }
        return trace.told.isEmpty ? "no report from the phone" : "no"
    }

    private static func json(_ step: DeviceTrace.Step) -> JSONValue {
        .object([
            "attempt": .number(JSONNumber(Int(step.attempt))),
            "rung": step.rung.map { .string($0.name) } ?? .null,
            "requests": .number(JSONNumber(step.requests)),
            "result": .string(result(step)), "reason": step.reason.map(JSONValue.string) ?? .null,
            "planned_at": instant(step.plannedAt), "begun_at": instant(step.begunAt),
            "due_at": instant(step.dueAt), "settled_at": instant(step.settledAt),
        ])
    }

    private static func result(_ step: DeviceTrace.Step) -> String {
        switch step.result {
        case nil: "forgotten"
        case .pending: "pending"
        case .held: "held"
        case .retry(let rung): "retry after \(rung.name)"
        case .outcome(let outcome): outcome.name
        }
    }

    private static func instant(_ instant: Timestamp?) -> JSONValue { instant.map { .string($0.rfc3339) } ?? .null }

    /// The trace for people, as a block of lines.
    package var text: String {
        var table = TextTable(columns: [.left, .left])
        let name = trace.name.map { ", \"\($0)\"" } ?? ""
        let why = [pendingIn, trace.reason].compactMap { $0 }
        table.add(["campaign", "\(trace.campaign.app)/\(trace.campaign.id)\(name)"])
        table.add(["outcome", outcome + (why.isEmpty ? "" : " (\(why.joined(separator: ", ")))")])
        let token = Self.short(trace.token, provider: trace.provider)
        table.add(["device", "\(trace.id ?? "without a name"), \(trace.provider.rawValue) \(token)"])
        table.add(["requests", NumberText.grouped(trace.requests) + (requestID.map { ", id \($0)" } ?? "")])
        let instants: [(String, Timestamp?)] = [
            ("planned", trace.steps.first?.plannedAt), ("first request", trace.firstRequestAt),
            ("last answer", trace.lastAnswerAt), ("next retry", nextRetry),
            ("settled", trace.outcome == nil ? nil : trace.steps.last?.settledAt),
        ]
        for (name, instant) in instants { if let instant { table.add([name, instant.rfc3339]) } }
        table.add(["read", reading])
        if trace.steps.count > 1 {
            for step in trace.steps {
                let reason = step.reason.map { " (\($0))" } ?? ""
                let settled = step.settledAt.map { " at \($0.rfc3339)" } ?? ""
                table.add(["attempt \(step.attempt)", Self.result(step) + reason + settled])
            }
        }
        return table.text
    }

    /// Returns a token for a terminal, shortened: enough to recognize it, too little to send to it.
    package static func short(_ token: [UInt8], provider: ProviderName) -> String {
        let text = ProviderRegistry.tokens.text(of: token, provider: provider)
        return text.utf8.count <= 16 ? text : "\(text.prefix(8))…\(text.suffix(4))"
    }
}
