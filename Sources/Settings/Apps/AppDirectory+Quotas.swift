package import Campaigns
package import Delivery
package import PushProviders

/// The limits of shards: those of an app's rate, and those of a provider's quota.
///
/// Urgent pushes do not wait for a quota, but count against it (`QuotaCharges`).
extension AppDirectory {
    /// Returns the quota of an app's provider, which others may share; nil if it has none, or there is no account
    /// here.
    package func quota(app: String, provider: ProviderName) -> ProviderQuota? {
        account(app: app, provider: provider)?.account.quota
    }

    /// Returns true if the app has a rate, or, for bulk pushes, its provider a quota.
    package func isPaced(app: String, provider: ProviderName, urgency: Urgency) -> Bool {
        pace(of: app) != nil || urgency == .bulk && quota(app: app, provider: provider) != nil
    }

    /// Returns true if the campaign or its app has a limit, or one of the providers that it may have.
    package func isPaced(_ campaign: CampaignFacts, _ provider: ProviderName, _ urgency: Urgency) -> Bool {
        // Nothing of an in-app campaign is sent.
        if campaign.isInApp { return false }
        if campaign.pace != nil { return true }
        let providers =
            campaign.hasShares ? campaign.share.map { [$0] } ?? ProviderRegistry.providers.map(\.name) : [provider]
        return providers.contains { isPaced(app: campaign.app, provider: $0, urgency: urgency) }
    }
}
