/// The registry's knowledge about a device besides its token: input for segments, and for grouping into chunks.
public struct DeviceTraits: Hashable, Sendable {
    /// The provider that delivers to the device.
    public var provider: ProviderName
    /// The provider's environment; nil means the app's own.
    public var environment: PushEnvironment?
    /// A BCP 47 tag.
    public var locale: String?
    /// An IANA name.
    public var timeZone: String?
    /// The app's version as the device reports it, for example `3.2.0`.
    public var appVersion: String?
    /// The person's permission for notifications.
    public var permission: PushPermission
    /// The instant since which the token is known to be valid; nil if unknown.
    public var registeredAt: Timestamp?
    /// Tags such as `sport` and `league:laliga`, sorted by their bytes, without duplicates; at most 60.
    public var tags: [String]
    /// The attributes by name.
    public var attributes: [String: AttributeValue]

    /// Creates traits; only the provider must be known.
    public init(
        provider: ProviderName = .apns,
        environment: PushEnvironment? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        appVersion: String? = nil,
        permission: PushPermission = .unknown,
        registeredAt: Timestamp? = nil,
        tags: [String] = [],
        attributes: [String: AttributeValue] = [:]
    ) {
        self.provider = provider
        self.environment = environment
        self.locale = locale
        self.timeZone = timeZone
        self.appVersion = appVersion
        self.permission = permission
        self.registeredAt = registeredAt
        self.tags = DeviceTraits.sorted(tags)
        self.attributes = attributes
    }

    /// The limit of tags per device (contract and issue: 60).
    public static let tagsMax = 60
    /// The length limit of a tag, in bytes of UTF-8.
    public static let tagBytesMax = 128
    /// The limit of all attributes' names and values together, in bytes of UTF-8, as for variables.
    public static let attributesBytesMax = 4096
    /// The limit of attributes per device.
    public static let attributesMax = 200
    /// The length limit of an attribute's name, in bytes of UTF-8.
    public static let attributeNameBytesMax = 128
    /// The length limit of an app's version, in bytes of UTF-8.
    public static let appVersionBytesMax = 64

    /// Returns tags in the order of the packed form, without duplicates.
    public static func sorted(_ tags: [String]) -> [String] {
        var result: [String] = []
        for tag in tags.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !(result.last?.utf8.elementsEqual(tag.utf8) ?? false) {
            result.append(tag)
        }
        return result
    }
}

/// The permission that a person gives an app for notifications (contract, section 5).
public enum PushPermission: String, Hashable, Sendable, CaseIterable {
    /// Asked and granted.
    case authorized
    /// Quiet delivery until the person decides.
    case provisional
    /// Refused: no alerts are sent.
    case denied
    /// Not reported.
    case unknown
}

/// The value of a device's attribute.
public enum AttributeValue: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A number kept as text, so that nothing is rounded.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)

    /// The value as a template prints it.
    public var text: String {
        switch self {
        case .text(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        }
    }

    /// The value as JSON.
    public var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        }
    }

    /// Reads a cell of CSV: a number, `true` or `false` if it reads as one, a text otherwise.
    public init(cell text: String) {
        switch text {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = JSONNumber.isNumber(text.utf8) ? .number(JSONNumber(text: text)) : .text(text)
        }
    }
}
