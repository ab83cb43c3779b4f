import Campaigns
package import HummingbirdCore
import NIOCore
package import Settings
package import WebServing

/// The device edge as a role of a server: at its own address, or beside the API at the server's.
package struct ServedEdge: ServedRole {
    private let responder: EdgeResponder
    private let connections: EdgeConnections

    package static let section = OpenAPISection(
        EdgeRoutes.all,
        EdgeOperations.all,
        schemas: EdgeSchemas.all,
        refusal: [
            "description": "A refusal of the edge",
            "content": ["application/json": ["schema": JSONSchema.reference("EdgeRefusal")]],
        ],
        failure: "5XX"
    ) { access in
        let keys: [JSONValue] = access == .device ? [] : [["integrationKey": []]]
        return [
            JSONMember("tags", ["edge"]), JSONMember("security", .array(keys + [["deviceSecret": []]])),
        ]
    }

    package init?(_ server: ServerCore) throws(ConfigurationError) {
        guard server.configuration.server.roles.contains(.edge) else { return nil }
        responder = EdgeResponder(EdgeCore(server), RouteTable(EdgeRoutes.all + WebRoutes.all))
        connections = EdgeConnections(responder)
    }

    /// The state of the routes.
    var core: EdgeCore { responder.state }

    package var ownAddress: Configuration.NetworkAddress? { core.server.configuration.server.edgeListen }

    package var fastPath: (any FastPath)? { connections }

    package func respond(to request: Request, from connection: Peer) async -> Response? {
        if ownAddress != nil { return await responder.replyAtOwnAddress(to: request, from: connection).response }
        guard let target = responder.ownTarget(of: request.head) else { return nil }
        return await responder.reply(to: request, at: target, from: connection).response
    }

    package func close() async { await core.tracking.close() }
}

/// The connections that the edge answers on their own loops.
struct EdgeConnections: FastPath {
    private let responder: EdgeResponder
    private let intakes: TrackingIntakes

    init(_ responder: EdgeResponder) {
        self.responder = responder
        intakes = TrackingIntakes(responder.state)
    }

    func http1(_ connection: ConnectionState, on channel: any Channel) -> any ChannelHandler {
        EdgeFastPath(responder, intakes.intake(on: channel.eventLoop), connection, on: channel)
    }

    func http2(_ connection: ConnectionState, on channel: any Channel) throws -> any ChannelHandler {
        try EdgeStreams(responder, intakes.intake(on: channel.eventLoop), connection, on: channel)
    }
}
