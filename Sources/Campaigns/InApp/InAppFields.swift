/// The fields of an in-app campaign's objects.
extension JobFields {
    static let inApp = FieldList(
        "in_app",
        [
            .now("type"), .now("header"), .now("message"), .now("image_url"), .now("image_only", false),
            .now("position"), .now("orientation"), .now("duration"), .now("buttons", .array([])),
            .now("assets", .array([])), .now("extras", .object([])),
        ]
    )

    static let inAppButton = FieldList("a button", [.now("id"), .now("label"), .now("url")])

    static let inAppDelivery = FieldList(
        "delivery.in_app",
        [
            .now("triggers"), .now("priority", 0), .now("starts_at"), .now("ends_at"), .now("delay", 0),
            .now("timeout"), .now("repeat_after"),
        ]
    )

    static let inAppTrigger = FieldList("a trigger", [.now("on"), .now("name"), .now("where", .array([]))])

    static let inAppFilter = FieldList("a filter", [.now("property"), .now("op"), .now("value", true)])
}
