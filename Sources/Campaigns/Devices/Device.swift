/// The name of a push provider in jobs, lanes and queues: `apns`, `fcm`.
public struct ProviderName: RawRepresentable, Hashable, Sendable, Comparable {
    /// The name in lower case.
    public let rawValue: String

    /// Accepts any name; the registry of providers knows which ones are built in.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple Push Notification service.
    public static let apns = ProviderName(rawValue: "apns")

    /// Firebase Cloud Messaging, HTTP v1.
    public static let fcm = ProviderName(rawValue: "fcm")

    /// Apple's broadcasts: a request to a channel, which has the place of a device.
    public static let broadcast = ProviderName(rawValue: "broadcast")

    /// The providers that deliver to a platform, by the platform's usual name.
    static let ofPlatform = ["ios": "apns", "android": "fcm"]

    /// Returns true for 1 to 32 lower-case letters and digits.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
    }

    /// Compares names alphabetically.
    public static func < (left: ProviderName, right: ProviderName) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The environment of a provider that a device token belongs to; the same for all devices of a chunk and of a shard.
///
/// Apple has two, each with a host of its own. If a token names its own push service, the environment is that service's
/// origin.
public struct PushEnvironment: RawRepresentable, Hashable, Sendable {
    /// The name; at most 255 bytes.
    public let rawValue: String

    /// Accepts any name that is not empty; the provider knows which ones exist (`TokenForm.environments`).
    public init?(rawValue: String) {
        guard (1...255).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) { rawValue = name }

    /// Tokens of apps from the store and of TestFlight.
    public static let production = PushEnvironment("production")
    /// Tokens of apps run from Xcode.
    public static let sandbox = PushEnvironment("sandbox")
    /// Apple's two environments.
    public static let apple = [production, sandbox]
}

/// A device of an audience, as a producer gives it.
public struct Device: Hashable, Sendable {
    /// The provider's token for app and device, as its `TokenForm` keeps it.
    public var token: String
    /// The provider that delivers to the device.
    public var provider: ProviderName
    /// The provider's environment; nil means the app's own.
    public var environment: PushEnvironment?
    /// The producer's name for the device.
    public var id: String?
    /// BCP 47 tag, for example `es-ES`.
    public var locale: String?
    /// IANA name, for example `Europe/Madrid`.
    public var timeZone: String?
    /// Values for the templates, by name.
    public var variables: [String: String]

    /// Creates a device; only the token has no default.
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
