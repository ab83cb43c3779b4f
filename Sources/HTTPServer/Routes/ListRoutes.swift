import Campaigns
import HTTPTypes
import HummingbirdCore
import NIOCore
import Operations
import Store
import WebServing

/// Lists of devices.
enum ListRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.put, "/v1/apps/{app}/lists/{list}", .role(.operator), "putList", put),
        Route(.get, "/v1/apps/{app}/lists", .role(.viewer), "listLists", list),
    ]

    private static let formats: [String: AudienceFileFormat] = ["text/csv": .csv, "application/x-ndjson": .ndjson]

    /// Stores a new version of a list from a body of any length, which is never in memory as a whole.
    private static func put(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["content_type"])
        let (app, name) = (try call.app(), call.parameter("list"))
        guard NameRule.isID(name) else {
            throw HTTPProblem(.usage, "a list's name is 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
        }
        let type = try BodyReader.type(of: call.request, call.query, among: formats.keys.sorted())
        guard let format = formats[type] else { preconditionFailure("the type \(type) was not refused") }
        let result = try await upload(call, AudienceStream(format, app: app, list: name, to: core.ledger))
        switch result {
        case .uploaded(let summary, let warnings):
            return .json(summary.json(app: app, list: name, warnings: warnings), summary.isKnown ? .ok : .created)
        case .refused(let report): throw HTTPProblem(report.refusal(of: "the body"))
        }
    }

    private static func upload(_ call: Call<APIResponder>, _ stream: AudienceStream) async throws -> AudienceFile.Result
    {
        do {
            try await BodyReader.pieces(call.request) { piece in
                try await stream.take(Array(piece.readableBytesView))
                return !stream.isUnusable
            }
            return try await stream.finish()
        } catch {
            // The first error is the one that the caller has to fix.
            try? await stream.abandon()
            throw error
        }
    }

    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let app = try call.app()
        let records = try await core.ledger.read { try $0.lists(app: app) }
        return .json(["lists": .array(records.compactMap { ListRow($0)?.json })])
    }
}
