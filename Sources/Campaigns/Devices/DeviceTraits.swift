/// What a registry knows of a device besides its token: what segments look at, and what a push needs to be grouped.
public struct DeviceTraits: Hashable, Sendable {
    /// Who delivers to it.
    public var provider: ProviderName
    /// The provider's world; nil is the app's own.
    public var environment: PushEnvironment?
    /// BCP 47 tag.
    public var locale: String?
    /// IANA name.
    public var timeZone: String?
    /// The app's version as the device says it, for example `3.2.0`.
    public var appVersion: String?
    /// What the person lets the app show.
    public var permission: PushPermission
    /// Since when the token is known to be good; nil when nobody said.
    public var registeredAt: Timestamp?
    /// Words such as `sport` and `league:laliga`, sorted by their bytes, each once; at most 60.
    public var tags: [String]
    /// Values by name.
    public var attributes: [String: AttributeValue]

    /// Traits; only the provider has to be known.
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

    /// Tags a device may have (contract and issue: 60).
    public static let tagsMax = 60
    /// Bytes of UTF-8 in a tag.
    public static let tagBytesMax = 128
    /// Names and values of the attributes together, in bytes of UTF-8, as for variables.
    public static let attributesBytesMax = 4096
    /// Attributes a device may have.
    public static let attributesMax = 200
    /// Bytes of UTF-8 in an attribute's name.
    public static let attributeNameBytesMax = 128
    /// Bytes of UTF-8 in an app's version.
    public static let appVersionBytesMax = 64

    /// Tags in the order that the packed form keeps, each once.
    public static func sorted(_ tags: [String]) -> [String] {
        var result: [String] = []
        for tag in tags.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !(result.last?.utf8.elementsEqual(tag.utf8) ?? false) {
            result.append(tag)
        }
        return result
    }
}

/// What a person lets an app show (contract, section 5).
public enum PushPermission: String, Hashable, Sendable, CaseIterable {
    /// Asked and granted.
    case authorized
    /// Quietly, until the person decides.
    case provisional
    /// Refused: alerts are not sent.
    case denied
    /// Nobody said.
    case unknown
}

/// The value of a device's attribute.
public enum AttributeValue: Hashable, Sendable {
    /// Words.
    case text(String)
    /// A number by its text, so that nothing is rounded.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)

    /// The value as a template would print it.
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

    /// The value that a cell of CSV means: a number or `true` where it reads as one, words otherwise.
    public init(cell text: String) {
        switch text {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = JSONNumber.isNumber(text.utf8) ? .number(JSONNumber(text: text)) : .text(text)
        }
    }
}
