import Campaigns
import Delivery
import HTTPTypes
import Operations
import Store
import WebServing

/// Uploads of lists in parts: a client that was cut asks how many parts are there, and goes on.
///
/// A part is small enough to be repeated and to be in memory as a whole. The hash in the query shows that it arrived as
/// it was sent.
enum UploadRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.put, "/v1/apps/{app}/lists/{list}/uploads/{upload}", .role(.operator), "beginUpload", begin),
        Route(.get, "/v1/apps/{app}/lists/{list}/uploads/{upload}", .role(.viewer), "getUpload", state),
        Route(
            .put,
            "/v1/apps/{app}/lists/{list}/uploads/{upload}/parts/{part}",
            .role(.operator),
            "putUploadPart",
            part
        ),
        Route(
            .post,
            "/v1/apps/{app}/lists/{list}/uploads/{upload}:complete",
            .role(.operator),
            "completeUpload",
            complete
        ),
        Route(.delete, "/v1/apps/{app}/lists/{list}/uploads/{upload}", .role(.operator), "abandonUpload", abandon),
    ]

    private static func begin(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, upload) = try named(call, core)
        let body = try await BodyReader.value(call.request)
        let name = body.members?.count == 1 ? body["format"]?.string : nil
        guard let format = name.flatMap({ AudienceFileFormat(rawValue: $0) }) else {
            throw HTTPProblem(.usage, "the body is {\"format\": \"csv\"} or {\"format\": \"ndjson\"}")
        }
        let record = try await upload.begin(format)
        let isNew = record.parts?.count == 0 && record.standing == .underWay
        return .json(record.json(app: app), isNew ? .created : .ok)
    }

    private static func state(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, upload) = try named(call, core)
        return .json(try await upload.record().json(app: app))
    }

    private static func part(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["sha256"])
        let (_, upload) = try named(call, core)
        guard let number = Int(call.parameter("part")), number >= 0 else {
            throw HTTPProblem(.usage, "a part's number is a whole number from 0")
        }
        guard let digest = call.query["sha256"], digest.utf8.count == 64 else {
            throw HTTPProblem(.usage, "sha256 is the part's SHA-256, as 64 hexadecimal digits")
        }
        let bytes = try await BodyReader.bytes(call.request, upTo: UploadParts.bytesMax)
        guard !bytes.isEmpty else { throw HTTPProblem(.usage, "a part has at least one byte") }
        let isNew = try await upload.take(number, bytes, digest: digest)
        let document: JSONValue = [
            "upload": .string(call.parameter("upload")), "part": .number(JSONNumber(number)), "existing": .bool(!isNew),
        ]
        return .json(document, isNew ? .created : .ok)
    }

    private static func complete(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, upload) = try named(call, core)
        switch try await upload.complete() {
        case .uploaded(let summary, let warnings):
            let document = summary.json(
                app: app,
                list: call.parameter("list"),
                upload: call.parameter("upload"),
                warnings: warnings
            )
            return .json(document, summary.isKnown ? .ok : .created)
        case .refused(let report): throw HTTPProblem(report.refusal(of: "the upload"))
        }
    }

    private static func abandon(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, upload) = try named(call, core)
        try await upload.abandon()
        return .json(["app": .string(app), "upload": .string(call.parameter("upload")), "abandoned": true])
    }

    private static func named(_ call: Call<APIResponder>, _ core: APICore) throws -> (app: String, PartedUpload) {
        let (app, name, id) = (try call.app(), call.parameter("list"), call.parameter("upload"))
        guard NameRule.isID(name), NameRule.isID(id) else {
            throw HTTPProblem(.usage, "the name of a list or an upload is 1 to 128 of A-Z a-z 0-9 . _ : -")
        }
        return (app, PartedUpload(app: app, list: name, id: id, in: core.ledger))
    }
}
