import Campaigns
import Delivery
import HTTPTypes
import HummingbirdCore
import Operations
import Store
import WebServing

/// Pauses of more than one campaign: of an app, a provider, an urgency, or of everything.
enum PauseRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/pauses", .role(.viewer), "listPauses", list),
        Route(.post, "/v1/pauses", .role(.operator), "pauseFleet", pause),
        Route(.post, "/v1/pauses:end", .role(.operator), "resumeFleet", resume),
    ]

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let pauses = try await core.ledger.read { try $0.pauses() }
        return .json(FleetPause.json(visible(pauses, call.caller)))
    }

    private static func pause(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        let (scope, dry) = try await order(call, core)
        let (isNew, all) = try await FleetPause.begin(scope, by: call.caller.name, in: core.ledger, isDryRun: dry)
        let document: JSONValue = ["existing": .bool(!isNew), "pauses": FleetPause.list(visible(all, call.caller))]
        return .json(document.marked(isDryRun: dry))
    }

    /// Ends the pauses within a scope; `held_by` has those that still hold a part of it, because they are for more.
    private static func resume(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        let (scope, dry) = try await order(call, core)
        let (ended, left) = try await FleetPause.end(scope, by: call.caller.name, in: core.ledger, isDryRun: dry)
        let document: JSONValue = [
            "ended": FleetPause.list(ended), "held_by": FleetPause.list(left.filter { $0.scope.meets(scope) }),
            "pauses": FleetPause.list(visible(left, call.caller)),
        ]
        return .json(document.marked(isDryRun: dry))
    }

    /// Reads a scope, which names an app unless the caller's token is for all of them.
    private static func order(
        _ call: Call<APIResponder>,
        _ core: APICore
    ) async throws -> (scope: PauseScope, isDryRun: Bool) {
        try call.query.allow(["dry_run"])
        let isDryRun = try call.query.flag("dry_run")
        var body = try await BodyMembers(call.request, ["app", "provider", "urgency"])
        let (app, provider, urgency) = (body.text("app"), body.text("provider"), body.text("urgency"))
        if let app { try call.caller.require(app: app) }
        // A wrong member must not become a wider scope.
        try body.check("The scope cannot be used")
        guard app != nil || call.caller.apps == nil else {
            throw HTTPProblem(.forbidden, "name an app: this token is not for all of them")
        }
        let read = try await FleetPause.scope(
            app: app,
            provider: provider,
            urgency: urgency,
            in: core.ledger,
            isVisible: call.caller.mayUse
        )
        body.refuse(read.problems)
        try body.check("The scope cannot be used")
        return (read.scope, isDryRun)
    }

    /// Returns the pauses that concern the caller: of other apps it learns nothing.
    private static func visible(_ pauses: [PauseRecord], _ caller: Caller) -> [PauseRecord] {
        pauses.filter { $0.scope.app.map(caller.mayUse) ?? true }
    }
}
