public import Campaigns
public import Delivery

/// An app of `apps.yaml` with its accounts.
public struct AppConfiguration: Sendable {
    /// The app's name: the `app` of jobs and the routing key.
    public let name: String
    /// The locale of devices that have none, a BCP 47 tag.
    public let defaultLocale: String?
    /// The time zone of devices that have none, an IANA name.
    public let timeZone: String?
    /// Requests a second for all campaigns of the app together; nil: as fast as the fleet can.
    public let perSecond: Int?
    /// The limits on how often one device may be sent to.
    public let frequencyCap: FrequencyCap
    /// The events of each shard that are published on `fanfare.events`, besides those of campaigns.
    public let askedEvents: AskedEvents
    /// The webhooks that the app's events are posted to.
    public let webhooks: [Webhook]
    /// The accounts, one per provider block, at least one, in the order of the registry.
    ///
    /// Empty in a process that holds no provider keys.
    public let accounts: [AccountConfiguration]
    /// The providers that the app has a block for, in the same order.
    public let providers: [ProviderName]
    /// The keys that sign message ids; nil: pushes carry none.
    public let messageKeys: MessageKeys?
    /// The rules that the app's declarations make for the content of its jobs.
    public let rules: AppContentRules
    /// The rights of the app's devices at the edge; nil: none, the app has no integration keys.
    public let edge: EdgeConfiguration?
}
