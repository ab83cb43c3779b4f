import Campaigns

/// The message for Google, without token and end (`push-protocols.md`, C2); the same job gives the same bytes.
///
/// `android` comes first, because `FCMRequest` writes the remaining time into it. Then come `notification`, `data` and
/// the other members of `content.fcm`, which is merged last: objects member by member, other values replaced.
/// Providers.md has a table of content and fields.
enum FCMMessage {
    /// The beginning of every message.
    static let opening = "{\"android\":{"

    /// Returns the message.
    static func segments(_ job: Job, carriesMessageID: Bool) -> [PayloadSegment] {
        var message = SegmentWriter()
        let members = members(job)
        message.append("{")
        for (index, member) in members.enumerated() {
            if index > 0 { message.append(",") }
            let raw = job.content.fcm?[member.name]
            message.append(JSONWriter.bytes(.string(member.name)))
            message.append(":")
            if member.name == "android" {
                write(android: member.value, raw: raw, to: &message)
            } else {
                message.write(member.value, .personal, raw: raw)
            }
        }
        let data = data(job)
        if !data.isEmpty || carriesMessageID {
            message.append(",\"data\":{")
            write(data: data, job, carriesMessageID: carriesMessageID, to: &message)
            message.append("}")
        }
        message.append("}")
        return message.finished()
    }

    /// Returns all members except `data`, with the raw fields merged in.
    static func members(_ job: Job) -> [JSONMember] {
        let isShown = job.isShownByAndroid
        var root = [JSONMember("android", .object(android(job)))]
        let notification = isShown ? notification(job.content) : []
        if !notification.isEmpty { root.append(JSONMember("notification", .object(notification))) }
        guard case .object(let raw) = job.content.fcm else { return root }
        return JSONMember.merge(root, raw.filter { $0.name != "data" })
    }

    private static func android(_ job: Job) -> [JSONMember] {
        // A native push is exactly as its producer wrote it.
        let notification = job.isShownByAndroid && job.kind != .native ? androidNotification(job) : []
        return JSONMember.members([
            "priority": .string(job.effectivePriority == .high ? "HIGH" : "NORMAL"),
            // Google limits collapsible messages (C2), so there is no key unless the job names one.
            "collapse_key": job.delivery.collapseID.map { .string($0) },
            "notification": notification.isEmpty ? nil : .object(notification),
        ])
    }

    private static func notification(_ content: Content) -> [JSONMember] {
        JSONMember.members([
            "title": content.title.map { .string($0) },
            "body": content.body.map { .string($0) },
            "image": content.mediaURL.map { .string($0) },
        ])
    }

    private static func androidNotification(_ job: Job) -> [JSONMember] {
        let content = job.content
        return JSONMember.members([
            // A repeated message replaces itself, and messages of one collapse id replace each other.
            "tag": .string(job.delivery.collapseID ?? job.effectiveCollapseID),
            "channel_id": content.threadID.map { .string($0) },
            "click_action": content.category.map { .string($0) },
            "sound": content.sound.map { .string($0.name) },
            "notification_priority": content.interruptionLevel.flatMap { priorities[$0] }.map { .string($0) },
            "title_loc_key": content.titleLocKey.map { .string($0) },
            "title_loc_args": texts(content.titleLocArgs),
            "body_loc_key": content.locKey.map { .string($0) },
            "body_loc_args": texts(content.locArgs),
            "notification_count": content.badge.map { .number(JSONNumber($0)) }
                ?? (content.badgeTemplate ?? (content.badgeStep == nil ? nil : BadgeStep.template)).map { .string($0) },
        ])
    }

    /// Android's names (`NotificationPriority`) of interruption levels.
    private static let priorities = [
        "passive": "PRIORITY_LOW", "active": "PRIORITY_DEFAULT", "time-sensitive": "PRIORITY_HIGH",
        "critical": "PRIORITY_MAX",
    ]

    private static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }

    /// Writes Android's block; a count template comes last in its notification, because it may be left out with its
    /// comma.
    private static func write(android: JSONValue, raw: JSONValue?, to message: inout SegmentWriter) {
        guard let members = android.members else { return message.write(android, .plain) }
        message.append("{")
        for (index, member) in members.enumerated() {
            if index > 0 { message.append(",") }
            let own = raw?[member.name]
            if member.name == "notification", let fields = member.value.members {
                message.append("\"notification\":{")
                let count = own?["notification_count"] == nil ? fields.first { $0.name == "notification_count" } : nil
                let isTemplate = count?.value.string != nil
                let rest = isTemplate ? fields.filter { $0.name != "notification_count" } : fields
                message.write(members: rest, .personal, raw: own)
                if isTemplate, let source = count?.value.string { message.template(source, .notificationCount) }
                message.append("}")
            } else {
                message.write(members: [member], .personal, raw: raw)
            }
        }
        message.append("}")
    }

    // MARK: - Data

    /// Returns the app's data: `content.data` and, in a message that Android does not show, the content to show.
    static func data(_ job: Job) -> [JSONMember] {
        let content = job.content
        let own = content.data
        let texts =
            job.isShownByAndroid || job.effectivePushType == .background || job.kind == .native
            ? []
            : JSONMember.members([
                "title": content.title.map { .string($0) },
                "subtitle": content.subtitle.map { .string($0) },
                "body": content.body.map { .string($0) },
                "title_loc_key": content.titleLocKey.map { .string($0) },
                "title_loc_args": texts(content.titleLocArgs),
                "loc_key": content.locKey.map { .string($0) },
                "loc_args": texts(content.locArgs),
                "image": content.mediaURL.map { .string($0) },
                "url": content.url.map { .string($0) },
                "category": content.category.map { .string($0) },
                "sound": content.sound.map { .string($0.name) },
                "badge": content.badge.map { .number(JSONNumber($0)) },
                "tag": .string(job.delivery.collapseID ?? job.effectiveCollapseID),
            ])
        // The producer's own key wins over ours, and so does a name of the app's own.
        let names = Set(job.payloadNames.names.values)
        let base = texts.filter { text in !own.contains { $0.name == text.name } && !names.contains(text.name) } + own
        guard let raw = job.content.fcm?["data"]?.members else { return base }
        return JSONMember.merge(base, raw)
    }

    /// Writes strings unchanged and other values as compact JSON (contract, section 1).
    private static func write(
        data: [JSONMember],
        _ job: Job,
        carriesMessageID: Bool,
        to message: inout SegmentWriter
    ) {
        for (index, member) in data.enumerated() {
            if index > 0 { message.append(",") }
            let raw = job.content.fcm?["data"]?[member.name]
            message.append(JSONWriter.bytes(.string(member.name)))
            message.append(":")
            if case .string = member.value {
                message.write(member.value, .personal, raw: raw)
            } else {
                message.writeText { $0.write(member.value, .personal, raw: raw) }
            }
        }
        guard carriesMessageID else { return }
        if !data.isEmpty { message.append(",") }
        FanfareObject.write(job, asText: true, to: &message)
    }
}

extension Job {
    /// True if Android shows the message by itself; otherwise the app gets it as data.
    var isShownByAndroid: Bool { delivery.android != .data && effectivePushType != .background }
}
