/// The fields of an in-app campaign's objects.
extension JobFields {
    static let inApp = FieldList(
        "in_app",
        [
            "type", "header", "message", "image_url", Field("image_only", false), "position", "orientation", "duration",
            Field("buttons", .array([])), Field("assets", .array([])), Field("extras", .object([])),
        ]
    )

    static let inAppButton = FieldList("a button", ["id", "label", "url"])

    static let inAppDelivery = FieldList(
        "delivery.in_app",
        [
            "triggers", Field("priority", 0), "starts_at", "ends_at", Field("delay", 0), "timeout", "repeat_after",
        ]
    )

    static let inAppTrigger = FieldList("a trigger", ["on", "name", Field("where", .array([]))])

    static let inAppFilter = FieldList("a filter", ["property", "op", Field("value", true)])
}
