import Delivery
import Fleet
import HTTPTypes
import HummingbirdCore
import Store

/// Contents as the pushes of an app name them, for the devices of the app.
enum MessageRoutes {
    static let all = [EdgeRoute(.get, "/v1/messages/{id}", .device, "getMessage", get)]

    /// Where a phone shows the signed id of the push that named the content.
    private static let message = HTTPField.Name("Fanfare-Message")

    /// What is stored under an id, by an operator or by a campaign: whole, in part, or only whether it has changed.
    ///
    /// A campaign's that the device has no push of, or that has sent none so far, is answered as one that is not there.
    private static func get(_ call: EdgeCall, _ core: ServerCore) async throws -> Answer {
        try call.query.allow([])
        let (app, id) = (call.app.name, call.parameter("id"))
        // Whoever may not have it, or has it, costs no copy of it, and all that fetch it at a time cost one.
        guard let head = try await core.ledger.read({ try $0.contentHead(app: app, id: id) }),
            ContentAccess.opens(head.owner, shown: campaign(call))
        else { throw missing }
        if let answer = ContentAnswer.unchanged(head, for: call.request.headers) { return answer }
        guard let content = try await core.contents.content(head) else { throw missing }
        return ContentAnswer.make(content, for: call.request.headers)
    }

    private static let missing = EdgeRefusal(.notFound, .unexpectedError, "there is no content of this id")

    /// The campaign of the push whose signed id is shown; nil without one, or for one that is made up.
    private static func campaign(_ call: EdgeCall) -> UInt32? {
        guard let text = message.flatMap({ call.request.headers[$0] }), let keys = call.app.messageKeys else {
            return nil
        }
        return MessageID(text.utf8, app: call.app.name, keys: keys)?.campaign
    }
}
