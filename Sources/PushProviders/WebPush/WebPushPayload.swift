import Campaigns

/// The JSON that a site's service worker reads (`event.data.json()`); the same job gives the same bytes.
///
/// `notification` holds what `showNotification(title, options)` takes under the names of its options (Notifications API),
/// and beside them what browsers do not know and a service worker may use, under the contract's names. `data`, `url`,
/// `fanfare` and `badge` (for `navigator.setAppBadge`) follow.
enum WebPushPayload {
    /// The plaintext of the message.
    static func segments(_ job: Job, carriesMessageID: Bool) -> [PayloadSegment] {
        let content = job.content
        var payload = SegmentWriter()
        payload.append("{\"notification\":{")
        payload.write(members: notification(job), .personal)
        payload.append("}")
        if !content.data.isEmpty {
            payload.append(",\"data\":")
            payload.write(.object(content.data), .personal)
        }
        if let url = content.url, job.payloadNames[.url] != "url" {
            payload.append(",\"url\":")
            payload.write(.string(url), .personal)
        }
        if carriesMessageID {
            payload.append(",")
            FanfareObject.write(job, asText: false, to: &payload)
        }
        if let source = content.badgeTemplate ?? (content.badgeStep == nil ? nil : BadgeStep.template) {
            payload.template(source, .badge)
        } else if let badge = content.badge {
            payload.append(",\"badge\":")
            payload.append(Array(String(badge).utf8))
        }
        payload.append("}")
        return payload.finished()
    }

    /// The members of `notification`; `tag` is always one of them.
    static func notification(_ job: Job) -> [JSONMember] {
        let content = job.content
        let isHeard = content.sound != nil
        return JSONMember.members([
            "title": content.title.map { .string($0) },
            "body": content.body.map { .string($0) },
            "image": content.mediaURL.map { .string($0) },
            // What is shown replaces what has the same tag: a repeat after a crash, and messages of one collapse id.
            "tag": .string(tag(job)),
            // Without it a browser replaces a notification in silence.
            "renotify": isHeard ? .bool(true) : nil,
            "silent": isHeard ? nil : .bool(true),
            "requireInteraction": content.interruptionLevel == "critical" ? .bool(true) : nil,
            "subtitle": content.subtitle.map { .string($0) },
            "title_loc_key": content.titleLocKey.map { .string($0) },
            "title_loc_args": texts(content.titleLocArgs),
            "subtitle_loc_key": content.subtitleLocKey.map { .string($0) },
            "subtitle_loc_args": texts(content.subtitleLocArgs),
            "loc_key": content.locKey.map { .string($0) },
            "loc_args": texts(content.locArgs),
            "category": content.category.map { .string($0) },
            "sound": content.sound.map { .string($0.name) },
            "thread_id": content.threadID.map { .string($0) },
        ])
    }

    /// The collapse id, a template where the job has one; otherwise the campaign's hash.
    private static func tag(_ job: Job) -> String { job.delivery.collapseID ?? job.effectiveCollapseID }

    private static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }
}
