/// The rules for campaigns of kind `in_app`, which send no push.
struct InAppRules {
    let content: Content?
    /// The block as the producer gave it.
    let delivery: JSONValue?
    let audience: JSONValue?
    /// The segments of the audience and of its exclusion, with their paths below the audience.
    let segments: [(path: String, segment: Segment)]
    let pointer: JSONPointer
    let log: ProblemLog

    /// The fields of `delivery` that are allowed; all others are about pushes.
    private static let taken = ["in_app", "hold"]
    private static let fixes = [
        "send_at": "give in_app.starts_at", "expires_at": "give in_app.ends_at", "ttl": "give in_app.ends_at",
        "priority": "give in_app.priority", "repeat": "give in_app.repeat_after",
    ]

    /// Refuses fields that are about pushes, and reports missing ones.
    func check(_ options: DeliveryOptions, _ kind: CampaignKind) {
        guard kind == .inApp else { return refuseElsewhere(kind) }
        for member in delivery?.members ?? [] where !Self.taken.contains(member.name) {
            guard let field = JobFields.delivery[member.name], member.value != field.standard else { continue }
            log.refuse(
                .conflict,
                at: location("delivery", member.name),
                "\(member.name) is about pushes, and an in-app message sends none",
                fix: Self.fixes[member.name] ?? "leave it out"
            )
        }
        if delivery?["in_app"] == nil {
            log.refuse(
                .required,
                at: location("delivery", "in_app"),
                "a campaign of kind in_app needs delivery.in_app",
                fix: "say when it is shown, for example {\"triggers\": [{\"on\": \"session_start\"}]}"
            )
        }
        checkAudience()
        for localization in content?.localizations ?? [] { check(localization) }
    }

    /// Refuses rules that need the audience in advance: its devices appear one session at a time.
    func checkAudience() {
        if audience?["at_most"] != nil {
            log.refuse(
                .conflict,
                at: location("audience", "at_most"),
                "at_most pauses a campaign before its first push, but an in-app audience appears one session at a time",
                fix: "leave it out"
            )
        }
        if audience?["upload"] != nil {
            log.refuse(
                .conflict,
                at: location("audience", "upload"),
                "an in-app campaign waits for no upload",
                fix: "send it when the list is there, and leave upload out"
            )
        }
        for name in ["channel", "activity"] where audience?[name] != nil {
            log.refuse(
                .conflict,
                at: location("audience", name),
                "\(name) is for updates of a Live Activity alone, and an in-app message sends no push",
                fix: "name devices, list, users, segment or everyone"
            )
        }
        for (path, segment) in segments where !segment.questions.isEmpty {
            log.refuse(
                .conflict,
                at: JSONPointer(text: pointer.appending("audience").text + path),
                "tracking events are not queried when a session starts",
                fix: "name tags, attributes, users or a list"
            )
        }
    }

    /// Returns the segments of an audience and of its exclusion, with their paths below the audience.
    static func segments(_ audience: Audience?, _ exclude: Audience?) -> [(path: String, segment: Segment)] {
        var found: [(path: String, segment: Segment)] = []
        if case .segment(let segment)? = audience { found.append((path: "/segment", segment: segment)) }
        if case .segment(let segment)? = exclude { found.append((path: "/exclude/segment", segment: segment)) }
        return found
    }

    private func refuseElsewhere(_ kind: CampaignKind) {
        guard delivery?["in_app"] != nil else { return }
        log.refuse(
            .conflict,
            at: location("delivery", "in_app"),
            "delivery.in_app goes with the kind in_app, and this is a campaign of kind \(kind.rawValue)",
            fix: "give \"kind\": \"in_app\", or leave it out"
        )
    }

    /// Refuses an end in the past.
    func checkEnd(_ options: DeliveryOptions, now: Timestamp) {
        guard let end = options.inApp?.endsAt, end <= now else { return }
        log.refuse(
            .expired,
            at: location("delivery", "in_app").appending("ends_at"),
            "the message ended at \(end.rfc3339), and it is \(now.rfc3339) now",
            fix: "give a later instant"
        )
    }

    /// Checks that a localization has only a header, a message and an image.
    private func check(_ localization: Localization) {
        let entry = location("content", "localizations").appending(localization.locale)
        let content = localization.content
        var rest = content
        (rest.title, rest.body, rest.mediaURL) = (nil, nil, nil)
        if rest != Content() {
            log.refuse(
                .conflict,
                at: entry,
                "an in-app message has title (its header), body (its message) and media_url (its image) in another language",
                fix: "leave the rest out"
            )
        }
        let texts = [("title", content.title), ("body", content.body), ("media_url", content.mediaURL)]
        let isPage = self.content?.inApp?.layout == .html
        for (name, text) in texts {
            guard let text else { continue }
            if !isPage || name != "body" { Templates.refuseAnywhere(in: text, name, at: entry.appending(name), log) }
            guard let message = self.content?.inApp, let missing = message.unused(name) else { continue }
            log.refuse(.conflict, at: entry.appending(name), missing, fix: "leave it out")
        }
        let bytesMax = isPage ? InAppMessageDecoder.pageBytesMax : InAppMessageDecoder.messageBytesMax
        for (name, text, most) in [
            ("title", content.title, InAppMessageDecoder.headerBytesMax), ("body", content.body, bytesMax),
            ("media_url", content.mediaURL, InAppMessageDecoder.urlBytesMax),
        ] {
            guard let count = text?.utf8.count, count > most else { continue }
            let detail = "\(name) has \(count) bytes of UTF-8, at most \(most) are allowed"
            log.refuse(.length, at: entry.appending(name), detail)
        }
    }

    private func location(_ block: String, _ name: String) -> JSONPointer { pointer.appending(block).appending(name) }
}

extension InAppMessage {
    /// Returns the reason why a localized text would never be shown; nil if it would.
    fileprivate func unused(_ name: String) -> String? {
        switch (name, layout) {
        case ("title", .slideup), ("title", .html): "a message of type \(layout.rawValue) has no header"
        case ("media_url", .html): "a message of type html has no image of its own"
        case ("title", _) where isImageOnly, ("body", _) where isImageOnly:
            "a message that is an image only shows no text"
        default: nil
        }
    }
}
