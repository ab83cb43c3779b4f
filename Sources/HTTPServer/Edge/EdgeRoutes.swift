import HTTPTypes

/// All that the edge does.
enum EdgeRoutes {
    static let all: [EdgeRoute] =
        RegistrationRoutes.all + TrackingRoutes.all + MessageRoutes.all + SessionRoutes.all

    /// The first route that fits.
    static func match(
        _ method: HTTPRequest.Method,
        _ path: [String],
        among routes: [EdgeRoute] = all
    ) -> RouteMatch<EdgeRoute> {
        RouteMatch(method, path, among: routes)
    }
}
