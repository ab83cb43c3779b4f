import Campaigns
import Delivery
import Store

/// What a planner looks after by itself: a campaign, or of one of several providers each of those.
struct ShareKey: Hashable {
    let campaign: UInt32
    /// nil for a campaign of one provider.
    let provider: ProviderName?

    init(_ facts: CampaignFacts) {
        campaign = facts.number
        provider = facts.share
    }
}

extension LeasedCampaign {
    var key: ShareKey { ShareKey(facts) }
}
