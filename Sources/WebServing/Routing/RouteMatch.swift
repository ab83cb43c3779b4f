package import HTTPTypes

/// The method and the path of a route.
package struct RoutePattern: Sendable {
    package let method: HTTPRequest.Method
    package let path: PathTemplate
}

/// The result of matching a request's method and path.
package enum RouteMatch: Sendable {
    /// The index of the route in its table, and the path's parameters.
    case route(Int, [String: String])
    /// The path exists, but with these other methods.
    case otherMethod([HTTPRequest.Method])
    case nothing

    /// Finds the first matching route; HEAD matches as GET.
    package init(_ method: HTTPRequest.Method, _ path: [String], among patterns: [RoutePattern]) {
        let method = method == .head ? HTTPRequest.Method.get : method
        var others: [HTTPRequest.Method] = []
        for (index, pattern) in patterns.enumerated() {
            guard let parameters = pattern.path.match(path) else { continue }
            if pattern.method == method {
                self = .route(index, parameters)
                return
            }
            if !others.contains(pattern.method) { others.append(pattern.method) }
        }
        self = others.isEmpty ? .nothing : .otherMethod(others)
    }
}

/// The route and query that a request's method and target lead to, found once.
package enum RoutedTarget: Sendable {
    /// The target cannot be decoded.
    case malformed
    case found(RouteMatch, Query)

    /// Finds a request's target.
    package init(_ head: HTTPRequest, among patterns: [RoutePattern]) {
        let parts = RequestTarget.parts(head.path ?? "/")
        guard let segments = RequestTarget.segments(parts.path), let pairs = RequestTarget.query(parts.query) else {
            self = .malformed
            return
        }
        self = .found(RouteMatch(head.method, segments, among: patterns), Query(pairs))
    }
}
