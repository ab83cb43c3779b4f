import Campaigns

/// The JSON body for Apple (`push-protocols.md`, C1.7); the same job gives the same bytes.
///
/// `aps` comes first, then `content.data` as its peers in the order of the job, then `content.apns` merged over both:
/// objects member by member, other values replaced. The `fanfare` object is the last member.
enum APNsPayload {
    /// Returns the body of the request.
    static func segments(_ job: Job, carriesMessageID: Bool) -> [PayloadSegment] {
        var payload = SegmentWriter()
        payload.append("{")
        for (index, member) in members(job).enumerated() {
            if index > 0 { payload.append(",") }
            payload.append(JSONWriter.bytes(.string(member.name)))
            payload.append(":")
            let raw = job.content.apns?[member.name]
            if member.name == "aps" {
                write(aps: member.value, raw: raw, to: &payload)
            } else {
                payload.write(member.value, .personal, raw: raw)
            }
        }
        // The system reads a device management push; no app sees it.
        if carriesMessageID, job.effectivePushType != .mdm {
            payload.append(",")
            FanfareObject.write(job, asText: false, to: &payload)
        }
        payload.append("}")
        return payload.finished()
    }

    /// The fields of Apple's object in which the content may have templates.
    private static let personalNames: Set<String> = ["alert", "thread-id"]

    /// Writes Apple's object; a badge template comes last, because it may be left out with its comma.
    private static func write(aps: JSONValue, raw: JSONValue?, to payload: inout SegmentWriter) {
        guard let members = aps.members else { return payload.write(aps, .plain) }
        var badge: String?
        payload.append("{")
        var isFirst = true
        for member in members {
            if member.name == "badge", raw?["badge"] == nil, let source = member.value.string {
                badge = source
                continue
            }
            if !isFirst { payload.append(",") }
            isFirst = false
            payload.write(members: [member], personalNames.contains(member.name) ? .personal : .plain, raw: raw)
        }
        if let badge { payload.template(badge, isFirst ? .firstBadge : .badge) }
        payload.append("}")
    }

    /// Returns the members of the payload before they are written, at least one, without the `fanfare` object.
    static func members(_ job: Job) -> [JSONMember] {
        let content = job.content
        var root: [JSONMember] = []
        // The decoder refuses a key `aps` in data; here it would replace the whole `aps` object.
        for member in content.data where member.name != "aps" { root.append(member) }
        // A native push is exactly as its producer wrote it.
        let isWhole = job.kind == .native && content.apns?.members?.isEmpty == false
        let aps = aps(content, pushType: job.effectivePushType)
        if !isWhole, !aps.isEmpty || root.isEmpty { root.insert(JSONMember("aps", .object(aps)), at: 0) }
        guard case .object(let raw) = content.apns else { return root }
        return JSONMember.merge(root, raw)
    }

    private static func aps(_ content: Content, pushType: PushType) -> [JSONMember] {
        let isActivity = pushType == .liveactivity
        let alert = isActivity ? activityAlert(content) : alert(content)
        let sound = isActivity ? nil : content.sound.map(soundValue)
        let activity = content.liveActivity
        return JSONMember.members([
            "content-changed": pushType.isContentChange ? .bool(true) : nil,
            "alert": alert.isEmpty ? nil : .object(alert),
            "badge": text(content.badgeTemplate ?? (content.badgeStep == nil ? nil : BadgeStep.template))
                ?? number(content.badge),
            "sound": sound,
            "thread-id": text(content.threadID),
            "category": text(content.category),
            "content-available": content.contentAvailable ? .number(JSONNumber(1)) : nil,
            "mutable-content": content.mutableContent || content.mediaURL != nil ? .number(JSONNumber(1)) : nil,
            "target-content-id": text(content.targetContentID),
            "interruption-level": text(content.interruptionLevel),
            "relevance-score": content.relevanceScore.map { .number($0) },
            "filter-criteria": text(content.filterCriteria),
            "timestamp": number(activity?.timestamp),
            "event": text(activity?.event),
            "content-state": activity?.contentState,
            "stale-date": number(activity?.staleDate),
            "dismissal-date": number(activity?.dismissalDate),
            "attributes-type": text(activity?.attributesType),
            "attributes": activity?.attributes,
        ])
    }

    private static func alert(_ content: Content) -> [JSONMember] {
        JSONMember.members([
            "title": text(content.title),
            "subtitle": text(content.subtitle),
            "body": text(content.body),
            "launch-image": text(content.launchImage),
            "title-loc-key": text(content.titleLocKey),
            "title-loc-args": texts(content.titleLocArgs),
            "subtitle-loc-key": text(content.subtitleLocKey),
            "subtitle-loc-args": texts(content.subtitleLocArgs),
            "loc-key": text(content.locKey),
            "loc-args": texts(content.locArgs),
        ])
    }

    /// Returns ActivityKit's form of `alert`: localised texts as objects in `title` and `body`, the sound inside
    /// (Apple, "Starting and updating Live Activities with ActivityKit push notifications"; WWDC23 session 10185).
    private static func activityAlert(_ content: Content) -> [JSONMember] {
        let alert = JSONMember.members([
            "title": localised(content.titleLocKey, content.titleLocArgs) ?? text(content.title),
            "body": localised(content.locKey, content.locArgs) ?? text(content.body),
        ])
        return alert.isEmpty ? [] : alert + JSONMember.members(["sound": text(content.sound?.name)])
    }

    private static func localised(_ key: String?, _ arguments: [String]) -> JSONValue? {
        key.map { .object(JSONMember.members(["loc-key": .string($0), "loc-args": texts(arguments)])) }
    }

    private static func soundValue(_ sound: Sound) -> JSONValue {
        guard sound.critical else { return .string(sound.name) }
        return .object(
            JSONMember.members([
                "critical": .number(JSONNumber(1)), "name": .string(sound.name),
                "volume": sound.volume.map { .number($0) },
            ])
        )
    }

    private static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    private static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }

    private static func number(_ number: (some BinaryInteger)?) -> JSONValue? {
        number.map { .number(JSONNumber($0)) }
    }
}
