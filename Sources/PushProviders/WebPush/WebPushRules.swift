import Campaigns

/// The rules for a job to browsers, checked at intake (`push-protocols.md`, C3).
struct WebPushRules {
    private let job: Job
    private let carriesMessageID: Bool
    private var found = JobCheck()

    /// The largest payload in bytes that fits a message of 4096 bytes, which every service accepts (RFC 8030 section
    /// 7.2, RFC 8291 section 4).
    static let payloadBytesMax = 3993

    /// Returns everything that is wrong with a job.
    static func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        var rules = WebPushRules(job, carriesMessageID: carriesMessageID)
        rules.checkNative()
        rules.checkPushType()
        rules.checkCollapseID()
        rules.checkSize()
        return rules.found
    }

    private init(_ job: Job, carriesMessageID: Bool) {
        self.job = job
        self.carriesMessageID = carriesMessageID
    }

    private mutating func warn(_ pointer: String, _ detail: String, fix: String) {
        found.warnings.append(Problem(pointer: pointer, code: .unusual, detail: detail, fix: fix))
    }

    private mutating func checkNative() {
        guard job.kind == .native else { return }
        found.problems.append(
            Problem(
                pointer: "/content",
                code: .required,
                detail: "a native push has nothing for browsers",
                fix: "send to devices of APNs and FCM, or a campaign of another kind"
            )
        )
    }

    private mutating func checkPushType() {
        if let problem = PushTypeRule.problem(job, .webpush) { found.problems.append(problem) }
        guard job.effectivePushType == .background else { return }
        // Browsers let a site subscribe only with `userVisibleOnly` (W3C Push API, `PushSubscriptionOptions`).
        warn(
            "/delivery/push_type",
            "browsers require each push to show something: for one that does not, they show a text of their own; "
                + "Safari ends the subscription, so its devices are skipped",
            fix: "give content a title"
        )
    }

    private mutating func checkCollapseID() {
        guard job.collapseTemplate != nil else { return }
        warn(
            "/delivery/collapse_id",
            "the Topic of Web Push is the same for all devices: only the same campaign replaces a message that waits at "
                + "the push service; the rendered tag replaces a notification that is shown",
            fix: "give a constant collapse_id where that matters"
        )
    }

    private mutating func checkSize() {
        found.problems += PayloadSize.problems(
            job,
            WebPushProvider(),
            carriesMessageID: carriesMessageID,
            what: "the payload",
            taker: "Web Push"
        )
    }
}
