import Campaigns

/// What a job needs to be sent to browsers, checked at intake (`push-protocols.md`, C3).
struct WebPushRules {
    private let job: Job
    private let carriesMessageID: Bool
    private var found = JobCheck()

    /// Bytes of a payload at most: 4096 bytes of message, which every service takes, have room for so many (RFC 8030
    /// section 7.2, RFC 8291 section 4).
    static let payloadBytesMax = 3993

    /// Everything that is wrong with a job.
    static func check(_ job: Job, carriesMessageID: Bool) -> JobCheck {
        var rules = WebPushRules(job, carriesMessageID: carriesMessageID)
        rules.checkPushType()
        rules.checkCollapseID()
        rules.checkSize()
        return rules.found
    }

    private init(_ job: Job, carriesMessageID: Bool) {
        self.job = job
        self.carriesMessageID = carriesMessageID
    }

    private mutating func refuse(_ code: ProblemCode, _ pointer: String, _ detail: String, mend: String) {
        found.problems.append(Problem(pointer: pointer, code: code, detail: detail, mend: mend))
    }

    private mutating func warn(_ pointer: String, _ detail: String, mend: String) {
        found.warnings.append(Problem(pointer: pointer, code: .unusual, detail: detail, mend: mend))
    }

    private mutating func checkPushType() {
        switch job.effectivePushType {
        case .alert: break
        case .background:
            // Browsers let a site subscribe only with `userVisibleOnly` (W3C Push API, `PushSubscriptionOptions`).
            warn(
                "/delivery/push_type",
                "browsers want each push to show something: of one that does not they show a text of their own, or end "
                    + "the subscription",
                mend: "give content a title"
            )
        case let other:
            refuse(
                .conflict,
                "/delivery/push_type",
                "push type \(other.rawValue) is Apple's alone; webpush takes alert and background",
                mend: "send it to devices of apns"
            )
        }
    }

    private mutating func checkCollapseID() {
        guard job.collapseTemplate != nil else { return }
        warn(
            "/delivery/collapse_id",
            "the Topic of Web Push is the same for all devices: what waits at the push service is replaced only by the same "
                + "campaign; what is shown is replaced by the tag, which is rendered",
            mend: "give a constant collapse_id where that matters"
        )
    }

    /// What all devices get; what templates add is only known with a device.
    private mutating func checkSize() {
        checkSize(of: job, at: "/content")
        for (index, localization) in job.content.localizations.enumerated() {
            let place = JSONPointer(text: "/content/localizations").appending(localization.locale)
            checkSize(of: job.localized(index), at: place.text)
        }
    }

    private mutating func checkSize(of job: Job, at pointer: String) {
        let segments = WebPushPayload.segments(job, carriesMessageID: carriesMessageID)
        // A counted badge may come to be as long as a count can be.
        let count = segments.reduce(0) { $0 + $1.bytes.count + $1.countedBytesMax }
        guard count > Self.payloadBytesMax else { return }
        refuse(
            .payloadTooLarge,
            pointer,
            "the payload has \(count) bytes; Web Push takes \(Self.payloadBytesMax)",
            mend: "make it \(count - Self.payloadBytesMax) bytes shorter; what is large belongs behind a link"
        )
    }
}
