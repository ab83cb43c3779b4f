import Campaigns
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store
import WebServing

/// Streams of events, for browsers' EventSource and for curl -N.
enum EventRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/events", .role(.viewer), "streamEvents") { call, core in
            try call.query.allow([])
            return try await stream(.fleet(apps: call.caller.apps), call, core)
        },
        Route(.get, "/v1/campaigns/{app}/{id}/events", .role(.viewer), "streamCampaignEvents") { call, core in
            try call.query.allow([])
            let (app, id) = (try call.app(), call.parameter("id"))
            guard let number = try await core.ledger.read({ try $0.campaignNumber(app: app, id: id) }) else {
                throw CampaignRoutes.notFound(id)
            }
            return try await stream(.campaign(number), call, core)
        },
    ]

    private static let lastEventID = HTTPField.Name("Last-Event-ID")

    /// Streams events; ends with the campaign, the server, the token's access, or when the client leaves.
    private static func stream(
        _ topic: LiveFeed.Topic,
        _ call: Call<APIResponder>,
        _ core: APICore
    ) async throws -> HTTPAnswer {
        let last = lastEventID.flatMap { call.request.headers[$0] }
        let after = last.flatMap { Int64($0) }
        guard last == nil || (after ?? -1) >= 0 else {
            throw HTTPProblem(.usage, "Last-Event-ID is the id of an event")
        }
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        if call.request.method == .head { return HTTPAnswer(headers: headers) }
        let isGood = core.gate.recheck(call.caller, authorization: call.request.headers[.authorization])
        let texts = try await core.feed.subscribe(topic, after: after, for: call.caller.name, while: isGood)
        let body = ResponseBody { writer in
            // At once, so that the answer's head leaves before the first event.
            try await writer.write(ByteBuffer(string: LiveEvent.heartbeat))
            for await text in texts { try await writer.write(ByteBuffer(string: text)) }
            try await writer.finish(nil)
        }
        return HTTPAnswer(headers: headers, body: body)
    }
}
