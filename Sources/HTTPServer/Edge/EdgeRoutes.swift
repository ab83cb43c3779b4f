import HTTPTypes

/// All that the edge does.
enum EdgeRoutes {
    static let all: [EdgeRoute] =
        RegistrationRoutes.all + TrackingRoutes.all + MessageRoutes.all + SessionRoutes.all

    /// What a request's method and path lead to.
    enum Match: Sendable {
        case route(EdgeRoute, [String: String])
        /// The path is one of the edge's, the method is not; those that are.
        case otherMethod([HTTPRequest.Method])
        case nothing
    }

    /// The first route that fits; a request for the head alone takes the way of one for the whole.
    static func match(_ method: HTTPRequest.Method, _ path: [String], among routes: [EdgeRoute] = all) -> Match {
        let method = method == .head ? HTTPRequest.Method.get : method
        var others: [HTTPRequest.Method] = []
        for route in routes {
            guard let parameters = route.path.match(path) else { continue }
            if route.method == method { return .route(route, parameters) }
            if !others.contains(route.method) { others.append(route.method) }
        }
        return others.isEmpty ? .nothing : .otherMethod(others)
    }
}
