import HTTPTypes

/// All routes of the edge.
enum EdgeRoutes {
    static let all: [EdgeRoute] =
        RegistrationRoutes.all + TrackingRoutes.all + MessageRoutes.all + SessionRoutes.all

    /// Returns the first matching route.
    static func match(
        _ method: HTTPRequest.Method,
        _ path: [String],
        among routes: [EdgeRoute] = all
    ) -> RouteMatch<EdgeRoute> {
        RouteMatch(method, path, among: routes)
    }
}
