import WebServing

/// All routes of the edge.
enum EdgeRoutes {
    static let all: [Route<EdgeResponder>] =
        RegistrationRoutes.all + TrackingRoutes.all + MessageRoutes.all + SessionRoutes.all
}
