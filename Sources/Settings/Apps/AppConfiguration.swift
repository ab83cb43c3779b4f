package import Campaigns
package import Delivery
package import PushProviders

/// An app of `apps.yaml` with its accounts.
package struct AppConfiguration: Sendable {
    /// The app's name: the `app` of jobs and the routing key.
    package let name: String
    /// The locale of devices that have none, a BCP 47 tag.
    package let defaultLocale: String?
    /// The time zone of devices that have none, an IANA name.
    package let timeZone: String?
    /// Requests a second for all campaigns of the app together; nil: as fast as the fleet can.
    package let perSecond: Int?
    /// The limits on how often one device may be sent to.
    package let frequencyCap: FrequencyCap
    /// The events of each shard that are published on `fanfare.events`, besides those of campaigns.
    package let askedEvents: AskedEvents
    /// The webhooks that the app's events are posted to.
    package let webhooks: [Webhook]
    /// The accounts, one per provider block, at least one, in the order of the registry.
    ///
    /// Empty in a process that holds no provider keys.
    package let accounts: [AccountConfiguration]
    /// The providers that the app has a block for, in the same order.
    package let providers: [ProviderName]
    /// The keys that sign message ids; nil: pushes carry none.
    package let messageKeys: MessageKeys?
    /// The rules that the app's declarations make for the content of its jobs.
    package let rules: AppContentRules
    /// The rights of the app's devices at the edge; nil: none, the app has no integration keys.
    package let edge: EdgeConfiguration?
    /// The version of its entry in the file, key files included: hosts with the same entry have the same version.
    package let version: String

    /// The accounts of its blocks, and those that come with them.
    package var allAccounts: [any ProviderAccount] {
        accounts.flatMap { settings -> [any ProviderAccount] in [settings.account] + settings.account.companions }
    }
}
