import Campaigns

/// Apple's rules for push types, headers and sizes, checked at intake (`push-protocols.md`, C1.2, C1.3, C1.8).
///
/// The decoder of `Campaigns` has checked the job field by field. These rules apply to the request as it will be sent,
/// with `content.apns` merged in, so an `aps` written by hand is held to the same rules.
struct APNsRules {
    private let job: Job
    private let provider: any PushProvider
    private let carriesMessageID: Bool
    private let pushType: PushType
    private let payload: JSONValue
    private var found = JobCheck()

    /// Returns everything that is wrong with a job.
    ///
    /// `provider` is the one of Apple's whose request is judged.
    static func check(
        _ job: Job,
        for provider: any PushProvider = APNsProvider(),
        carriesMessageID: Bool
    ) -> JobCheck {
        var rules = APNsRules(job, provider, carriesMessageID: carriesMessageID)
        rules.checkNative()
        rules.checkRaw()
        rules.checkPriority()
        rules.checkCollapseID()
        rules.checkPushType()
        rules.checkLiveActivity()
        rules.checkSize()
        rules.found.warnings += SoundEndings.apple.warnings(job)
        return rules.found
    }

    private init(_ job: Job, _ provider: any PushProvider, carriesMessageID: Bool) {
        self.job = job
        self.provider = provider
        self.carriesMessageID = carriesMessageID
        pushType = job.effectivePushType
        payload = .object(APNsPayload.members(job))
    }

    private var aps: JSONValue { payload["aps"] ?? .object([]) }

    /// True if `aps` has something to see or hear, which Apple's type `alert` is for.
    private var isNoticeable: Bool { ["alert", "badge", "sound"].contains(where: isNoticed) }

    /// Returns true if a field of `aps` is present; an empty sound counts as absent.
    private func isNoticed(_ field: String) -> Bool { aps[field] != nil && !(field == "sound" && aps[field] == "") }

    /// Returns the pointer to the source of a field of `aps`: the raw fields, which win, or the content.
    private func location(of field: String, otherwise pointer: String) -> String {
        job.content.apns?["aps"]?[field] == nil ? pointer : "/content/apns/aps/\(field)"
    }

    private mutating func refuse(_ code: ProblemCode, _ pointer: String, _ detail: String, fix: String) {
        found.problems.append(Problem(pointer: pointer, code: code, detail: detail, fix: fix))
    }

    private mutating func warn(_ pointer: String, _ detail: String, fix: String) {
        found.warnings.append(Problem(pointer: pointer, code: .unusual, detail: detail, fix: fix))
    }

    private mutating func checkNative() {
        guard job.kind == .native, job.content.apns == nil else { return }
        refuse(.required, "/content/apns", "a native push has nothing for APNs", fix: "give apns, or other devices")
    }

    private mutating func checkRaw() {
        guard let raw = job.content.apns else { return }
        guard raw.members != nil else {
            refuse(.type, "/content/apns", "apns is not an object", fix: "give the payload's members as an object")
            return
        }
        if let aps = raw["aps"], aps.members == nil {
            refuse(.type, "/content/apns/aps", "aps is not an object", fix: "give Apple's fields as an object")
        }
        if raw["fanfare"] != nil {
            refuse(.reserved, "/content/apns/fanfare", "fanfare is our own key", fix: "choose another name")
        }
    }

    private mutating func checkPriority() {
        let priority = job.effectivePriority
        if pushType == .background, priority != .normal {
            refuse(
                .conflict,
                "/delivery/priority",
                "a background push has priority \(priority.rawValue); Apple takes normal (5) only",
                fix: "leave priority out"
            )
        }
    }

    /// Checks the id as a header's value: no control character, no space at its ends (RFC 9113, 8.2.1).
    private mutating func checkCollapseID() {
        guard let id = job.delivery.collapseID, job.collapseTemplate == nil else { return }
        let bytes = Array(id.utf8)
        let most = APNsProvider().limits.collapseIDBytesMax
        if bytes.count > most {
            refuse(
                .length,
                "/delivery/collapse_id",
                "collapse_id has \(bytes.count) bytes; APNs takes \(most)",
                fix: "bytes of UTF-8 count, not characters"
            )
        }
        if bytes.isEmpty {
            refuse(.empty, "/delivery/collapse_id", "collapse_id is empty", fix: "leave it out")
        }
        let isOuterSpace = bytes.first == 0x20 || bytes.last == 0x20
        if isOuterSpace || bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            refuse(
                .format,
                "/delivery/collapse_id",
                "collapse_id has a control character, or a space at an end; it travels as a header",
                fix: "use visible characters"
            )
        }
    }

    private mutating func checkPushType() {
        switch pushType {
        case .alert where !isNoticeable: refuseEmptyAlert()
        case .background: checkBackground()
        case .widgets, .controls:
            if isNoticeable {
                refuse(
                    .conflict,
                    "/delivery/push_type",
                    "a \(pushType.rawValue) push says that something changed; it cannot show or play anything",
                    fix: "take title, body, badge and sound out of content, or send an alert beside it"
                )
            }
        default: break
        }
    }

    private mutating func refuseEmptyAlert() {
        let isSilent = aps["content-available"] != nil
        refuse(
            .empty,
            "/content",
            "an alert without alert, badge or sound",
            fix: isSilent
                ? "leave delivery.push_type out: content_available alone makes a background push"
                : "give content a title or a body"
        )
    }

    private mutating func checkBackground() {
        if aps["content-available"] == nil {
            refuse(
                .required,
                "/content/content_available",
                "a background push without content_available",
                fix: "set content_available to true"
            )
        }
        for (field, pointer) in [("alert", "/content"), ("badge", "/content/badge"), ("sound", "/content/sound")]
        where isNoticed(field) {
            refuse(
                .conflict,
                location(of: field, otherwise: pointer),
                "a background push with \(field); Apple delays or drops it",
                fix: "leave delivery.push_type out, or take \(field) out of content"
            )
        }
    }

    private mutating func checkLiveActivity() {
        guard pushType == .liveactivity else {
            if job.content.liveActivity != nil {
                refuse(
                    .conflict,
                    "/delivery/push_type",
                    "live_activity goes with push type liveactivity only",
                    fix: "set push_type to liveactivity"
                )
            }
            return
        }
        for (field, name) in [("event", "event"), ("content-state", "content_state"), ("timestamp", "timestamp")]
        where aps[field] == nil {
            refuse(
                .required,
                "/content/live_activity/\(name)",
                "a liveactivity push without \(name)",
                fix: "give content.live_activity its \(name)"
            )
        }
        let isStart = aps["event"]?.string == "start"
        for (field, name) in [("attributes-type", "attributes_type"), ("attributes", "attributes")] {
            if isStart, aps[field] == nil {
                refuse(
                    .required,
                    "/content/live_activity/\(name)",
                    "starting a Live Activity needs \(name)",
                    fix: "Apple starts an activity with attributes_type, attributes, content_state and an alert"
                )
            } else if !isStart, aps[field] != nil {
                warn(
                    location(of: field, otherwise: "/content/live_activity/\(name)"),
                    "\(name) counts only with event start",
                    fix: "leave it out"
                )
            }
        }
        if isStart, aps["alert"] == nil {
            refuse(
                .required,
                "/content/title",
                "starting a Live Activity needs an alert",
                fix: "give content a title and a body"
            )
        }
    }

    private mutating func checkSize() {
        found.problems += PayloadSize.problems(
            job,
            provider,
            carriesMessageID: carriesMessageID,
            what: "the payload",
            taker: provider.name == .broadcast
                ? "of a broadcast APNs" : "with push type \(pushType.rawValue) APNs"
        )
    }
}
