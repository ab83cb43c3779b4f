import Campaigns
import HTTPTypes
import Operations
import Settings
import Store
import WebServing

/// The fleet as a whole, and the apps that it sends for.
enum FleetRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/status", .role(.viewer), "getStatus", status),
        Route(.get, "/v1/apps", .role(.viewer), "listApps", apps),
        Route(.get, "/v1/reload", .role(.viewer), "getReload", answers),
        Route(.post, "/v1/reload", .role(.operator), "orderReload", reload),
        Route(.get, "/v1/caller", .role(.viewer), "getCaller", caller),
    ]

    /// Returns the document of `fanfare status --json`.
    private static func status(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        try requireAllApps(call)
        return .json(await core.fleet.view().json)
    }

    private static func requireAllApps(_ call: Call<APIResponder>) throws(HTTPProblem) {
        guard call.caller.apps == nil else { throw HTTPProblem(.forbidden, "this needs a token for all apps") }
    }

    /// Orders all workers to read their files again, as `fanfare app reload`, and returns at once.
    private static func reload(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["dry_run"])
        let isDryRun = try call.query.flag("dry_run")
        try requireAllApps(call)
        let standing = try await FleetReload.order(by: call.caller.name, in: core.ledger, isDryRun: isDryRun)
        if !isDryRun {
            // The answer waits for no broker: only workers of the version before need the hint.
            Task { [broker = core.server.configuration.amqp] in await FleetReload.hint(standing, broker) }
        }
        return .json(JSONValue.object(ReloadView(standing).members).marked(isDryRun: isDryRun))
    }

    /// Returns the workers' answers to the newest order.
    private static func answers(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        try requireAllApps(call)
        guard let standing = try await FleetReload.standing(in: core.ledger) else {
            throw HTTPProblem(.notFound, "no reload was ever ordered: see POST /v1/reload")
        }
        return .json(JSONValue.object(ReloadView(standing).members))
    }

    /// Returns the name, role and apps of the caller's token.
    private static func caller(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let apps = call.caller.apps.map { JSONValue.array($0.sorted().map(JSONValue.string)) }
        return .json([
            "name": .string(call.caller.name), "role": .string(call.caller.role.rawValue), "apps": apps ?? .null,
        ])
    }

    /// Returns the apps of this host's file: names and the public facts of their accounts, never a key.
    private static func apps(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let apps = core.server.apps.all.filter { call.caller.mayUse($0.name) }
        return .json(["apps": .array(apps.map(\.summaryJSON))])
    }
}
