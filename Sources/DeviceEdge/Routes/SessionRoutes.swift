import Campaigns
import HTTPTypes
import HummingbirdCore
import NIOCore
import Settings
import Store
import WebServing

/// Starts sessions: the in-app messages that a device may show, and the campaigns that its app presents.
enum SessionRoutes {
    static let all: [Route<EdgeResponder>] = [Route(.post, "/v1/sessions", .device, "startSession", start)]

    /// Returns all messages that the device is eligible for; 304 when it names the tag of the same messages.
    private static func start(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let decoded = SessionStart.decode(try await BodyReader.value(call.request))
        guard let session = decoded.session else { throw EdgeRefusal(decoded.problems) }
        let answer = try await core.sessions.answer(
            app: call.app.name,
            installation: call.device.installation,
            locale: session.locale,
            keys: call.app.messageKeys,
            rules: call.app.rules,
            now: core.ledger.now()
        )
        guard let answer else {
            throw EdgeRefusal(.forbidden, .integrationKeyUnknown, "the device is not registered any more")
        }
        var fields: HTTPFields = [.eTag: answer.entityTag, .cacheControl: "private, no-cache"]
        if EntityTags.names(call.request.headers[.ifNoneMatch], answer.entityTag) {
            return HTTPAnswer(.notModified, headers: fields)
        }
        fields[.contentType] = "application/json"
        return HTTPAnswer(.ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
