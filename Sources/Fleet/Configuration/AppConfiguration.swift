public import Campaigns
public import Delivery

/// One app of `apps.yaml` with its accounts.
public struct AppConfiguration: Sendable {
    /// The app's name: the `app` of jobs and the routing key.
    public let name: String
    /// The locale of devices that say none, a BCP 47 tag.
    public let defaultLocale: String?
    /// The zone of devices that say none, an IANA name.
    public let timeZone: String?
    /// Requests a second of all its campaigns together; nil: as fast as the fleet can.
    public let perSecond: Int?
    /// How often one device may be sent to.
    public let frequencyCap: FrequencyCap
    /// What is told of each shard on `fanfare.events`, besides what happens to campaigns.
    public let askedEvents: AskedEvents
    /// Where its events are posted to.
    public let webhooks: [Webhook]
    /// One per provider block, at least one, in the order of the registry.
    ///
    /// None where no provider's keys are held.
    public let accounts: [AccountConfiguration]
    /// The providers that it has a block for, in the same order.
    public let providers: [ProviderName]
    /// What message ids are signed with; nil: pushes carry none.
    public let messageKeys: MessageKeys?
    /// What its declarations mean for the content of its jobs.
    public let rules: AppContentRules
    /// What its devices may do at the edge; nil: nothing, it has no integration keys.
    public let edge: EdgeConfiguration?
}
