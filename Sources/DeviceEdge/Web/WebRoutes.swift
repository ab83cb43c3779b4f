import HTTPTypes
import WebServing

/// The client for browsers, the same for everybody; no part of the API's document.
enum WebRoutes {
    static let all: [Route<EdgeResponder>] = [
        Route(.get, "/web/{file}", .anybody, "webFile") { call, _ in
            guard let file = WebFiles.all.first(where: { $0.name == call.parameter("file") }) else {
                throw EdgeRefusal(.notFound, .unexpectedError, "the client for browsers has no such file")
            }
            return file.answer(to: call.request, with: fields)
        }
    ]

    /// An hour without a question, so that the pages of a rush do not ask again; a page of any origin may load a
    /// script, and one of an app's sites may read it.
    private static let fields: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: "public, max-age=3600", .vary: "Origin"]
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { fields[name] = "cross-origin" }
        return fields
    }()
}
