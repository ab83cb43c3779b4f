import HTTPTypes

/// The route and query that a request's method and target lead to, found once.
enum EdgeTarget: Sendable {
    /// The target cannot be decoded.
    case malformed
    case found(RouteMatch<EdgeRoute>, Query)

    /// Finds a request's target among `routes`.
    init(_ head: HTTPRequest, among routes: [EdgeRoute] = EdgeRoutes.all) {
        let parts = RequestTarget.parts(head.path ?? "/")
        guard let segments = RequestTarget.segments(parts.path), let pairs = RequestTarget.query(parts.query) else {
            self = .malformed
            return
        }
        self = .found(EdgeRoutes.match(head.method, segments, among: routes), Query(pairs))
    }

    /// Returns true if a request is for the edge where the edge shares its address with the API.
    static func isEdges(_ head: HTTPRequest) -> Bool {
        let path = RequestTarget.parts(head.path ?? "/").path
        // A target that cannot be decoded is the edge's too, so that the refusal has the edge's form.
        let segments = RequestTarget.segments(path) ?? path.split(separator: "/").map(String.init)
        if case .nothing = EdgeRoutes.match(head.method, segments) { return false }
        return true
    }
}
