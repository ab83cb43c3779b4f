/// One app of `apps.yaml` with its accounts.
public struct AppConfiguration: Sendable {
    /// The app's name: the `app` of jobs and the routing key.
    public let name: String
    /// The locale of devices that say none, a BCP 47 tag.
    public let defaultLocale: String?
    /// The zone of devices that say none, an IANA name.
    public let timeZone: String?
    /// One per provider block, at least one; in the order of the registry.
    public let accounts: [AccountConfiguration]
    /// What message ids are signed with; nil: pushes carry none.
    public let messageKeys: MessageKeys?
}
