import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import PushProviders
import Settings
import Store
import WebServing

/// The fleet as a whole, and the apps that it sends for.
enum FleetRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/status", .role(.viewer), "getStatus", status),
        Route(.get, "/v1/apps", .role(.viewer), "listApps", apps),
        Route(.get, "/v1/caller", .role(.viewer), "getCaller", caller),
    ]

    /// Returns the document of `fanfare status --json`.
    private static func status(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        guard call.caller.apps == nil else { throw HTTPProblem(.forbidden, "this needs a token for all apps") }
        return .json(try await core.fleet.view().json)
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
