import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import Store
import WebServing

/// Broadcast channels of Live Activities.
enum ChannelRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.post, "/v1/apps/{app}/channels", .role(.operator), "createChannel", create),
        Route(.get, "/v1/apps/{app}/channels", .role(.viewer), "listChannels", list),
        Route(.get, "/v1/apps/{app}/channels:compare", .role(.operator), "compareChannels", compare),
        Route(.delete, "/v1/apps/{app}/channels/{channel}", .role(.operator), "removeChannel", remove),
    ]

    private static func create(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let app = try call.app()
        var body = try await BodyMembers(call.request, ["name", "storage", "environment", "id"])
        let (name, environment, id) = (body.text("name"), body.text("environment"), body.text("id"))
        let storage = body.value("storage", "none or latest") { BroadcastChannel.Storage(rawValue: $0) }
        if body["name"] == nil {
            body.refuse("name", .required, "a channel has a name", "give name, for example derby-21")
        }
        try body.check("The channel cannot be made")
        let channel = try await orders(app, core).create(
            name ?? "",
            storage: storage ?? .nothing,
            environment: environment,
            id: id
        )
        return .json(ChannelRow(channel).json, .created)
    }

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let app = try call.app()
        let channels = try await core.ledger.read { try $0.channels(app: app) }
        return .json(["channels": .array(channels.map { ChannelRow($0).json })])
    }

    /// Asks Apple for its channels, and tells those without a name and the names without a channel.
    private static func compare(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["environment"])
        let strays = try await orders(try call.app(), core).strays(in: call.query["environment"])
        return .json([
            "unnamed": .array(strays.unnamed.map(JSONValue.string)), "gone": .array(strays.gone.map(JSONValue.string)),
        ])
    }

    private static func remove(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let channel = try await orders(try call.app(), core).remove(call.parameter("channel"))
        return .json([
            "app": .string(channel.app), "name": .string(channel.name), "id": .string(channel.id),
            "result": "removed",
        ])
    }

    private static func orders(_ app: String, _ core: APICore) throws -> ChannelOrders {
        try ChannelOrders(app, among: core.server.apps.all, in: core.ledger)
    }
}
