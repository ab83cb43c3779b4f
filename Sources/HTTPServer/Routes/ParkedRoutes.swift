import Campaigns
import Delivery
import HTTPTypes
import Operations
import Store
import WebServing

/// Parked messages, which wait for a person.
enum ParkedRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/parked", .role(.viewer), "listParked", list),
        Route(.get, "/v1/parked/{number}", .role(.viewer), "getParked", show),
        Route(.post, "/v1/parked/{number}:replay", .role(.operator), "replayParked") { call, core in
            try await carryOut(.replay, call, core)
        },
        Route(.post, "/v1/parked/{number}:discard", .role(.operator), "discardParked") { call, core in
            try await carryOut(.discard, call, core)
        },
        Route(.post, "/v1/parked:replay", .role(.operator), "replayParkedMany") { call, core in
            try await ParkedMany(call, core).carryOut(.replay)
        },
        Route(.post, "/v1/parked:discard", .role(.operator), "discardParkedMany") { call, core in
            try await ParkedMany(call, core).carryOut(.discard)
        },
    ]

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["app", "campaign", "reason", "limit"])
        let app = try call.query.app()
        if let app { try call.caller.require(app: app) }
        guard app != nil || call.caller.apps == nil else {
            throw HTTPProblem(.usage, "name an app: this token is not for all of them")
        }
        let filter = ParkedFilter(app: app, campaign: call.query["campaign"], reason: call.query["reason"])
        let limit = try call.query.number("limit", in: 1...200, default: 100)
        let found = try await core.ledger.read { try $0.parked(limit: limit, filter) }
        return .json(["parked": .array(found.map { ParkedRow($0).json })])
    }

    private static func show(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        return .json(ParkedRow.document(try await message(call, core)))
    }

    /// Handles one message and returns the document of `parked replay --json`; `dry_run=true` changes nothing.
    private static func carryOut(
        _ order: ParkedOrder,
        _ call: Call<APIResponder>,
        _ core: APICore
    ) async throws -> HTTPAnswer {
        try call.query.allow(["dry_run"])
        let isDry = try call.query.flag("dry_run")
        let message = try await message(call, core)
        let handling = ParkedHandling(order: order, isDryRun: isDry)
        return .json(
            try await handling.carryOut(message.id, in: core.ledger) { try await core.broker.publish(again: $0) }.json
        )
    }

    /// Returns the path's message; 404 for messages of apps that the caller may not use.
    private static func message(_ call: Call<APIResponder>, _ core: APICore) async throws -> ParkedMessage {
        let missing = HTTPProblem(.notFound, "there is no such parked message")
        guard let number = Int64(call.parameter("number")), number > 0 else { throw missing }
        guard let message = try await core.ledger.read({ try $0.parked(id: number) }) else { throw missing }
        guard call.caller.apps == nil || message.app.map(call.caller.mayUse) == true else { throw missing }
        return message
    }
}
