/// The name of a push provider, as it stands in jobs, lanes and queues: `apns`, `fcm`.
public struct ProviderName: RawRepresentable, Hashable, Sendable, Comparable {
    /// The name in lower case.
    public let rawValue: String

    /// Any name; whether a provider of that name is built in is the registry's to say.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple Push Notification service.
    public static let apns = ProviderName(rawValue: "apns")

    /// Firebase Cloud Messaging, HTTP v1.
    public static let fcm = ProviderName(rawValue: "fcm")

    /// What people call platforms, and who delivers to them.
    static let ofPlatform = ["ios": "apns", "android": "fcm"]

    /// Lower-case letters and digits, at most 32.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
    }

    /// Alphabetical.
    public static func < (left: ProviderName, right: ProviderName) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Which of a provider's worlds a device token belongs to: all devices of a chunk and of a shard have one.
///
/// Apple has two, with a host each. Where tokens name their own push service, its origin is the world.
public struct PushEnvironment: RawRepresentable, Hashable, Sendable {
    /// Its name; at most 255 bytes.
    public let rawValue: String

    /// Any name but an empty one; which there are is the provider's to say (`TokenForm.environments`).
    public init?(rawValue: String) {
        guard (1...255).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) { rawValue = name }

    /// Tokens of apps from the store and of TestFlight.
    public static let production = PushEnvironment("production")
    /// Tokens of apps run from Xcode.
    public static let sandbox = PushEnvironment("sandbox")
    /// Apple's two.
    public static let apple = [production, sandbox]
}

/// One device of an audience, as a producer names it.
public struct Device: Hashable, Sendable {
    /// The provider's token for app and device, as its `TokenForm` keeps it.
    public var token: String
    /// Who delivers to it.
    public var provider: ProviderName
    /// The provider's world; the app's own when absent.
    public var environment: PushEnvironment?
    /// The producer's name for the device.
    public var id: String?
    /// BCP 47 tag, for example `es-ES`.
    public var locale: String?
    /// IANA name, for example `Europe/Madrid`.
    public var timeZone: String?
    /// Values for the templates, by name.
    public var variables: [String: String]

    /// A device; only the token has no default.
    public init(
        token: String,
        provider: ProviderName = .apns,
        environment: PushEnvironment? = nil,
        id: String? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        variables: [String: String] = [:]
    ) {
        self.token = token
        self.provider = provider
        self.environment = environment
        self.id = id
        self.locale = locale
        self.timeZone = timeZone
        self.variables = variables
    }
}
