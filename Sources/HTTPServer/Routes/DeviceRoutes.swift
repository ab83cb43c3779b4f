import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import PushProviders
import Store
import WebServing

/// Devices of the registry, for an app's back end and for operators.
enum DeviceRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.put, "/v1/apps/{app}/devices/{device}", .role(.operator), "putDevice", put),
        Route(.get, "/v1/apps/{app}/devices/{device}", .role(.viewer), "getDevice", show),
        Route(.delete, "/v1/apps/{app}/devices/{device}", .role(.operator), "forgetDevice", forget),
        Route(.post, "/v1/apps/{app}/devices:trace", .role(.viewer), "traceDevice", trace),
    ]

    /// Registers or changes a device: one line of `device import`, with the id from the path.
    private static func put(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (try call.app(), call.parameter("device"))
        guard case .object(var members) = try await BodyReader.value(call.request) else {
            throw HTTPProblem(.usage, "the body must be an object")
        }
        if let given = members.first(where: { $0.name == "id" })?.value {
            guard given == .string(id) else { throw HTTPProblem(.usage, "the body's id differs from the path's") }
        } else {
            members.append(JSONMember("id", .string(id)))
        }
        let decoded = DeviceRegistration.decode(.object(members), ProviderRegistry.tokens)
        guard let registration = decoded.registration else {
            throw HTTPProblem(
                ProblemDocument(.invalidAudience, title: "The device cannot be registered", errors: decoded.problems)
            )
        }
        let result = try await Registry.register([registration], app: app, in: core.ledger).first
        let word = result?.rawValue ?? ""
        guard let result, ![.outdated, .forgotten, .tooMany].contains(result) else {
            throw HTTPProblem(.wrongState, "the device is not registered: \(word.replacing("_", with: " "))")
        }
        return .json(["app": .string(app), "id": .string(id), "result": .string(word)])
    }

    private static func show(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        return .json(try await DeviceView.read(try await device(call, core), in: core.ledger).json)
    }

    private static func forget(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let device = try await device(call, core)
        let app = call.parameter("app")
        let (forgotten, places) = try await Registry.forget([device], app: app, in: core.ledger)
        return .json([
            "app": .string(app), "forgotten": .array(forgotten.map(JSONValue.string)),
            "list_places": .number(JSONNumber(places)),
        ])
    }

    /// Returns what campaigns did for a device, for all devices of a user, or for a token.
    ///
    /// The search is the request's body, because a path is kept in logs.
    private static func trace(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let app = try call.app()
        var body = try await BodyMembers(call.request, ["device", "user", "token", "since"])
        let since = body.value("since", "give an instant, for example 2026-11-20T21:30:00Z") {
            try? Timestamp(rfc3339: $0)
        }
        let searches: [DeviceSearch] = [
            body.text("device").map { .device($0) }, body.text("user").map { .user($0) },
            body.text("token").map { .token($0) },
        ].compactMap { $0 }
        try body.check("The search cannot be used")
        guard let search = searches.first, searches.count == 1 else {
            throw HTTPProblem(.usage, "name a device, a user, or a token: one of them")
        }
        let permit = try core.longReads.begin(for: call.caller.name)
        defer { withExtendedLifetime(permit) {} }
        let traces = try await search.traces(
            app: app,
            since: since ?? Timestamp(milliseconds: 0),
            in: core.ledger
        )
        guard let traces else {
            throw HTTPProblem(.notFound, "the registry of \(app) has no such device, and no campaign's audience either")
        }
        return .json(["traces": .array(traces.map { DeviceTraceView($0).json })])
    }

    private static func device(_ call: Call<APIResponder>, _ core: APICore) async throws -> RegisteredDevice {
        let (app, id) = (try call.app(), call.parameter("device"))
        guard let device = try await core.ledger.read({ try $0.device(app: app, installation: id) }) else {
            throw HTTPProblem(.notFound, "the registry of \(app) has no such device")
        }
        return device
    }
}
