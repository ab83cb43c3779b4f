/// The type of a field in proto3's JSON mapping, as far as FCM's messages need it.
indirect enum ProtoType: Sendable {
    case string
    case boolean
    case int32
    case double
    /// A duration such as `"3.5s"`.
    case duration
    /// An RFC 3339 time as text.
    case timestamp
    /// A name, in either case, of the enumeration with the given full name.
    case enumeration(String, [String])
    /// An object whose values are strings.
    case stringMap
    /// Any JSON object (`google.protobuf.Struct`).
    case structure
    case list(ProtoType)
    case message(ProtoMessage)
}

/// The fields of one message type.
final class ProtoMessage: Sendable {
    struct Field: Sendable {
        /// The name in the `.proto` file.
        let name: String
        let type: ProtoType
        /// The fact that the rules need of its value.
        let fact: FCMFact?
        /// True for the fields of which only one may be set.
        let isTarget: Bool
    }

    /// The fields by both of their names: `collapse_key` and `collapseKey`.
    private let fields: [String: Field]

    init(_ fields: [Field]) {
        var byName: [String: Field] = [:]
        for field in fields {
            byName[field.name] = field
            byName[Self.camelCase(field.name)] = field
        }
        self.fields = byName
    }

    func field(_ name: String) -> Field? { fields[name] }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

/// A fact about a message that the rules need, found while reading.
enum FCMFact: Sendable {
    case validateOnly, token, topic, condition, data, androidData, timeToLive, collapseKey, title, body
    case androidTitle, androidBody, androidTag, notification, androidNotification, priority, color, label
}

/// The schema of `messages:send`, from the discovery document (googleapis/google-api-go-client, `fcm/v1/fcm-api.json`).
enum FCMSchema {
    static let request = ProtoMessage([
        field("validate_only", .boolean, .validateOnly), field("message", .message(message)),
    ])

    private static let message = ProtoMessage([
        field("name", .string), field("data", .stringMap, .data),
        field("notification", .message(notification), .notification), field("android", .message(android)),
        field("webpush", .message(webPush)), field("apns", .message(apns)),
        field("fcm_options", .message(options([]))),
        field("token", .string, .token, isTarget: true), field("topic", .string, .topic, isTarget: true),
        field("condition", .string, .condition, isTarget: true),
    ])

    private static let notification = ProtoMessage([
        field("title", .string, .title), field("body", .string, .body), field("image", .string),
    ])

    private static let android = ProtoMessage([
        field("collapse_key", .string, .collapseKey),
        field(
            "priority",
            .enumeration("google.firebase.fcm.v1.AndroidConfig.AndroidMessagePriority", ["NORMAL", "HIGH"]),
            .priority
        ),
        field("ttl", .duration, .timeToLive), field("restricted_package_name", .string),
        field("data", .stringMap, .androidData),
        field("notification", .message(androidNotification), .androidNotification),
        field("fcm_options", .message(options([]))), field("direct_boot_ok", .boolean),
        field("bandwidth_constrained_ok", .boolean), field("restricted_satellite_ok", .boolean),
    ])

    private static let androidNotification = ProtoMessage([
        field("title", .string, .androidTitle), field("body", .string, .androidBody), field("icon", .string),
        field("color", .string, .color), field("sound", .string), field("tag", .string, .androidTag),
        field("click_action", .string), field("body_loc_key", .string), field("body_loc_args", .list(.string)),
        field("title_loc_key", .string), field("title_loc_args", .list(.string)), field("channel_id", .string),
        field("ticker", .string), field("sticky", .boolean), field("event_time", .timestamp),
        field("local_only", .boolean),
        field(
            "notification_priority",
            .enumeration(
                "google.firebase.fcm.v1.AndroidNotification.NotificationPriority",
                [
                    "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                    "PRIORITY_MAX",
                ]
            )
        ),
        field("default_sound", .boolean), field("default_vibrate_timings", .boolean),
        field("default_light_settings", .boolean), field("vibrate_timings", .list(.duration)),
        field(
            "visibility",
            .enumeration(
                "google.firebase.fcm.v1.AndroidNotification.Visibility",
                ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]
            )
        ),
        field("notification_count", .int32), field("light_settings", .message(lightSettings)),
        field("image", .string), field("bypass_proxy_notification", .boolean),
        field(
            "proxy",
            .enumeration(
                "google.firebase.fcm.v1.AndroidNotification.Proxy",
                ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]
            )
        ),
    ])

    private static let lightSettings = ProtoMessage([
        field("color", .message(color)), field("light_on_duration", .duration), field("light_off_duration", .duration),
    ])

    private static let color = ProtoMessage([
        field("red", .double), field("green", .double), field("blue", .double), field("alpha", .double),
    ])

    private static let webPush = ProtoMessage([
        field("headers", .stringMap), field("data", .stringMap), field("notification", .structure),
        field("fcm_options", .message(options([field("link", .string)]))),
    ])

    private static let apns = ProtoMessage([
        field("headers", .stringMap), field("payload", .structure),
        field("fcm_options", .message(options([field("image", .string)]))), field("live_activity_token", .string),
    ])

    private static func options(_ more: [ProtoMessage.Field]) -> ProtoMessage {
        ProtoMessage([field("analytics_label", .string, .label)] + more)
    }

    private static func field(
        _ name: String,
        _ type: ProtoType,
        _ fact: FCMFact? = nil,
        isTarget: Bool = false
    ) -> ProtoMessage.Field {
        ProtoMessage.Field(name: name, type: type, fact: fact, isTarget: isTarget)
    }
}
