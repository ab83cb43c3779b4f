import WebServing

/// All routes of the API.
enum APIRoutes {
    static let all: [Route<APIResponder>] =
        ProbeRoutes.all + CampaignRoutes.all + TrialRoutes.all + OrderRoutes.all + OutcomeRoutes.all + EventRoutes.all
        + SendRoutes.all + ListRoutes.all + UploadRoutes.all + DeviceRoutes.all + ContentRoutes.all + ParkedRoutes.all
        + ChannelRoutes.all + PauseRoutes.all + WebhookRoutes.all + FleetRoutes.all + AuditRoutes.all
}
