import Campaigns
import Delivery
import PushProviders

/// Which shards need turns: those under an app's rate, and those of a provider with a quota.
///
/// Urgent pushes wait for no quota; they count against it (`QuotaCharges`).
extension AppDirectory {
    /// What a provider takes a minute of an app, with all others that share it; nil when it has no quota, or this process
    /// no account.
    func quota(app: String, provider: ProviderName) -> ProviderQuota? {
        account(app: app, provider: provider)?.account.quota
    }

    /// Whether an app, or its provider for what is not urgent, has a limit here.
    func isPaced(app: String, provider: ProviderName, urgency: Urgency) -> Bool {
        pace(of: app) != nil || urgency == .bulk && quota(app: app, provider: provider) != nil
    }

    /// Whether a campaign has a limit, or its app, or its provider; of one of several providers any of those.
    func isPaced(_ campaign: CampaignFacts, _ provider: ProviderName, _ urgency: Urgency) -> Bool {
        // Nothing of it is sent.
        if campaign.isInApp { return false }
        if campaign.pace != nil { return true }
        let providers =
            campaign.hasShares ? campaign.share.map { [$0] } ?? ProviderRegistry.providers.map(\.name) : [provider]
        return providers.contains { isPaced(app: campaign.app, provider: $0, urgency: urgency) }
    }
}
