/// A decoder for `content.live_activity`.
///
/// See Apple, "Starting and updating Live Activities with ActivityKit push notifications".
enum LiveActivityDecoder {
    /// Seconds since the epoch up to the year 5138; larger values are surely milliseconds.
    private static let instants: ClosedRange<Int64> = 0...99_999_999_999
    private static let instantFix = "give whole seconds since 1970, as Apple takes them"

    static func liveActivity(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) -> LiveActivity? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.liveActivity, log) else { return nil }
        reader.require("event", fix: "give start, update or end")
        reader.require("content_state", fix: "give the state that the widget decodes")
        reader.require("timestamp", fix: instantFix)
        let event = reader.choice("event", among: ["start", "update", "end"])
        let contentState = reader.members("content_state")
        let timestamp = reader.integer("timestamp", in: instants, fix: instantFix)
        let staleDate = reader.integer("stale_date", in: instants, fix: instantFix)
        let dismissalDate = reader.integer("dismissal_date", in: instants, fix: instantFix)
        let attributesType = reader.text("attributes_type")
        let attributes = reader.members("attributes")
        if event == "start" {
            reader.require("attributes_type", fix: "name the app's ActivityAttributes type")
            reader.require("attributes", fix: "give the attributes that the app's type decodes")
        } else if event != nil {
            for name in ["attributes_type", "attributes"] where reader.has(name) {
                let fix = "leave it out, or give event start"
                log.refuse(.conflict, at: pointer.appending(name), "\(name) goes with event start only", fix: fix)
            }
        }
        if let event, event != "end", reader.has("dismissal_date") {
            let fix = "leave it out, or give event end"
            log.refuse(
                .conflict,
                at: pointer.appending("dismissal_date"),
                "dismissal_date goes with event end only",
                fix: fix
            )
        }
        guard let event, let contentState, let timestamp else { return nil }
        var activity = LiveActivity(event: event, contentState: .object(contentState), timestamp: timestamp)
        activity.staleDate = staleDate
        activity.dismissalDate = dismissalDate
        activity.attributesType = attributesType
        activity.attributes = attributes.map(JSONValue.object)
        return activity
    }
}
