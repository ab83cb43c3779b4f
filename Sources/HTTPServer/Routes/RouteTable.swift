import HTTPTypes

/// All routes of the API.
enum RouteTable {
    static let all: [Route] =
        ProbeRoutes.all + CampaignRoutes.all + EventRoutes.all + SendRoutes.all + ListRoutes.all + DeviceRoutes.all
        + ContentRoutes.all + ParkedRoutes.all + FleetRoutes.all + AuditRoutes.all

    /// Returns the first matching route.
    static func match(_ method: HTTPRequest.Method, _ path: [String], among routes: [Route] = all) -> RouteMatch<Route>
    {
        RouteMatch(method, path, among: routes)
    }
}
