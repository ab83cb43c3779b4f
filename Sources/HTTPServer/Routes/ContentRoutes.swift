import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import Store
import WebServing

/// Contents that pushes name, uploaded by an operator.
enum ContentRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.put, "/v1/apps/{app}/contents/{content}", .role(.operator), "putContent", put),
        Route(.get, "/v1/apps/{app}/contents/{content}", .role(.viewer), "getContent", show),
        Route(.delete, "/v1/apps/{app}/contents/{content}", .role(.operator), "removeContent", remove),
        Route(.get, "/v1/apps/{app}/contents", .role(.viewer), "listContents", list),
    ]

    private static func put(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["type", "content_type"])
        let (app, id) = (try call.app(), call.parameter("content"))
        let types = ContentType.allCases.map(\.rawValue)
        let type = try BodyReader.type(of: call.request, call.query, among: types)
        guard let contentType = ContentType(rawValue: type) else {
            preconditionFailure("the type \(type) was not refused")
        }
        let bytes = try await BodyReader.bytes(call.request, upTo: ContentType.bytesMax)
        var problems: [Problem] = []
        let upload = ContentUpload(
            id: id,
            type: call.query["type"],
            contentType: contentType,
            bytes: bytes,
            &problems
        )
        guard let upload else {
            throw HTTPProblem(
                ProblemDocument(.invalidContent, title: "The content cannot be stored", errors: problems)
            )
        }
        let result = try await upload.put(app: app, in: core.ledger)
        if result == .ofCampaign {
            throw HTTPProblem(.wrongState, "a campaign has this id, and brings its own content")
        }
        let stored = try await core.ledger.read { try $0.contentHead(app: app, id: id) }
        guard let stored else { throw HTTPProblem(.notFound, "\(app) has no such content any more") }
        return .json(ContentRow(stored).json, result == .added ? .created : .ok)
    }

    private static func show(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (try call.app(), call.parameter("content"))
        guard let content = try await core.ledger.read({ try $0.content(app: app, id: id) }) else {
            throw HTTPProblem(.notFound, "\(app) has no such content")
        }
        return ContentAnswer.make(content, for: call.request.headers)
    }

    private static func remove(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (try call.app(), call.parameter("content"))
        let removal = try await core.ledger.write(.synced) { try $0.removeContent(app: app, id: id) }
        switch removal {
        case .removed: return .json(["app": .string(app), "id": .string(id), "result": .string(removal.rawValue)])
        case .ofCampaign: throw HTTPProblem(.wrongState, "a campaign brought it, and it is removed with the campaign")
        case .missing: throw HTTPProblem(.notFound, "\(app) has no such content")
        }
    }

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let app = try call.app()
        let contents = try await core.ledger.read { try $0.contents(app: app) }
        return .json(["contents": .array(contents.map { ContentRow($0).json })])
    }
}
