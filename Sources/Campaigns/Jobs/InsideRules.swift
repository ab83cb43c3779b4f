/// The rules of `delivery.show`: the party that shows a campaign, and the fields that a campaign without a push cannot
/// have.
struct InsideRules {
    let kind: CampaignKind
    let content: Content?
    /// The job as the producer gave it.
    let given: JSONValue
    let pointer: JSONPointer
    let log: ProblemLog

    /// The fields of `delivery` for a campaign without a push; all others are about pushes.
    private static let taken = ["show", "send_at", "expires_at", "ttl", "hold"]
    private static let fixes = ["repeat": "publish it again for each repetition"]

    /// The fields of `content` that only a push has, each with the reason.
    private static let ofPushes: [String: String] = [
        "badge": "the count on the icon comes with a push", "sound": "a sound is heard with a push",
        "thread_id": "the system groups its own notifications", "apns": "nothing is sent through APNs",
        "fcm": "nothing is sent through FCM", "interruption_level": "only the system interrupts",
        "relevance_score": "only the system sorts by it",
        "target_content_id": "only the system's notifications have it",
        "filter_criteria": "only the system's notifications have it", "content_available": "no push wakes the app",
        "mutable_content": "there is no push to change", "live_activity": "a Live Activity is a push",
        "launch_image": "the app is open already",
        "title_loc_key": "only the system looks up the app's own texts",
        "title_loc_args": "only the system looks up the app's own texts",
        "subtitle_loc_key": "only the system looks up the app's own texts",
        "subtitle_loc_args": "only the system looks up the app's own texts",
        "loc_key": "only the system looks up the app's own texts",
        "loc_args": "only the system looks up the app's own texts",
    ]

    /// Refuses conflicting fields; `inApp` holds the rules of all campaigns without a push.
    func check(_ options: DeliveryOptions, _ inApp: InAppRules) {
        guard options.show != .any else { return }
        guard kind.mayBeToldInside else {
            log.refuse(
                .conflict,
                at: location("delivery", "show"),
                "show goes with the kinds notification, announcement and poll, and this is a campaign of kind "
                    + kind.rawValue,
                fix: "leave it out"
            )
            return
        }
        guard options.show == .inApp else { return }
        for member in given["delivery"]?.members ?? [] where !Self.taken.contains(member.name) {
            // InAppRules refuses `in_app` for other kinds.
            guard member.name != "in_app", let field = JobFields.delivery[member.name], member.value != field.standard
            else { continue }
            log.refuse(
                .conflict,
                at: location("delivery", member.name),
                "\(member.name) is about pushes, and a campaign that is shown in_app sends none",
                fix: Self.fixes[member.name] ?? "leave it out"
            )
        }
        checkContent(given["content"], at: pointer.appending("content"))
        for member in given["content"]?["localizations"]?.members ?? [] {
            checkContent(member.value, at: location("content", "localizations").appending(member.name))
        }
        checkTexts()
        inApp.checkAudience()
    }

    private func checkContent(_ value: JSONValue?, at location: JSONPointer) {
        for member in value?.members ?? [] {
            guard let reason = Self.ofPushes[member.name], member.value != JobFields.content[member.name]?.standard
            else { continue }
            log.refuse(
                .conflict,
                at: location.appending(member.name),
                "\(member.name) does not go with a campaign that is shown in_app: \(reason)",
                fix: "leave it out, or let \"show\" be any"
            )
        }
    }

    /// Checks that the campaign has a text, and that it is the same for every device of a language.
    private func checkTexts() {
        guard let content else { return }
        for (location, text) in content.personalTexts(at: pointer.appending("content")) where Template.isIn(text) {
            log.refuse(
                .templateNotAllowed,
                at: location,
                "a campaign that is shown in_app is the same for every device of a language, and takes no template",
                fix: "write the text out, or let \"show\" be any"
            )
        }
        let names = ["title", "subtitle", "body"]
        let isWrong = names.contains { log.hasProblem(within: location("content", $0)) }
        guard !isWrong, !content.hasInsideText else { return }
        log.refuse(
            .required,
            at: location("content", "title"),
            "there is nothing to show inside the app: no title, subtitle or body",
            fix: "give title or body"
        )
    }

    private func location(_ block: String, _ name: String) -> JSONPointer { pointer.appending(block).appending(name) }
}

extension Content {
    /// True if the content has a text that an app can show by itself.
    var hasInsideText: Bool { title != nil || subtitle != nil || body != nil }
}

extension Job {
    /// True if an app may show the campaign to a device that no push reaches: the text is the same for all of a
    /// language.
    public var mayBeOffered: Bool {
        kind.mayBeToldInside && delivery.show == .any && effectivePushType == .alert && content.hasInsideText
            && !content.personalTexts(at: .root).contains { Template.isIn($0.text) }
    }
}
