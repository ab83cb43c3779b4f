import WebServing

/// All routes of the API.
enum APIRoutes {
    static let all: [Route<APIResponder>] =
        ProbeRoutes.all + CampaignRoutes.all + EventRoutes.all + SendRoutes.all + ListRoutes.all + DeviceRoutes.all
        + ContentRoutes.all + ParkedRoutes.all + FleetRoutes.all + AuditRoutes.all
}
