/// A field of the contract, for the decoder and for the schema's tests.
struct Field: Sendable {
    let name: String
    /// The default value; nil if there is none or if the field is required.
    let standard: JSONValue?

    init(_ name: String, _ standard: JSONValue? = nil) { (self.name, self.standard) = (name, standard) }
}

extension Field: ExpressibleByStringLiteral {
    init(stringLiteral name: String) { self.init(name) }
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
            "id", "app", Field("kind", "notification"), "created_at", "name", Field("tags", .array([])),
            Field("metadata", .object([])), "audience", "content", Field("delivery", .object([])),
        ]
    )

    static let audience = FieldList(
        "audience",
        [
            "devices", "list", "users", "segment", Field("everyone", false), "channel", "activity", "exclude",
            "at_most", "upload",
        ]
    )

    /// The name of a Live Activity.
    static let activity = FieldList("activity", ["type", "id"])

    /// The selectors of the devices that are left out.
    static let exclude = FieldList(
        "exclude",
        ["devices", "list", "users", "segment", Field("everyone", false)]
    )

    static let device = FieldList(
        "a device",
        [
            "token", Field("provider", "apns"), "environment", "id", "locale", "time_zone",
            Field("variables", .object([])),
        ]
    )

    /// The fields of a registry's device, which is no part of a job.
    static let registration = FieldList(
        "a device",
        [
            "token", Field("provider", "apns"), "environment", "id", "locale", "time_zone", "user",
            Field("tags", .array([])), Field("attributes", .object([])), "permission", "app_version", "badge",
            "registered_at",
        ]
    )

    /// The fields of a device's registration of itself (contract, section 5), which is no part of a job.
    static let edgeDevice = FieldList(
        "a registration",
        [
            "token", Field("provider", "apns"), "environment", "user", "permission", "locale", "time_zone",
            "app_version", "kit_version", "badge", "tags", "attributes", "activities",
        ]
    )

    /// The fields of a device's token for Live Activities.
    static let activityToken = FieldList("an activity's token", ["type", "id", "token"])

    static let edgeTags = FieldList("tags", ["add", "remove"])

    static let content = FieldList(
        "content",
        [
            "title", "subtitle", "body", "title_loc_key", Field("title_loc_args", .array([])), "subtitle_loc_key",
            Field("subtitle_loc_args", .array([])), "loc_key", Field("loc_args", .array([])), "launch_image", "url",
            "media_url", "category", "layout", "badge", "sound", "thread_id", "interruption_level", "relevance_score",
            "target_content_id", "filter_criteria", Field("content_available", false), Field("mutable_content", false),
            Field("data", .object([])), "live_activity", "apns", "fcm", Field("actions", .array([])),
            Field("localizations", .object([])), "rich", "announcement", "poll", "data_push", "in_app",
        ]
    )

    static let action = FieldList("an action", ["id", "url"])

    static let localization = FieldList(
        "a localization",
        [
            "title", "subtitle", "body", "title_loc_key", "title_loc_args", "subtitle_loc_key", "subtitle_loc_args",
            "loc_key", "loc_args", "url", "media_url", "sound",
        ]
    )

    static let sound = FieldList("sound", [Field("name", "default"), Field("critical", false), "volume"])

    static let liveActivity = FieldList(
        "live_activity",
        [
            "event", "content_state", "timestamp", "stale_date", "dismissal_date", "attributes_type", "attributes",
        ]
    )

    static let delivery = FieldList(
        "delivery",
        [
            Field("push_type", "alert"), Field("priority", "high"), Field("urgency", "bulk"), "expires_at", "ttl",
            Field("if_offline", "store"), "collapse_id", Field("supersede", true), Field("max_attempts", 8),
            Field("on_unknown", "resend"), "per_second", Field("ramp_up", 0), "send_at", Field("hold", false),
            Field("local_time", false), "quiet_hours", Field("show", "any"), "android", "repeat",
            Field("frequency_cap", "respect"), "in_app",
        ]
    )

    static let quietHours = FieldList("quiet_hours", ["from", "to", Field("then", "wait")])

    static let repetition = FieldList("repeat", ["cron", "time_zone", "until"])

    /// All objects, for suggestions when a field is in the wrong one.
    static let all = [
        job, audience, exclude, content, delivery, device, liveActivity, sound, localization, action, announcement,
        poll,
        question, dataPush, rich, inApp, inAppDelivery,
    ]
}
