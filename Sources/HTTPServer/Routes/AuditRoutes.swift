import Campaigns
import HTTPTypes
import Store
import WebServing

/// The audit log.
enum AuditRoutes {
    static let all: [Route<APIResponder>] = [Route(.get, "/v1/audit", .role(.admin), "listAudit", list)]

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["limit", "cursor"])
        // Operations span all apps, so only a token for all apps may read them.
        guard call.caller.apps == nil else { throw HTTPProblem(.forbidden, "this needs a token for all apps") }
        let limit = try call.query.number("limit", in: 1...200, default: 50)
        let cursor = try call.query.number("cursor", in: 1...Int.max, default: .max)
        let entries = try await core.ledger.read { try $0.audit(before: Int64(cursor), limit: limit) }
        let next = entries.count == limit ? entries.last.map { JSONValue.string(String($0.sequence)) } : nil
        return .json(["entries": .array(entries.map(\.json)), "next": next ?? .null])
    }
}

extension AuditEntry {
    fileprivate var json: JSONValue {
        [
            "seq": .number(JSONNumber(Int(sequence))), "at": .string(at.rfc3339), "actor": .string(actor),
            "role": .string(role), "peer": .string(peer), "operation": .string(operation), "path": .string(path),
            "status": .number(JSONNumber(status)), "request": .string(request),
        ]
    }
}
