import Campaigns
import HTTPTypes
import Operations
import Store
import WebServing

/// The webhooks of apps.yaml.
enum WebhookRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/webhooks", .role(.viewer), "listWebhooks", list),
        Route(.post, "/v1/webhooks/{number}:resume", .role(.operator), "resumeWebhook", resume),
    ]

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["app"])
        let app = try call.query.app()
        if let app { try call.caller.require(app: app) }
        let records = try await core.ledger.read { try $0.webhooks(app: app) }
        let views = records.filter { call.caller.mayUse($0.app) }.map { WebhookView($0) }
        return .json(["webhooks": .array(views.map(\.json))])
    }

    /// Has a webhook tried again at once, also one that was given up.
    private static func resume(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let missing = HTTPProblem(.notFound, "there is no such webhook: see /v1/webhooks")
        guard let number = Int64(call.parameter("number")) else { throw missing }
        let known = try await core.ledger.read { try $0.webhooks() }
        guard let known = known.first(where: { $0.number == number }), call.caller.mayUse(known.app) else {
            throw missing
        }
        let now = core.ledger.now()
        guard let record = try await core.ledger.write(.synced, { try $0.resumeWebhook(number, now: now) }) else {
            throw missing
        }
        return .json(WebhookView(record).json)
    }
}
