/// The fields that each push type allows.
///
/// See Apple, "Sending notification requests to APNs", and push-protocols.md C1.3, C1.8.
struct PushRules {
    private let kind: CampaignKind
    private let content: Content
    private let delivery: DeliveryOptions
    private let pointer: JSONPointer
    private let log: ProblemLog
    private let pushType: PushType

    init(
        kind: CampaignKind,
        content: Content,
        delivery: DeliveryOptions,
        at pointer: JSONPointer,
        _ log: ProblemLog
    ) {
        self.kind = kind
        self.content = content
        self.delivery = delivery
        self.pointer = pointer
        self.log = log
        pushType = PushRules.pushType(kind: kind, content: content, delivery: delivery)
    }

    /// Returns the job's push type or, without one, `background` if `content_available` is set and nothing is visible.
    ///
    /// A data push is always a background push, a native one unless it has something visible.
    static func pushType(kind: CampaignKind, content: Content, delivery: DeliveryOptions) -> PushType {
        if let pushType = delivery.pushType { return pushType }
        switch kind {
        case .dataPush: return .background
        case .native: return content.isVisible || content.isShownNatively ? .alert : .background
        case .notification, .announcement, .poll, .inApp:
            return content.contentAvailable && !content.isVisible ? .background : .alert
        }
    }

    /// Returns the job's priority, or the default: normal for background pushes, otherwise high.
    static func priority(_ priority: DeliveryOptions.Priority?, of pushType: PushType) -> DeliveryOptions.Priority {
        priority ?? (pushType == .background ? .normal : .high)
    }

    func check() {
        if kind == .dataPush { return checkDataPush() }
        // The provider's own rules judge a raw payload.
        if kind == .native { return }
        checkText()
        switch pushType {
        case .alert: checkAlert()
        case .background: checkBackground()
        case .liveactivity: checkLiveActivity()
        case .pushtotalk: warnOfPushToTalk()
        case .location, .complication, .fileprovider, .mdm, .widgets, .controls:
            refuseWhatIsSeen("a push of type \(pushType.rawValue) shows nothing")
        case .voip: break
        }
        if content.liveActivity != nil, pushType != .liveactivity {
            log.refuse(
                .conflict,
                at: location("content", "live_activity"),
                "live_activity goes with the push type liveactivity only",
                fix: "give \"push_type\": \"liveactivity\" in delivery"
            )
        }
    }

    private func checkAlert() {
        guard !content.isVisible, content.liveActivity == nil else { return }
        if (Content.visibleNames + ["live_activity", "apns", "fcm"]).contains(where: isWrong) { return }
        log.refuse(
            .empty,
            at: location("content"),
            "there is nothing to show: no text, badge or sound",
            fix: "give title or body; or content_available for a push of type background"
        )
    }

    /// Checks that the notification of a page or poll has a text; one without anything visible is fetched silently.
    private func checkText() {
        guard kind.hasStoredContent, pushType == .alert, content.isVisible, !content.hasAlert,
            content.apns?["aps"]?["alert"] == nil, !Content.alertNames.contains(where: isWrong)
        else { return }
        log.refuse(
            .required,
            at: location("content", "title"),
            "the notification of a campaign of kind \(kind.rawValue) needs a text of its own",
            fix: "give title or body; or content_available alone, and the app fetches it in silence"
        )
    }

    private func checkDataPush() {
        if pushType != .background {
            log.refuse(
                .conflict,
                at: location("delivery", "push_type"),
                "a data push is of type background: nothing is shown",
                fix: "leave push_type out"
            )
        }
        if delivery.priority == .high { refuseHighPriority() }
    }

    private func refuseHighPriority() {
        log.refuse(
            .conflict,
            at: location("delivery", "priority"),
            "Apple refuses background pushes of high priority",
            fix: "give normal or low, or leave it out"
        )
    }

    private func checkBackground() {
        if !content.contentAvailable, !isWrong("content_available") {
            log.refuse(
                .required,
                at: location("content", "content_available"),
                "a background push needs content_available",
                fix: "add \"content_available\": true to content"
            )
        }
        if delivery.priority == .high { refuseHighPriority() }
        refuseWhatIsSeen("a background push shows nothing")
        if content.mutableContent || content.mediaURL != nil {
            let name = content.mutableContent ? "mutable_content" : "media_url"
            let detail = "\(name) changes what is shown, and a background push shows nothing"
            log.refuse(.conflict, at: location("content", name), detail, fix: "leave it out")
        }
    }

    private func checkLiveActivity() {
        guard let activity = content.liveActivity else {
            if isWrong("live_activity") { return }
            log.refuse(
                .required,
                at: location("content", "live_activity"),
                "a push of type liveactivity needs live_activity",
                fix: "give event, timestamp and content_state"
            )
            return
        }
        if activity.event == "start", !content.hasAlert, !Content.alertNames.contains(where: isWrong) {
            log.refuse(
                .required,
                at: location("content", "title"),
                "the start of a Live Activity needs an alert",
                fix: "give title and body"
            )
        }
    }

    private func warnOfPushToTalk() {
        guard delivery.priority ?? .high != .high || !delivery.policy.dropIfOffline else { return }
        log.warn(
            .unusual,
            at: location("delivery"),
            "Apple recommends priority high and no storage for push to talk",
            fix: "add \"if_offline\": \"drop\" to delivery"
        )
    }

    private func refuseWhatIsSeen(_ reason: String) {
        for name in content.visibleFields {
            let fix = "leave it out, or choose the push type alert"
            log.refuse(.conflict, at: location("content", name), "\(name) cannot be sent: \(reason)", fix: fix)
        }
    }

    /// Returns true if a field of content was already refused, so that it is not reported as missing too.
    private func isWrong(_ name: String) -> Bool {
        log.hasProblem(within: location("content", name))
    }

    private func location(_ names: String...) -> JSONPointer {
        names.reduce(pointer) { $0.appending($1) }
    }
}

extension Content {
    /// The fields that make an alert.
    static let alertNames = ["title", "subtitle", "body", "title_loc_key", "subtitle_loc_key", "loc_key"]
    /// The fields that a person sees or hears.
    static let visibleNames = alertNames + ["badge", "sound"]

    /// The given fields that a person would see or hear, by their names in the contract.
    var visibleFields: [String] {
        let given = [
            ("title", title != nil), ("subtitle", subtitle != nil), ("body", body != nil),
            ("title_loc_key", titleLocKey != nil), ("subtitle_loc_key", subtitleLocKey != nil),
            ("loc_key", locKey != nil), ("badge", badge != nil || badgeTemplate != nil || badgeStep != nil),
            ("sound", sound != nil),
        ]
        return given.filter(\.1).map(\.0)
    }

    /// True if there is a text, a badge or a sound, also in the raw payloads.
    var isVisible: Bool {
        if !visibleFields.isEmpty || fcm?["notification"] != nil { return true }
        guard let aps = apns?["aps"] else { return false }
        // An empty sound counts as none.
        return ["alert", "badge", "sound"].contains { aps[$0] != nil && !($0 == "sound" && aps[$0] == "") }
    }

    /// True if Android shows something from its own block.
    var isShownNatively: Bool { fcm?["android"]?["notification"] != nil }
}

extension Job {
    /// The push type to send: the job's, or the one for its content.
    public var effectivePushType: PushType {
        PushRules.pushType(kind: kind, content: content, delivery: delivery)
    }

    /// The priority to send: the job's, or the default of its push type.
    public var effectivePriority: DeliveryOptions.Priority {
        PushRules.priority(delivery.priority, of: effectivePushType)
    }

    /// The collapse id to send: the job's, or a hash of (app, id), which also replaces a template that renders to
    /// nothing.
    public var effectiveCollapseID: String {
        if let id = delivery.collapseID, !Template.isIn(id) { return id }
        return DefaultCollapseID.make(app: app, id: id)
    }

    /// The template of the collapse id; nil if the id is constant.
    public var collapseTemplate: String? {
        delivery.collapseID.flatMap { Template.isIn($0) ? $0 : nil }
    }

    /// Returns the end of the campaign, as known at acceptance; `acceptedAt` counts only without `created_at`.
    public func expiresAt(acceptedAt: Timestamp) -> Timestamp {
        // Without an end it lives until it is cancelled.
        if kind == .inApp { return delivery.inApp?.endsAt ?? .distantFuture }
        let sendAt = delivery.sendAt ?? delivery.localSendAt?.lastInstant
        let release = ExpiryRule.release(createdAt: createdAt, sendAt: sendAt, acceptedAt: acceptedAt)
        return delivery.hold
            ? ExpiryRule.endOfHold(delivery.expiry, release: release)
            : ExpiryRule.end(delivery.expiry, release: release)
    }
}
