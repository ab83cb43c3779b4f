package import Campaigns
package import Delivery

/// The settings of an app that a running worker takes over at a reload, besides its accounts.
package struct AppSetting: Sendable {
    /// The rate of all campaigns of the app together; nil: as fast as the fleet can.
    package let pace: Pace?
    /// The limits on how often one device may be sent to.
    package let cap: FrequencyCap
    /// The events of each shard that the app asks for.
    package let askedEvents: AskedEvents
    /// The webhooks that its events are posted to.
    package let webhooks: [Webhook]
    /// The rules that its declarations make for content.
    package let rules: AppContentRules
    /// The time zone of devices that have none; nil: UTC.
    package let timeZone: String?
    /// The version of the app's entry in the file.
    let version: String

    init(_ configuration: AppConfiguration) {
        pace = configuration.perSecond.map { Pace(perSecond: $0) }
        cap = configuration.frequencyCap
        askedEvents = configuration.askedEvents
        webhooks = configuration.webhooks
        rules = configuration.rules
        timeZone = configuration.timeZone
        version = configuration.version
    }

    /// A part of the settings, as a reload tells about it.
    package enum Part: Sendable {
        case pace, cap, askedEvents, webhooks, rules, timeZone
    }

    /// Returns the parts in which these settings differ from older ones.
    func changes(from old: AppSetting) -> [Part] {
        [
            pace == old.pace ? nil : .pace,
            cap == old.cap ? nil : .cap,
            askedEvents == old.askedEvents ? nil : .askedEvents,
            webhooks.map(\.entry) == old.webhooks.map(\.entry) ? nil : .webhooks,
            rules == old.rules ? nil : .rules,
            timeZone == old.timeZone ? nil : .timeZone,
        ].compactMap(\.self)
    }
}
