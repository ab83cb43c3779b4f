import Campaigns
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// One thing that the API does.
struct Route: PathRoute {
    typealias Handler = @Sendable (Call, ServerCore) async throws -> Answer

    /// Who may use it.
    enum Access: Sendable, Equatable {
        /// Everybody, without a token: probes.
        case open
        /// Whoever has this role or a higher one.
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

/// A request on its way to a handler.
struct Call: Sendable {
    let request: Request
    let parameters: [String: String]
    let query: Query
    let caller: Caller

    /// A parameter of the route's path.
    func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route has no parameter \(name)") }
        return value
    }

    /// The app of the path, which the caller may use; throws 404 of every other.
    func app() throws(HTTPProblem) -> String {
        let app = parameter("app")
        guard NameRule.isApp(app) else { throw HTTPProblem(.notFound, "there is no app of this name") }
        try caller.require(app: app)
        return app
    }
}

/// What is answered.
struct Answer: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ResponseBody
    /// Whose bytes the body has when others may have them too: kept until it is sent.
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
