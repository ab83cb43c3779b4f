/// A statement about a device: a line of an import, an operator's command, or the app's own request.
///
/// Fields that are not given leave the device as it is.
public struct DeviceRegistration: Hashable, Sendable {
    /// Token, provider, environment, locale and time zone; `id` is the installation's id, and `variables` are not used.
    public var device: Device
    /// The change of the device's user.
    public var user: UserChange
    /// The change of the device's tags.
    public var tags: TagChange
    /// The attributes to set; attributes of other names stay.
    public var attributes: [String: AttributeValue]
    /// The person's permission for notifications.
    public var permission: PushPermission?
    /// The app's version.
    public var appVersion: String?
    /// The badge that the app has set on its icon, 0 … 2,147,483,647.
    public var badge: Int?
    /// The version of the kit in the app, as the device reports it.
    public var kitVersion: String?
    /// The instant since which the token is known to be valid; without it every rejection by the provider counts.
    public var registeredAt: Timestamp?

    /// Creates a registration that only identifies the device.
    public init(
        device: Device,
        user: UserChange = .unchanged,
        tags: TagChange = .unchanged,
        attributes: [String: AttributeValue] = [:],
        permission: PushPermission? = nil,
        appVersion: String? = nil,
        badge: Int? = nil,
        kitVersion: String? = nil,
        registeredAt: Timestamp? = nil
    ) {
        self.device = device
        self.user = user
        self.tags = tags
        self.attributes = attributes
        self.permission = permission
        self.appVersion = appVersion
        self.badge = badge
        self.kitVersion = kitVersion
        self.registeredAt = registeredAt
    }

    /// A change of the device's user.
    public enum UserChange: Hashable, Sendable {
        /// No change.
        case unchanged
        /// A log-out.
        case nobody
        /// The key of the new user.
        case user(String)
    }

    /// A change of the device's tags.
    public enum TagChange: Hashable, Sendable {
        /// No change.
        case unchanged
        /// Replaces all tags.
        case set([String])
        /// Adds and removes single tags.
        case change(add: [String], remove: [String])
    }

    /// The length limit of a user's key, in bytes of UTF-8.
    public static let userBytesMax = 256

    /// Returns the device's traits after the registration; the caller must refuse tags beyond the limit.
    public func applied(to old: DeviceTraits?) -> DeviceTraits {
        var traits = old ?? DeviceTraits(provider: device.provider)
        traits.provider = device.provider
        traits.environment = device.environment ?? traits.environment
        traits.locale = device.locale ?? traits.locale
        traits.timeZone = device.timeZone ?? traits.timeZone
        traits.appVersion = appVersion ?? traits.appVersion
        traits.permission = permission ?? traits.permission
        traits.registeredAt = registeredAt ?? traits.registeredAt
        switch tags {
        case .unchanged: break
        case .set(let words): traits.tags = DeviceTraits.sorted(words)
        case .change(let add, let remove):
            let gone = Set(remove)
            traits.tags = DeviceTraits.sorted(traits.tags.filter { !gone.contains($0) } + add)
        }
        traits.attributes.merge(attributes) { _, new in new }
        return traits
    }
}

extension DeviceRegistration {
    /// Decodes an object in the form of an NDJSON line; reports everything that is wrong with it.
    public static func decode(
        _ value: JSONValue,
        _ tokens: TokenForms
    ) -> (registration: DeviceRegistration?, problems: [Problem]) {
        let log = ProblemLog()
        let registration = DeviceDecoder.registration(value, at: .root, tokens, log)
        return (log.isEmpty ? registration : nil, log.all)
    }
}
