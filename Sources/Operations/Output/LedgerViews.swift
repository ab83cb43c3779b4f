package import Campaigns
import Delivery
package import Store

extension CampaignStatusView {
    /// Creates the contract's view of a status; the observer adds rate and end.
    package init(_ status: CampaignStatus) {
        self.init(id: status.id, app: status.app, state: status.state)
        kind = status.kind
        sendsPushes = status.sendsPushes
        name = status.name
        tags = status.tags
        metadata = status.metadata
        supersededBy = status.supersededBy
        audience = status.audience
        isPlanning = status.isPlanning
        estimate = status.estimate
        unexamined = status.unexamined
        outcomes = status.counts
        pending = status.pending
        providers = status.providers.map {
            Provider(
                name: $0.provider.rawValue,
                audience: $0.audience,
                outcomes: $0.counts,
                pending: $0.pending,
                pausedBy: $0.pausedBy.map(\.rawValue).sorted()
            )
        }
        attempts = status.attempts
        maybeSent = status.maybeSent
        unknownResent = status.unknownResent
        reasons = status.reasons
        nextRetryAt = status.nextRetryAt
        createdAt = status.createdAt
        acceptedAt = status.acceptedAt
        startedAt = status.startedAt
        completedAt = status.completedAt
        expiresAt = status.expiresAt.asEnd
        parts = status.parts.map(\.json)
        retries = status.retries.sorted { $0.key < $1.key }.map { Retries(rung: $0.key.name, devices: $0.value) }
        repetition = status.repetition.map { RepeatView($0) }
        runOf = status.runOf
        retryReasons = status.retryReasons
        if case .violated(let detail) = status.law { lawViolation = detail }
        note(status.stateFacts)
    }
}

extension CampaignStatusView {
    /// Creates the view of a refused job: it has no devices, and its problems are the reason.
    package init(_ refused: RefusedJob) {
        self.init(id: refused.id, app: refused.app, state: CampaignStage.refused.rawValue)
        let document = JSONReader.read(refused.document).value.flatMap { ProblemDocument(json: $0) }
        stateReason = document?.errors.map(\.text).joined(separator: "; ")
    }
}

extension CampaignRow {
    /// Creates a row from a summary of the ledger.
    package init(_ summary: CampaignSummary) {
        self.init(
            id: summary.facts.id,
            app: summary.facts.app,
            name: summary.name,
            state: summary.state,
            audience: summary.audience,
            acceptedAt: summary.acceptedAt,
            completedAt: summary.completedAt
        )
        kind = summary.kind
        reasons = summary.state == "paused" ? summary.facts.pauseReasons.map(\.rawValue).sorted() : []
    }
}

extension ListRow {
    /// Creates a row from a version of a named list; nil for the devices of one job, which have no name.
    package init?(_ record: ListRecord) {
        guard let name = record.name else { return nil }
        self.init(
            app: record.app,
            name: name,
            version: record.version,
            devices: record.devices,
            duplicates: record.duplicates,
            createdAt: record.createdAt
        )
    }
}

extension ParkedRow {
    /// Creates a row from a parked message of the ledger.
    package init(_ message: ParkedMessage) {
        self.init(
            id: String(message.id),
            queue: message.queue,
            reason: message.reason,
            firstAt: message.firstAt,
            lastAt: message.lastAt
        )
        errors = (JSONReader.read(Array(message.errors.utf8)).value?.array ?? []).compactMap { Problem(json: $0) }
        app = message.app
        campaign = message.campaign
        devices = message.devices ?? 0
    }

    /// Returns a message with its headers and its body, as `parked show --json` and the HTTP API show it.
    package static func document(_ message: ParkedMessage) -> JSONValue {
        let headers = JSONReader.read(Array(message.headers.utf8)).value ?? .null
        let body = String(validating: message.body, as: UTF8.self)
        let more = [
            JSONMember("headers", headers), JSONMember("body", body.map(JSONValue.string) ?? .null),
            JSONMember("body_bytes", .number(JSONNumber(message.body.count))),
        ]
        return .object((ParkedRow(message).json.members ?? []) + more)
    }
}

extension PartStatus {
    /// The part as a member of `campaign status --json`.
    fileprivate var json: JSONValue {
        let facts: [JSONMember] = [
            JSONMember("provider", provider.map { .string($0.rawValue) } ?? .null),
            JSONMember("time_zone", timeZone.map(JSONValue.string) ?? .null),
            JSONMember("release_at", .string(releaseAt.rfc3339)),
            JSONMember("expires_at", expiresAt.asEnd.map { .string($0.rfc3339) } ?? .null),
            JSONMember("audience", .number(JSONNumber(devices))),
            JSONMember("unplanned", .number(JSONNumber(unplanned))),
            JSONMember("quiet_until", quietUntil.map { .string($0.rfc3339) } ?? .null),
        ]
        return .object(facts + Outcome.allCases.map { JSONMember($0.name, .number(JSONNumber(counts[$0]))) })
    }
}
