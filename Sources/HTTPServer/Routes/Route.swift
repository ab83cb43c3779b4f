import Campaigns
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// A route of the API.
struct Route: PathRoute {
    typealias Handler = @Sendable (Call, ServerCore) async throws -> Answer

    /// The right to use a route.
    enum Access: Sendable, Equatable {
        /// Everybody, without a token: probes.
        case open
        /// Callers with this role or a higher one.
        case role(Role)
    }

    let method: HTTPRequest.Method
    let path: PathTemplate
    let access: Access
    /// The name in the OpenAPI document, in metrics and in the audit log.
    let operation: String
    let handler: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: PathTemplate,
        _ access: Access,
        _ operation: String,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.operation = operation
        self.handler = handler
    }
}

/// A request for a handler.
struct Call: Sendable {
    let request: Request
    let parameters: [String: String]
    let query: Query
    let caller: Caller

    /// Returns a parameter of the route's path.
    func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route has no parameter \(name)") }
        return value
    }

    /// Returns the path's app; throws 404 unless the caller may use it.
    func app() throws(HTTPProblem) -> String {
        let app = parameter("app")
        guard NameRule.isApp(app) else { throw HTTPProblem(.notFound, "there is no app of this name") }
        try caller.require(app: app)
        return app
    }
}

/// An answer of the API or the edge.
struct Answer: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ResponseBody
    /// The owner of the body's bytes when other answers share them; kept until it is sent.
    var shared: SharedContent?

    init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: ResponseBody = ResponseBody()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(_ value: JSONValue, _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Answer {
        text(value.text + "\n", status, type: "application/json", headers: headers)
    }

    static func text(
        _ text: String,
        _ status: HTTPResponse.Status = .ok,
        type: String = "text/plain; charset=utf-8",
        headers: HTTPFields = [:]
    ) -> Answer {
        var headers = headers
        headers[.contentType] = type
        return Answer(status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    init(_ problem: HTTPProblem) {
        self = .text(
            problem.document.json.text + "\n",
            problem.status,
            type: "application/problem+json",
            headers: problem.headers
        )
    }
}
