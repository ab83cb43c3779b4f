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

    /// Alphabetical.
    public static func < (left: ProviderName, right: ProviderName) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Which of a provider's worlds a device token belongs to.
public enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Tokens of apps from the store and of TestFlight.
    case production
    /// Tokens of apps run from Xcode.
    case sandbox
}

/// One device of an audience, as a producer names it.
public struct Device: Hashable, Sendable {
    /// The provider's token for app and device; for APNs 64 or more hexadecimal digits, in lower case here.
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
