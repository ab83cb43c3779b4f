import Campaigns

/// The JSON body for a site's service worker (`event.data.json()`); the same job gives the same bytes.
///
/// `notification` holds the arguments of `showNotification(title, options)` under the names of its options
/// (Notifications API). Beside them, under the contract's names, it has fields that browsers ignore and a service
/// worker may use. `data`, `url`, `fanfare` and `badge` (for `navigator.setAppBadge`) follow.
enum WebPushPayload {
    /// Returns the plaintext of the message.
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

    /// Returns the members of `notification`, which always include `tag`.
    static func notification(_ job: Job) -> [JSONMember] {
        let content = job.content
        let isHeard = content.sound != nil
        return JSONMember.members([
            "title": content.title.map { .string($0) },
            "body": content.body.map { .string($0) },
            "image": content.mediaURL.map { .string($0) },
            // A notification replaces one with the same tag: a repeat after a crash, and messages of one collapse id.
            "tag": .string(tag(job)),
            // Without `renotify` a browser replaces a notification silently.
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
