import Campaigns

/// The object `fanfare` that a push carries for the app (contract, section 5), with each device's message id in it.
///
/// Members of parts of the product that are not built yet (`k`, `r`, `t`) are not in it: jobs with those fields are
/// refused.
enum FanfareObject {
    /// Appends the object.
    static func write(_ job: Job, to payload: inout SegmentWriter) {
        let content = job.content
        let head: [JSONMember] = [
            JSONMember("v", .number(JSONNumber(1))), JSONMember("c", .string(job.id)),
        ]
        let actions = content.actions.map { JSONMember($0.id, .string($0.url)) }
        let tail = [
            content.url.map { JSONMember("u", .string($0)) }, content.mediaURL.map { JSONMember("i", .string($0)) },
            actions.isEmpty ? nil : JSONMember("a", .object(actions)),
        ].compactMap(\.self)
        payload.append("{")
        payload.write(members: head, .plain)
        payload.append(MessageIDPlace.opening)
        payload.messageID()
        payload.append("\"")
        if !tail.isEmpty { payload.append(",") }
        payload.write(members: tail, .personal)
        payload.append("}")
    }
}
