import HTTPTypes

/// A method and path with a handler, of the API or of the edge.
protocol PathRoute: Sendable {
    var method: HTTPRequest.Method { get }
    var path: PathTemplate { get }
}

/// The result of matching a request's method and path.
enum RouteMatch<Route: PathRoute>: Sendable {
    case route(Route, [String: String])
    /// The path exists, but with these other methods.
    case otherMethod([HTTPRequest.Method])
    case nothing

    /// Finds the first matching route; HEAD matches as GET.
    init(_ method: HTTPRequest.Method, _ path: [String], among routes: [Route]) {
        let method = method == .head ? HTTPRequest.Method.get : method
        var others: [HTTPRequest.Method] = []
        for route in routes {
            guard let parameters = route.path.match(path) else { continue }
            if route.method == method {
                self = .route(route, parameters)
                return
            }
            if !others.contains(route.method) { others.append(route.method) }
        }
        self = others.isEmpty ? .nothing : .otherMethod(others)
    }
}
