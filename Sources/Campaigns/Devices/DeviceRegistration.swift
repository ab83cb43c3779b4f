/// What somebody says of a device: a line of an import, an operator's command, or the app itself.
///
/// What it does not say stays as it is.
public struct DeviceRegistration: Hashable, Sendable {
    /// Token, provider, environment, locale and time zone; `id` is the installation, `variables` are not used.
    public var device: Device
    /// Who uses the device.
    public var user: UserChange
    /// The device's words.
    public var tags: TagChange
    /// Values that replace those of the same name.
    public var attributes: [String: AttributeValue]
    /// What the person lets the app show.
    public var permission: PushPermission?
    /// The app's version.
    public var appVersion: String?
    /// The count on the app's icon, 0 … 2,147,483,647: what the app has set it to.
    public var badge: Int?
    /// The version of the kit in the app, as the device says it.
    public var kitVersion: String?
    /// Since when the token is known to be good; without it every word of the provider against the token counts.
    public var registeredAt: Timestamp?

    /// A registration that says nothing but who the device is.
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

    /// Who uses the device.
    public enum UserChange: Hashable, Sendable {
        /// As before.
        case unchanged
        /// Nobody: a log-out.
        case nobody
        /// The key of a user.
        case user(String)
    }

    /// What becomes of the tags.
    public enum TagChange: Hashable, Sendable {
        /// As before.
        case unchanged
        /// These and no others.
        case set([String])
        /// Some more and some fewer.
        case change(add: [String], remove: [String])
    }

    /// Bytes of UTF-8 in a user's key.
    public static let userBytesMax = 256

    /// What is known of the device afterwards; tags beyond the limit are what the caller refuses.
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
    /// Reads an object as a line of NDJSON has it, with everything that is wrong with it.
    public static func decode(
        _ value: JSONValue,
        _ tokens: TokenForms
    ) -> (registration: DeviceRegistration?, problems: [Problem]) {
        let log = ProblemLog()
        let registration = DeviceDecoder.registration(value, at: .root, tokens, log)
        return (log.isEmpty ? registration : nil, log.all)
    }
}
