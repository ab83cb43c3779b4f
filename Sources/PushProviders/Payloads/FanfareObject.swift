public import Campaigns

/// The data that a push carries for the app (contract, section 5).
///
/// It is the object `fanfare` and, beside it, the fields that the app reads under its own names (`PayloadNames`). One
/// of them contains each device's message id.
public enum FanfareObject {
    /// The most bytes meant for the object besides links, a rich message and a data push's body, so that the content
    /// has the rest.
    static let bytesMax = 160

    /// Appends the members, without a comma before the first.
    ///
    /// `asText` writes the object as a string, as FCM's data has it; the fields beside it are strings anyway.
    static func write(_ job: Job, asText: Bool, to payload: inout SegmentWriter) {
        let names = job.payloadNames
        let members = members(job)
        let inside = members.filter { $0.named.flatMap { names[$0] } == nil }
        let hasID = names[.messageID] == nil
        // An object with nothing but a version is useless.
        let hasObject = hasID || inside.count > 1
        if hasObject {
            payload.append("\"fanfare\":")
            if asText {
                payload.writeText { writeObject(inside, hasID: hasID, to: &$0) }
            } else {
                writeObject(inside, hasID: hasID, to: &payload)
            }
        }
        var isFirst = !hasObject
        for member in members + copies(job, asText: asText) {
            guard let name = member.named.flatMap({ names[$0] }) else { continue }
            if !isFirst { payload.append(",") }
            isFirst = false
            payload.write(members: [JSONMember(name, member.value)], member.isPersonal ? .personal : .plain)
        }
        if let name = names[.messageID] {
            // Never the first member, because a worker without a key removes it with its comma: without the object, the
            // campaign's id comes first.
            payload.append(MessageIDPlaceholder.opening(named: name))
            payload.messageID()
            payload.append("\"")
        }
    }

    /// Returns the object as a push of the job would carry it, for an app that learns of the campaign without a push.
    ///
    /// The app's own names do not move any field out of it, because there is nothing beside it. A nil `messageID`
    /// leaves that member out.
    public static func value(_ job: Job, messageID: String?) -> JSONValue {
        var members = members(job).map { JSONMember($0.key, $0.value) }
        if let messageID { members.insert(JSONMember("m", .string(messageID)), at: 2) }
        return .object(members)
    }

    /// Returns a warning when the object takes too much of the payload.
    public static func warnings(_ job: Job) -> [Problem] {
        let links = ["u", "i", "a", "d", "x"]
        let members = members(job).filter { !links.contains($0.key) }
        let own = JSONWriter.bytes(.object(members.map { JSONMember($0.key, $0.value) }))
        let messageID = MessageIDPlaceholder.opening.count + MessageIDPlaceholder.byteCount + 1
        let count = "\"fanfare\":".utf8.count + own.count + messageID
        guard count > bytesMax, members.count > 2 else { return [] }
        return [
            Problem(
                pointer: "/id",
                code: .unusual,
                detail: "the fanfare object has \(count) bytes besides links; \(bytesMax) are meant for it",
                fix: "shorter ids leave more room for the content"
            )
        ]
    }

    private static func writeObject(_ members: [Member], hasID: Bool, to payload: inout SegmentWriter) {
        let head = members.filter { $0.key == "v" || $0.key == "c" }
        payload.append("{")
        payload.write(members: head.map { JSONMember($0.key, $0.value) }, .plain)
        if hasID {
            payload.append(MessageIDPlaceholder.opening)
            payload.messageID()
            payload.append("\"")
        }
        for member in members.dropFirst(head.count) {
            payload.append(",")
            payload.write(members: [JSONMember(member.key, member.value)], member.isPersonal ? .personal : .plain)
        }
        payload.append("}")
    }

    // MARK: - Members

    private struct Member {
        /// The name in the object.
        let key: String
        /// The member for which the app may have a name of its own.
        let named: PayloadNames.Member?
        let value: JSONValue
        /// True if templates in the value are rendered.
        let isPersonal: Bool

        init?(_ key: String, _ named: PayloadNames.Member?, _ value: JSONValue?, isPersonal: Bool = false) {
            guard let value else { return nil }
            self.key = key
            self.named = named
            self.value = value
            self.isPersonal = isPersonal
        }
    }

    /// The members except the message id; version and campaign come first.
    private static func members(_ job: Job) -> [Member] {
        let content = job.content
        let actions = content.actions.map { JSONMember($0.id, .string($0.url)) }
        let (rich, push) = (job.namedContent, content.dataPush)
        func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
        return [
            Member("v", nil, .number(JSONNumber(1))),
            Member("c", .deliveryID, .string(job.id)),
            Member("k", .kind, job.kind == .notification ? nil : .string(job.kind.rawValue)),
            Member("u", .url, text(content.url), isPersonal: true),
            Member("r", .richID, text(rich?.id)),
            Member("t", .richType, text(rich?.type)),
            Member("x", .richMessage, text(rich?.message)),
            Member("i", .media, text(content.mediaURL), isPersonal: true),
            Member("l", nil, text(content.layout)),
            Member("s", nil, job.delivery.show == .system ? "system" : nil),
            Member("a", nil, actions.isEmpty ? nil : .object(actions), isPersonal: true),
            Member("d", nil, text(push?.body)),
            Member("e", nil, push?.encoding == .base64 ? .string("base64") : nil),
            Member("g", nil, text(push?.category)),
        ].compactMap(\.self)
    }

    /// The members repeated for apps that read them beside `aps`, and the numbers that such apps show or use to tell
    /// notifications apart.
    private static func copies(_ job: Job, asText: Bool) -> [Member] {
        let (content, rich) = (job.content, job.namedContent)
        let text = (content.body ?? content.title).map { JSONValue.string($0) }
        let numbers = LegacyNumbers(app: job.app, id: job.id)
        func whole(_ number: Int) -> JSONValue { asText ? .string(String(number)) : .number(JSONNumber(number)) }
        return [
            Member("", .message, text ?? rich?.message.map { .string($0) }, isPersonal: text != nil),
            // A message of its own is a member and needs no copy.
            Member("", .richMessage, rich == nil || rich?.message != nil ? nil : text, isPersonal: true),
            Member("", .messageNumber, whole(numbers.message)),
            Member("", .deliveryNumber, whole(numbers.delivery)),
        ].compactMap(\.self)
    }
}

extension Job {
    /// The content that a push names for the app to fetch: the campaign's own, or the one that the job references.
    var namedContent: RichReference? {
        kind.hasStoredContent ? RichReference(type: kind.rawValue, id: id) : content.rich
    }
}
