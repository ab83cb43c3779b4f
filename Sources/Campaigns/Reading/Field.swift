/// A field of the contract, for the decoder and for the schema's tests.
struct Field: Sendable {
    let name: String
    /// The default value; nil if there is none or if the field is required.
    let standard: JSONValue?
    /// True if this version implements the field.
    let isBuilt: Bool

    /// Creates a field of this version.
    static func now(_ name: String, _ standard: JSONValue? = nil) -> Field {
        Field(name: name, standard: standard, isBuilt: true)
    }

    /// Creates a field of the contract that this version refuses, except with its default value.
    static func later(_ name: String, _ standard: JSONValue? = nil) -> Field {
        Field(name: name, standard: standard, isBuilt: false)
    }
}

/// The fields of an object of the contract.
struct FieldList: Sendable {
    /// The object's name in messages, for example `delivery`.
    let name: String
    let fields: [Field]

    init(_ name: String, _ fields: [Field]) {
        self.name = name
        self.fields = fields
    }

    /// The field of that name; the lists are short enough for a linear search.
    subscript(name: String) -> Field? { fields.first { $0.name == name } }
}

/// The objects of the job, with the default values of `contract.md`, section 1.
enum JobFields {
    static let job = FieldList(
        "the job",
        [
            .now("id"), .now("app"), .now("kind", "notification"), .now("created_at"), .now("name"),
            .now("tags", .array([])), .now("metadata", .object([])), .now("audience"), .now("content"),
            .now("delivery", .object([])),
        ]
    )

    static let audience = FieldList(
        "audience",
        [
            .now("devices"), .now("list"), .now("users"), .now("segment"), .now("everyone", false), .now("exclude"),
            .now("at_most"),
        ]
    )

    /// The selectors of the devices that are left out.
    static let exclude = FieldList(
        "exclude",
        [.now("devices"), .now("list"), .now("users"), .now("segment"), .now("everyone", false)]
    )

    static let device = FieldList(
        "a device",
        [
            .now("token"), .now("provider", "apns"), .now("environment"), .now("id"), .now("locale"),
            .now("time_zone"), .now("variables", .object([])),
        ]
    )

    /// The fields of a registry's device, which is no part of a job.
    static let registration = FieldList(
        "a device",
        [
            .now("token"), .now("provider", "apns"), .now("environment"), .now("id"), .now("locale"),
            .now("time_zone"), .now("user"), .now("tags", .array([])), .now("attributes", .object([])),
            .now("permission"), .now("app_version"), .now("badge"), .now("registered_at"),
        ]
    )

    /// The fields of a device's registration of itself (contract, section 5), which is no part of a job.
    static let edgeDevice = FieldList(
        "a registration",
        [
            .now("token"), .now("provider", "apns"), .now("environment"), .now("user"), .now("permission"),
            .now("locale"), .now("time_zone"), .now("app_version"), .now("kit_version"), .now("badge"),
            .now("tags"), .now("attributes"),
        ]
    )

    static let edgeTags = FieldList("tags", [.now("add"), .now("remove")])

    static let content = FieldList(
        "content",
        [
            .now("title"), .now("subtitle"), .now("body"), .now("title_loc_key"),
            .now("title_loc_args", .array([])), .now("subtitle_loc_key"), .now("subtitle_loc_args", .array([])),
            .now("loc_key"), .now("loc_args", .array([])), .now("launch_image"), .now("url"), .now("media_url"),
            .now("category"), .now("layout"), .now("badge"), .now("sound"), .now("thread_id"),
            .now("interruption_level"),
            .now("relevance_score"), .now("target_content_id"), .now("filter_criteria"),
            .now("content_available", false), .now("mutable_content", false), .now("data", .object([])),
            .now("live_activity"), .now("apns"), .now("fcm"), .now("actions", .array([])),
            .now("localizations", .object([])), .now("rich"), .now("announcement"), .now("poll"), .now("data_push"),
            .now("in_app"),
        ]
    )

    static let action = FieldList("an action", [.now("id"), .now("url")])

    static let localization = FieldList(
        "a localization",
        [
            .now("title"), .now("subtitle"), .now("body"), .now("title_loc_key"), .now("title_loc_args"),
            .now("subtitle_loc_key"), .now("subtitle_loc_args"), .now("loc_key"), .now("loc_args"), .now("url"),
            .now("media_url"), .now("sound"),
        ]
    )

    static let sound = FieldList("sound", [.now("name", "default"), .now("critical", false), .now("volume")])

    static let liveActivity = FieldList(
        "live_activity",
        [
            .now("event"), .now("content_state"), .now("timestamp"), .now("stale_date"), .now("dismissal_date"),
            .now("attributes_type"), .now("attributes"),
        ]
    )

    static let delivery = FieldList(
        "delivery",
        [
            .now("push_type", "alert"), .now("priority", "high"), .now("urgency", "bulk"), .now("expires_at"),
            .now("ttl"), .now("if_offline", "store"), .now("collapse_id"), .now("supersede", true),
            .now("max_attempts", 8), .now("on_unknown", "resend"), .now("per_second"), .now("ramp_up", 0),
            .now("send_at"), .now("hold", false),
            .now("local_time", false), .now("quiet_hours"), .now("show", "any"), .now("android"),
            .now("repeat"), .now("frequency_cap", "respect"), .now("in_app"),
        ]
    )

    static let quietHours = FieldList("quiet_hours", [.now("from"), .now("to"), .now("then", "wait")])

    static let repetition = FieldList("repeat", [.now("cron"), .now("time_zone"), .now("until")])

    /// All objects, for suggestions when a field is in the wrong one.
    static let all = [
        job, audience, exclude, content, delivery, device, liveActivity, sound, localization, action, announcement,
        poll,
        question, dataPush, rich, inApp, inAppDelivery,
    ]
}
