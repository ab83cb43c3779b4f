import HTTPTypes

/// All that the API does.
enum RouteTable {
    static let all: [Route] =
        ProbeRoutes.all + CampaignRoutes.all + EventRoutes.all + SendRoutes.all + ListRoutes.all + DeviceRoutes.all
        + ContentRoutes.all + ParkedRoutes.all + FleetRoutes.all + AuditRoutes.all

    /// What a request's method and path lead to.
    enum Match: Sendable {
        case route(Route, [String: String])
        /// The path is one of ours, the method is not; those that are.
        case otherMethod([HTTPRequest.Method])
        case nothing
    }

    /// The first route that fits; a request for the head alone takes the way of one for the whole.
    static func match(_ method: HTTPRequest.Method, _ path: [String], among routes: [Route] = all) -> Match {
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
