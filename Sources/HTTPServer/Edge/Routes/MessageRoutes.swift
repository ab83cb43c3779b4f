import Fleet
import HTTPTypes
import HummingbirdCore
import Store

/// Contents as the pushes of an app name them, for the devices of the app.
enum MessageRoutes {
    static let all = [EdgeRoute(.get, "/v1/messages/{id}", .device, "getMessage", get)]

    /// What is stored under an id, by an operator or by a campaign: whole, in part, or only whether it has changed.
    private static func get(_ call: EdgeCall, _ core: ServerCore) async throws -> Answer {
        try call.query.allow([])
        let (app, id) = (call.app.name, call.parameter("id"))
        // A phone that has it costs no copy of it.
        if call.request.headers[.ifNoneMatch] != nil,
            let head = try await core.ledger.read({ try $0.contentHead(app: app, id: id) }),
            let answer = ContentAnswer.unchanged(head, for: call.request.headers)
        {
            return answer
        }
        guard let content = try await core.ledger.read({ try $0.content(app: app, id: id) }) else {
            throw EdgeRefusal(.notFound, .unexpectedError, "there is no content of this id")
        }
        return ContentAnswer.make(content, for: call.request.headers)
    }
}
