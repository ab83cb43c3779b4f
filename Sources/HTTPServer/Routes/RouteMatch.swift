import HTTPTypes

/// What a method and a path lead to: a route of the API, or of the edge.
protocol PathRoute: Sendable {
    var method: HTTPRequest.Method { get }
    var path: PathTemplate { get }
}

/// What a request's method and path lead to.
enum RouteMatch<Route: PathRoute>: Sendable {
    case route(Route, [String: String])
    /// The path is one of ours, the method is not; those that are.
    case otherMethod([HTTPRequest.Method])
    case nothing

    /// The first route that fits; a request for the head alone takes the way of one for the whole.
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
