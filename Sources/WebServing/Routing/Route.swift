package import HTTPTypes
package import HummingbirdCore

/// A route of a responder.
package struct Route<Responder: WebResponder>: Sendable {
    package typealias Handler = @Sendable (Call<Responder>, Responder.State) async throws -> HTTPAnswer

    /// The method and the path.
    package let pattern: RoutePattern
    /// The right that a request needs.
    package let access: Responder.Access
    /// The name in the OpenAPI document, in metrics and in the audit log; distinct from those of all responders.
    package let operation: String
    let handler: Handler

    package init(
        _ method: HTTPRequest.Method,
        _ path: PathTemplate,
        _ access: Responder.Access,
        _ operation: String,
        _ handler: @escaping Handler
    ) {
        pattern = RoutePattern(method: method, path: path)
        self.access = access
        self.operation = operation
        self.handler = handler
    }
}

/// The routes of a responder, in the order in which they are tried.
package struct RouteTable<Responder: WebResponder>: Sendable {
    package let routes: [Route<Responder>]
    /// The routes' methods and paths.
    package let patterns: [RoutePattern]

    /// Makes a table of routes.
    package init(_ routes: [Route<Responder>]) {
        self.routes = routes
        patterns = routes.map(\.pattern)
    }
}

/// A request for a handler.
package struct Call<Responder: WebResponder>: Sendable {
    package let request: Request
    package let parameters: [String: String]
    package let query: Query
    package let caller: Responder.Caller

    /// Returns a parameter of the route's path.
    package func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route has no parameter \(name)") }
        return value
    }
}
