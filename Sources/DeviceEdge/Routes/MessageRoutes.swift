import Delivery
import HTTPTypes
import HummingbirdCore
import Settings
import Store
import WebServing

/// Contents for an app's devices, under the names that pushes carry.
enum MessageRoutes {
    static let all: [Route<EdgeResponder>] = [Route(.get, "/v1/messages/{id}", .device, "getMessage", get)]

    /// The field with the signed id of the push that named the content.
    private static let message = HTTPField.Name("Fanfare-Message")

    /// Returns the content of an id, stored by an operator or by a campaign: whole, in part, or 304.
    ///
    /// A campaign's content is 404 for a device without its push, and until the campaign has sent one.
    private static func get(_ call: Call<EdgeResponder>, _ core: EdgeCore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (call.app.name, call.parameter("id"))
        // A phone that may not have it, or has it, costs no copy of it; concurrent readers share one.
        guard let head = try await core.ledger.read({ try $0.contentHead(app: app, id: id) }),
            ContentAccess.opens(head.owner, shown: campaign(call))
        else { throw missing }
        if let answer = ContentAnswer.unchanged(head, for: call.request.headers) { return answer }
        guard let content = try await core.contents.content(head) else { throw missing }
        var answer = ContentAnswer.make(content.head, content.bytes, for: call.request.headers)
        answer.owner = content
        return answer
    }

    private static let missing = EdgeRefusal(.notFound, .unexpectedError, "there is no content of this id")

    /// Returns the campaign of the push whose signed id is shown; nil without an id or for a forged one.
    private static func campaign(_ call: Call<EdgeResponder>) -> UInt32? {
        guard let text = message.flatMap({ call.request.headers[$0] }), let keys = call.app.messageKeys else {
            return nil
        }
        return MessageID(text.utf8, app: call.app.name, keys: keys)?.campaign
    }
}
